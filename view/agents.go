package view

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/director"
	"github.com/bullpen-office/bullpen/model"
	"github.com/bullpen-office/bullpen/world"
)

// AgentRow is one agent in the response to GET /v1/agents.
type AgentRow struct {
	AgentID   string                   `json:"agent_id"`
	Name      string                   `json:"name"`
	Role      contracts.Role           `json:"role"`
	Source    string                   `json:"source,omitzero"` // guests only
	ParentID  string                   `json:"parent_id,omitzero"`
	Place     string                   `json:"place,omitzero"`
	Model     string                   `json:"model,omitzero"`
	State     contracts.AgentState     `json:"state"`
	Activity  contracts.Activity       `json:"activity,omitzero"`  // guests only
	Authority contracts.EvidenceSource `json:"authority,omitzero"` // guests only
	Line      string                   `json:"line,omitzero"`
	Why       string                   `json:"why"`
	Since     int64                    `json:"since,omitzero"`
	TaskID    string                   `json:"task_id,omitzero"`
	NeedsYou  bool                     `json:"needs_you,omitzero"`
	Usage     *contracts.UsageTotal    `json:"usage,omitzero"`
	Said      string                   `json:"said,omitzero"`    // the start of the agent's last answer
	Checked   *contracts.Checked       `json:"checked,omitzero"` // whether the agent's edits were checked; nil if no edit has been seen
	Turns     []contracts.OpenTurn     `json:"turns,omitzero"`
	Label     string                   `json:"source_label,omitzero"` // display name of a guest's source
	RoomID    string                   `json:"room_id,omitzero"`      // the guest's room; empty means the house
	Studio    string                   `json:"studio,omitzero"`       // the label of the guest's room
}

// AgentList is the response to GET /v1/agents.
type AgentList struct {
	Agents []AgentRow       `json:"agents"`
	Rooms  []contracts.Room `json:"rooms,omitzero"` // all rooms except the house, in the order they opened
}

// AgentExplanation is the response to GET /v1/agents/{id}/explain: an explanation of an agent's
// status.
type AgentExplanation struct {
	AgentRow
	Evidence []contracts.Evidence     `json:"evidence"`           // newest first
	DecaysAt int64                    `json:"decays_at,omitzero"` // when the status changes if there is no new evidence
	PID      int                      `json:"pid,omitzero"`       // id of the watched process
	Outpost  *contracts.OutpostHealth `json:"outpost,omitzero"`   // the outpost on the agent's machine
	Now      int64                    `json:"now"`                // server time, on the same clock as the other times
	Recent   []RecentActivity         `json:"recent"`             // newest first
}

// Verdict is the current status of an agent according to its evidence.
type Verdict struct {
	contracts.AgentStatus
	DecaysAt int64 // when the status changes if there is no new evidence
	PID      int   // id of the watched process
}

// Judge returns the current verdict on a guest, or false if there is no evidence.
type Judge func(agentID string) (Verdict, bool)

// Agents lists all agents. For guests, it calls judge, because their recorded status may be
// slightly out of date.
func (v *View) Agents(judge Judge) AgentList {
	state := v.State()
	list := AgentList{Agents: []AgentRow{}, Rooms: state.Rooms}
	for _, a := range state.Agents {
		row := v.row(a, state.Rooms)
		if now, ok := v.judge(a, judge); ok {
			row.applyVerdict(now)
		}
		list.Agents = append(list.Agents, row)
	}
	return list
}

// Explain explains an agent's status. For guests, and for crew members that are working for outside
// callers, the explanation is based on the evidence; for other crew members, it is based on the
// office's assignments. ok is false if the agent is not in the office.
func (v *View) Explain(ctx context.Context, id string, judge Judge) (out AgentExplanation, ok bool, err error) {
	state := v.State()
	i := slices.IndexFunc(state.Agents, func(a contracts.Agent) bool { return a.AgentID == id })
	if i < 0 {
		return out, false, nil
	}
	out = AgentExplanation{AgentRow: v.row(state.Agents[i], state.Rooms)}
	if now, ok := v.judge(state.Agents[i], judge); ok {
		out.applyVerdict(now)
		out.Evidence, out.DecaysAt, out.PID = now.Evidence, now.DecaysAt, now.PID
	} else {
		v.Look(func(w *world.World) { out.explainCrew(w) })
	}
	out.Recent, err = v.recentOf(ctx, id)
	return out, true, err
}

func (v *View) row(a contracts.Agent, rooms []contracts.Room) AgentRow {
	open := model.Rows{Rooms: rooms}
	return AgentRow{
		AgentID: a.AgentID, Name: a.Name, Role: a.Role, Source: a.Source, Label: v.sources.Of(a.Source).Label, ParentID: a.ParentID, Place: a.Place, Model: a.Model,
		State: a.State, Activity: a.Activity, Authority: a.Authority, Line: a.StatusLine, Why: cmp.Or(a.Why, contracts.SayNoActivity),
		Since: a.Since, TaskID: a.TaskID, NeedsYou: a.NeedsYou, Usage: a.Usage, Said: a.Said, Checked: a.Checked, Turns: a.Turns, RoomID: a.RoomID, Studio: open.RoomLabel(a.RoomID),
	}
}

// judge returns the verdict on an agent. ok is false if a guest has no evidence, or if a crew
// member's goal and task decide its status.
func (v *View) judge(a contracts.Agent, guests Judge) (now Verdict, ok bool) {
	if a.Guest() {
		elsewhere := v.elsewhere(&a.AgentProfile)
		if !elsewhere {
			now, ok = guests(a.AgentID)
		}
		if !ok && (elsewhere || a.Outpost != "") { // the node or outpost has the evidence; its last report is recorded
			now.AgentStatus, ok = v.recorded(a.AgentID)
		}
		return now, ok
	}
	v.Look(func(w *world.World) { now.AgentStatus, ok = director.CallerStatus(w, a.AgentID) })
	return now, ok && a.TaskID == ""
}

func (r *AgentRow) applyVerdict(now Verdict) {
	r.Activity, r.Authority, r.Line, r.Why, r.Since, r.Said = now.Activity, now.Authority, now.Line, now.Why, now.Since, now.Said
}

// goalWords describe a crew member's goal.
var goalWords = map[contracts.GoalKind]string{
	contracts.GoalGoToPOI:     "walking to its place",
	contracts.GoalGoToPlayer:  "walking to you",
	contracts.GoalDeliver:     "carrying a deliverable to the shelf",
	contracts.GoalGoHome:      "walking to its desk",
	contracts.GoalIdle:        "has no task",
	contracts.GoalMeet:        "in a meeting",
	contracts.GoalWork:        "at work",
	contracts.GoalWaitForUser: "waiting for your answer",
}

// runWords describe the status of a run's attempt.
var runWords = map[contracts.RunStatus]string{
	contracts.RunStarted:   "is starting",
	contracts.RunRunning:   "is running",
	contracts.RunCompleted: "is complete",
	contracts.RunFailed:    "failed",
	contracts.RunCancelled: "was cancelled",
}

// explainCrew explains a crew member's status in terms of its goal, task and run.
func (e *AgentExplanation) explainCrew(w *world.World) {
	e.Evidence, e.Authority = []contracts.Evidence{}, contracts.FromOffice
	say := func(at int64, format string, args ...any) {
		says := contracts.CleanLine(fmt.Sprintf(format, args...))
		for _, why := range []string{e.Why, model.Reason(e.Why, "", "")} { // clients show why next to the evidence
			says = strings.TrimSuffix(says, ": "+why)
		}
		says = contracts.Clip(says, contracts.LimitPreview)
		e.Evidence = append(e.Evidence, contracts.Evidence{Source: contracts.FromOffice, Says: says, At: at})
	}
	a := w.Agent(e.AgentID)
	if a == nil {
		return
	}
	e.Since = a.GoalTS
	say(a.GoalTS, "%s: %s", cmp.Or(goalWords[a.Goal.Goal.Kind], string(a.Goal.Goal.Kind)), cmp.Or(a.Goal.Why, e.Why))
	if chats := w.PendingChats(a.AgentID); len(chats) > 0 {
		say(a.GoalTS, "unanswered messages: %d; oldest: %s", len(chats), chats[0].Chat.Text)
	}
	if d := w.OpenAsk(a.AgentID); d != nil {
		say(d.AskedAt, "question %s is open: %s", d.DecisionID, d.Prompt)
	}
	t := w.Task(a.TaskID)
	if t == nil {
		return
	}
	say(t.UpdatedAt, "%s “%s” is %s", t.TaskID, t.Title, strings.ToLower(model.TaskWords(t.Status)))
	if run := t.Run; run.RunID != "" {
		say(max(run.StartedAt, run.EndedAt), "attempt %d on %s %s", run.Attempt, run.Runner, cmp.Or(runWords[run.Status], string(run.Status)))
	}
	if t.ProgressAt > 0 {
		say(t.ProgressAt, "progress %d%%", t.Percent)
	}
	if d := w.OpenDecision(t.TaskID); d != nil {
		say(d.AskedAt, "question %s is open: %s", d.DecisionID, d.Prompt)
	}
	slices.SortStableFunc(e.Evidence, func(a, b contracts.Evidence) int { return cmp.Compare(b.At, a.At) })
}
