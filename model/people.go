package model

import (
	"cmp"
	"slices"

	"github.com/bullpen-office/bullpen/contracts"
)

// People returns the crew and the guests; sub-agents come after their parent.
func (r *Rows) People() (crew, guests []contracts.Agent) {
	for _, a := range r.Agents {
		if a.Source == "" {
			crew = append(crew, a)
		} else {
			guests = append(guests, a)
		}
	}
	return crew, inFamilies(guests)
}

// Away reports whether an agent is a guest that is not in the room, because its session ended or
// went silent.
func Away(a *contracts.Agent) bool { return a.Source != "" && a.Activity == contracts.ActivityOffline }

// MergeEnded merges the ended sessions of one source in the same folder into one row, that of the
// newest session. ended maps the agent id of that row to the number of sessions in the row.
func MergeEnded(guests []contracts.Agent) (rows []contracts.Agent, ended map[string]int) {
	newest, count := map[string]*contracts.Agent{}, map[string]int{}
	merged := func(a *contracts.Agent) bool { return Away(a) && a.Place != "" && a.ParentID == "" && !a.NeedsYou }
	for i := range guests {
		g := &guests[i]
		if !merged(g) {
			continue
		}
		key := g.Source + " " + g.Place
		if count[key]++; newest[key] == nil || g.Since >= newest[key].Since {
			newest[key] = g
		}
	}
	ended = map[string]int{}
	for i := range guests {
		g := &guests[i]
		switch key := g.Source + " " + g.Place; {
		case !merged(g):
			rows = append(rows, *g)
		case newest[key] == g:
			ended[g.AgentID] = count[key]
			rows = append(rows, *g)
		}
	}
	return rows, ended
}

// EndedWords returns text such as "3 ended sessions" for a row with several sessions, or "" for one
// session.
func EndedWords(n int) string {
	if n < 2 {
		return ""
	}
	return contracts.SayEnded.Of(n)
}

// Roll returns all agents, the most interesting first; see interest. Equally interesting agents
// stay in order of arrival.
func (r *Rows) Roll() []contracts.Agent {
	list := slices.Clone(r.Agents)
	slices.SortStableFunc(list, func(a, b contracts.Agent) int { return cmp.Compare(interest(&a), interest(&b)) })
	return list
}

// interest returns an agent's rank in Roll: first come agents that need a person, then those that
// are working, waiting, free or away, in that order. A walk without a task does not count as work.
func interest(a *contracts.Agent) int {
	const needs, works, waits, free, away = 0, 1, 2, 3, 4
	switch {
	case a.NeedsYou || a.Activity == contracts.ActivityWaiting:
		return needs
	case a.State == contracts.StateOffline || a.Activity == contracts.ActivityOffline:
		return away
	case a.Activity == contracts.ActivityWorking:
		return works
	case a.Source != "":
		return free
	}
	switch a.State {
	case contracts.StateSeeking, contracts.StateToPlayer:
		return needs
	case contracts.StateWorking, contracts.StateDelivering, contracts.StateMeeting:
		return works
	case contracts.StateWaiting:
		return waits
	case contracts.StateWalking:
		if a.TaskID != "" {
			return works
		}
	}
	return free
}

// inFamilies puts sub-agents after their parent. Sub-agents whose parent is missing, or that are
// each other's parents, stay at the top level.
func inFamilies(guests []contracts.Agent) []contracts.Agent {
	seen := map[string]bool{}
	var out []contracts.Agent
	var add func(g contracts.Agent)
	add = func(g contracts.Agent) {
		if seen[g.AgentID] {
			return
		}
		seen[g.AgentID] = true
		out = append(out, g)
		for _, sub := range guests {
			if sub.ParentID == g.AgentID {
				add(sub)
			}
		}
	}
	for _, g := range guests {
		if find(guests, g.ParentID, agentID) == nil {
			add(g)
		}
	}
	for _, g := range guests {
		add(g)
	}
	return out
}

// Candidate is an agent that could take a task.
type Candidate struct {
	Agent contracts.Agent
	Fit   string // Good fit, Fair fit or empty
	Busy  string // why the agent cannot take the task now; empty if it can
}

// fits contains the director's ratings of how well a role suits a kind of task. It is used only for
// a menu; the office decides.
var fits = map[contracts.TaskKind]map[contracts.Role]string{
	contracts.KindResearch: {contracts.RoleResearcher: contracts.SayGoodFit, contracts.RoleStrategist: contracts.SayFairFit},
	contracts.KindPlan:     {contracts.RoleStrategist: contracts.SayGoodFit, contracts.RoleResearcher: contracts.SayFairFit},
	contracts.KindCopy:     {contracts.RoleWriter: contracts.SayGoodFit},
	contracts.KindDesign:   {contracts.RoleDesigner: contracts.SayGoodFit},
	contracts.KindCode:     {contracts.RoleEngineer: contracts.SayGoodFit},
	contracts.KindReview:   {contracts.RoleReviewer: contracts.SayGoodFit, contracts.RoleStrategist: contracts.SayFairFit},
}

// Candidates returns all crew members as candidates for a task: free members before busy members,
// each group sorted by fit.
func (r *Rows) Candidates(t *contracts.Task) []Candidate {
	var list []Candidate
	for _, a := range r.Agents {
		if a.Source == "" {
			list = append(list, Candidate{a, fits[t.Kind][a.Role], busyOf(t, &a)})
		}
	}
	order := map[string]int{contracts.SayGoodFit: 0, contracts.SayFairFit: 1, "": 2}
	weight := func(c Candidate) int {
		if c.Busy != "" {
			return 10 + order[c.Fit]
		}
		return order[c.Fit]
	}
	slices.SortStableFunc(list, func(a, b Candidate) int { return cmp.Compare(weight(a), weight(b)) })
	return list
}

func busyOf(t *contracts.Task, a *contracts.Agent) string {
	switch {
	case a.AgentID == contracts.AgentBD || a.Role == contracts.RoleBD:
		return contracts.SayTakesRequests
	case a.State == contracts.StateOffline:
		return contracts.AgentStateWords[contracts.StateOffline]
	case a.State == contracts.StateMeeting:
		return contracts.AgentStateWords[contracts.StateMeeting]
	case a.TaskID == t.TaskID:
		return contracts.SayAlreadyHasIt
	case a.TaskID != "":
		return contracts.SayBusy
	}
	return ""
}

// ControlReason returns the reason that a control, such as stop, cannot be used on an agent now, or
// "" if it can be used. task is the agent's current task, or nil.
func ControlReason(a *contracts.Agent, control contracts.CommandName, task *contracts.Task) string {
	ends := control == contracts.CmdStopAgent || control == contracts.CmdKillAgent
	if a.Source != "" {
		switch {
		case a.Activity == contracts.ActivityOffline:
			return contracts.SayAgentOffline
		case ends && a.Activity == contracts.ActivityIdle:
			return contracts.SayNothingRunning
		}
		return ""
	}
	runs := task != nil && task.Status == contracts.TaskInProgress
	answers := task == nil && (a.State == contracts.StateWorking || a.NeedsYou)
	switch {
	case ends && !runs && !answers:
		return contracts.SayNothingRunning
	case control == contracts.CmdNewSession && runs:
		return contracts.SayStopFirst
	case control == contracts.CmdHandover && task == nil:
		return contracts.SayNothingToHandOver
	}
	return ""
}
