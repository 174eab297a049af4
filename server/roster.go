package server

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/bullpen-office/bullpen/agents"
	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/director"
	"github.com/bullpen-office/bullpen/gate"
	"github.com/bullpen-office/bullpen/hud"
	"github.com/bullpen-office/bullpen/hud/status"
	"github.com/bullpen-office/bullpen/intake"
	"github.com/bullpen-office/bullpen/world"
)

const (
	limitRecent     = 8    // facts of activity in an explanation
	limitRecentBack = 2000 // newest facts of activity searched for them
)

// openRoster takes over the guests of the office. Evidence is stamped by the same
// clock that the adapters use.
func (s *Server) openRoster() {
	s.roster = intake.NewRoster(intake.RosterConfig{Office: s.office, Sources: s.sources, State: s.state, Proves: agents.Prove(s.cfg.Adapters), Now: s.cfg.Now, Log: s.cfg.Log})
	registerCrowd(s.metrics, s.roster.Crowd)
}

// AgentRow is a line of GET /v1/agents.
type AgentRow struct {
	AgentID   string                   `json:"agent_id"`
	Name      string                   `json:"name"`
	Role      contracts.Role           `json:"role"`
	Source    string                   `json:"source,omitzero"` // of a guest
	ParentID  string                   `json:"parent_id,omitzero"`
	Place     string                   `json:"place,omitzero"`
	Model     string                   `json:"model,omitzero"`
	State     contracts.AgentState     `json:"state"`
	Activity  contracts.Activity       `json:"activity,omitzero"`  // of a guest
	Authority contracts.EvidenceSource `json:"authority,omitzero"` // likewise
	Line      string                   `json:"line,omitzero"`
	Why       string                   `json:"why"`
	Since     int64                    `json:"since,omitzero"`
	TaskID    string                   `json:"task_id,omitzero"`
	NeedsYou  bool                     `json:"needs_you,omitzero"`
	Usage     *contracts.UsageTotal    `json:"usage,omitzero"`
	Said      string                   `json:"said,omitzero"` // the beginning of its last answer
	Turns     []contracts.OpenTurn     `json:"turns,omitzero"`
	Label     string                   `json:"source_label,omitzero"` // of a guest: its source, to show
}

// AgentList is the answer of GET /v1/agents.
type AgentList struct {
	Agents []AgentRow `json:"agents"`
}

// AgentExplanation is the answer of GET /v1/agents/{id}/explain: why somebody is
// shown as it is.
type AgentExplanation struct {
	AgentRow
	Evidence []contracts.Evidence `json:"evidence"`           // the newest first
	DecaysAt int64                `json:"decays_at,omitzero"` // when it changes if nothing more is heard
	PID      int                  `json:"pid,omitzero"`       // of the process that is watched
	Now      int64                `json:"now"`                // by the clock of all these times
	Recent   []RecentActivity     `json:"recent"`             // the newest first
}

// RecentActivity is a fact of activity in a few words.
type RecentActivity struct {
	Event contracts.HUDEvent `json:"event"`
	Tool  string             `json:"tool,omitzero"`
	Label string             `json:"label"`
	At    int64              `json:"at"`
}

func (s *Server) newAgentRow(a contracts.Agent) AgentRow {
	return AgentRow{
		AgentID: a.AgentID, Name: a.Name, Role: a.Role, Source: a.Source, Label: s.sources.Of(a.Source).Label, ParentID: a.ParentID, Place: a.Place, Model: a.Model,
		State: a.State, Activity: a.Activity, Authority: a.Authority, Line: a.StatusLine, Why: cmp.Or(a.Why, "Nothing has been heard of it yet."),
		Since: a.Since, TaskID: a.TaskID, NeedsYou: a.NeedsYou, Usage: a.Usage, Said: a.Said, Turns: a.Turns,
	}
}

func (s *Server) serveAgents(w http.ResponseWriter, _ *http.Request) {
	list := AgentList{Agents: []AgentRow{}}
	for _, a := range s.state().Agents {
		row := s.newAgentRow(a)
		if e, ok := s.judge(a); ok {
			row.judged(e)
		}
		list.Agents = append(list.Agents, row)
	}
	gate.Answer(w, http.StatusOK, list)
}

// judge is what the evidence says of somebody now; false when what it does follows
// from its goal and its task.
func (s *Server) judge(a contracts.Agent) (intake.Explanation, bool) {
	if a.Guest() {
		return s.roster.Explain(a.AgentID)
	}
	var now contracts.AgentStatus
	busy := false
	s.view.Look(func(w *world.World) { now, busy = director.CallerStatus(w, a.AgentID) })
	return intake.Explanation{
		AgentID: a.AgentID, Activity: now.Activity, Authority: now.Authority, Why: now.Why, Line: now.Line, Since: now.Since, Evidence: now.Evidence,
	}, busy && a.TaskID == ""
}

// judged shows what the evidence says now; the record of it may be a little behind.
func (r *AgentRow) judged(e intake.Explanation) {
	r.Activity, r.Authority, r.Line, r.Why, r.Since, r.Said = e.Activity, e.Authority, e.Line, e.Why, e.Since, e.Said
}

// serveAgentExplain answers for everybody: guests, and who works for callers, by their
// evidence, the rest of the crew by what the office gave them to do.
func (s *Server) serveAgentExplain(w http.ResponseWriter, r *http.Request) {
	id := r.PathValue("id")
	agents := s.state().Agents
	i := slices.IndexFunc(agents, func(a contracts.Agent) bool { return a.AgentID == id })
	if i < 0 {
		why := "there is no such agent in the office; GET /v1/agents lists them"
		if d, ok := s.roster.Left(id); ok {
			ago := status.Words(time.Duration(max(s.cfg.Now().UnixMilli()-d.At, 0)) * time.Millisecond)
			why = fmt.Sprintf("%s left %s ago: %s It returns when it reports again.", d.Name, ago, d.Reason)
		}
		gate.Refuse(w, http.StatusNotFound, contracts.CodeNotFound, "%s", why)
		return
	}
	out := AgentExplanation{AgentRow: s.newAgentRow(agents[i]), Now: s.cfg.Now().UnixMilli()}
	if e, ok := s.judge(agents[i]); ok {
		out.judged(e)
		out.Evidence, out.DecaysAt, out.PID = e.Evidence, e.DecaysAt, e.PID
	} else {
		s.view.Look(func(w *world.World) { out.ofCrew(w) })
	}
	var err error
	if out.Recent, err = s.recent(r.Context(), id); err != nil {
		gate.Refuse(w, http.StatusServiceUnavailable, contracts.CodeInternal, "the activity of %s cannot be read now; try again, and see /readyz", id)
		return
	}
	gate.Answer(w, http.StatusOK, out)
}

// ofCrew explains somebody whom the office itself moves: goal, task, run.
func (e *AgentExplanation) ofCrew(w *world.World) {
	e.Evidence, e.Authority = []contracts.Evidence{}, contracts.FromOffice
	say := func(at int64, format string, args ...any) {
		says := contracts.Clip(contracts.CleanLine(fmt.Sprintf(format, args...)), contracts.LimitPreview)
		e.Evidence = append(e.Evidence, contracts.Evidence{Source: contracts.FromOffice, Says: says, At: at})
	}
	a := w.Agent(e.AgentID)
	if a == nil {
		return
	}
	e.Since = a.GoalTS
	say(a.GoalTS, "goal %s: %s", a.Goal.Goal.Kind, cmp.Or(a.Goal.Why, "no reason was recorded"))
	if mail := w.MailOf(a.AgentID); len(mail) > 0 {
		say(a.GoalTS, "%d messages wait for its answer, first: %s", len(mail), mail[0].Chat.Text)
	}
	if d := w.OpenAsk(a.AgentID); d != nil {
		say(d.AskedAt, "it waits for an answer to %s: %s", d.DecisionID, d.Prompt)
	}
	t := w.Task(a.TaskID)
	if t == nil {
		return
	}
	say(t.UpdatedAt, "task %s is %s: %s", t.TaskID, t.Status, t.Title)
	if run := t.Run; run.RunID != "" {
		say(max(run.StartedAt, run.EndedAt), "run %s (attempt %d, %s) is %s", run.RunID, run.Attempt, run.Runner, run.Status)
	}
	if t.ProgressAt > 0 {
		say(t.ProgressAt, "progress %d%%", t.Percent)
	}
	if d := w.OpenDecision(t.TaskID); d != nil {
		say(d.AskedAt, "it waits for an answer to %s: %s", d.DecisionID, d.Prompt)
	}
	slices.SortStableFunc(e.Evidence, func(a, b contracts.Evidence) int { return cmp.Compare(b.At, a.At) })
}

// recent is the newest activity of an agent among the newest of all.
func (s *Server) recent(ctx context.Context, agentID string) ([]RecentActivity, error) {
	head := s.ledger.Head()
	after := head - min(head, limitRecentBack)
	found := []RecentActivity{}
	for {
		page, err := s.ledger.Read(ctx, after, contracts.LimitReplayPage, contracts.KindHUD)
		if err != nil {
			return nil, err
		}
		for _, rec := range page {
			after = rec.Seq
			if h := activityOf(rec, agentID); h != nil {
				label := cmp.Or(h.Label, string(h.Event))
				if h.Said != "" {
					label = hud.Line("Said: "+h.Said, contracts.LimitPreview)
				}
				found = append(found, RecentActivity{Event: h.Event, Tool: h.Tool, Label: label, At: cmp.Or(h.At, rec.TS)})
			}
		}
		if len(page) < contracts.LimitReplayPage {
			break
		}
	}
	slices.Reverse(found)
	return found[:min(len(found), limitRecent)], nil
}

// activityOf decodes a record only when it may be the agent's: most are not.
func activityOf(rec contracts.Record, agentID string) *contracts.HUD {
	if !bytes.Contains(rec.Body, []byte(agentID)) {
		return nil
	}
	body, err := rec.Decode()
	if err != nil {
		return nil // the health of the ledger is told by /readyz
	}
	if h, ok := body.(*contracts.HUD); ok && h.AgentID == agentID {
		return h
	}
	return nil
}
