package world

import (
	"slices"

	"github.com/bullpen-office/bullpen/contracts"
)

// Snapshot returns the whole live state at time now, for viewers. Long text is clipped and request
// attachments are left out, because a snapshot is sent to every viewer. sources determines which
// controls each agent supports. All slices except Sources are new; the values that they point to
// must not be changed.
func (w *World) Snapshot(now int64, players []contracts.Player, sources contracts.Sources) contracts.Snapshot {
	s := contracts.Snapshot{
		Seq:         w.s.Seq,
		SceneID:     w.sc.ID(),
		Agents:      make([]contracts.Agent, 0, len(w.s.Agents)),
		Projects:    make([]contracts.Project, 0, len(w.s.Projects)),
		Tasks:       make([]contracts.Task, 0, len(w.s.Tasks)),
		Artifacts:   make([]contracts.Artifact, 0, len(w.s.Artifacts)),
		Decisions:   make([]contracts.Decision, 0, len(w.s.Decisions)),
		OfficeDecor: append([]contracts.Decor{}, w.s.Decor...),
		Rooms:       w.roomRows(),
		Rules:       slices.Clone(w.s.Rules),
		Repos:       slices.Clone(w.s.Repos),
		Players:     append([]contracts.Player{}, players...),
		Sources:     sources,
	}
	if u := w.Usage(now); u.Lifetime != (contracts.UsageTotal{}) {
		s.Usage = &u
	}
	turns := w.openTurns()
	for _, a := range w.s.Agents {
		row := w.agentRow(a, now)
		row.Turns, row.Controls = turns[a.AgentID], sources.Obeyed(&a.AgentProfile)
		s.Agents = append(s.Agents, row)
	}
	for _, p := range w.s.Projects {
		row := w.ProjectRow(p)
		row.Request = contracts.Clip(row.Request, contracts.LimitSnapshotText)
		row.Constraints, row.Attachments, row.Accept = nil, nil, nil
		s.Projects = append(s.Projects, row)
	}
	for _, t := range w.s.Tasks {
		row := w.TaskRow(t)
		row.Description = contracts.Clip(row.Description, contracts.LimitSnapshotText)
		clipChecks(&row)
		s.Tasks = append(s.Tasks, row)
	}
	for _, a := range w.s.Artifacts {
		s.Artifacts = append(s.Artifacts, *a)
	}
	for _, d := range w.s.Decisions {
		s.Decisions = append(s.Decisions, *d)
	}
	return s
}

// clipChecks shortens the commands of a task's checks, and the reasons given for checks that did
// not run.
func clipChecks(row *contracts.Task) {
	if row.Worktree == nil {
		return
	}
	tree := *row.Worktree
	tree.Checks = slices.Clone(tree.Checks)
	for i := range tree.Checks {
		tree.Checks[i].Command = contracts.Clip(tree.Checks[i].Command, contracts.LimitSnapshotText)
	}
	row.Worktree = &tree
	for i := range row.Checks {
		row.Checks[i].Command = contracts.Clip(row.Checks[i].Command, contracts.LimitSnapshotText)
		row.Checks[i].Reason = contracts.Clip(row.Checks[i].Reason, contracts.LimitSnapshotText)
	}
}

func (w *World) openTurns() map[string][]contracts.OpenTurn {
	rows := map[string][]contracts.OpenTurn{}
	for _, t := range w.s.Turns {
		row := contracts.OpenTurn{TurnID: t.ID, Session: t.Session, Origin: t.Origin, TaskID: t.TaskID, Label: t.Label, Since: t.TS}
		for _, c := range newest(t.Calls, contracts.LimitShownCalls) {
			row.Calls = append(row.Calls, contracts.OpenCall{CallID: c.ID, Tool: c.Tool, Label: c.Label, Since: c.TS})
		}
		for _, d := range w.TurnAsks(t.AgentID, t.ID) {
			row.DecisionIDs = append(row.DecisionIDs, d.DecisionID)
		}
		rows[t.AgentID] = newest(append(rows[t.AgentID], row), contracts.LimitShownTurns)
	}
	return rows
}

func newest[T any](rows []T, limit int) []T { return rows[max(0, len(rows)-limit):] }

// ProjectRow returns a project with its derived status.
func (w *World) ProjectRow(p *Project) contracts.Project {
	row := p.Project
	row.Status = w.Status(p)
	return row
}

func (w *World) agentRow(a *Agent, now int64) contracts.Agent {
	pos, facing := w.Pos(a, now)
	row := contracts.Agent{
		AgentProfile: a.AgentProfile,
		State:        a.Goal.State,
		Pos:          round(pos),
		Facing:       round(facing),
		Goal:         a.Goal.Goal,
		TaskID:       a.TaskID,
		StatusLine:   a.StatusLine,
		Why:          a.Goal.Why,
		NodeSeq:      a.NodeSeq,
	}
	row.NeedsYou, row.Checked = w.Asks(a), a.checked(a.Impacts.Edit)
	row.Usage, row.Context = w.usageOf(a.AgentID), a.Context
	if s := a.Status; s != nil && a.Guest() { // a crew member's activity is in its goal
		row.Activity, row.Authority, row.Since, row.Why, row.Said = s.Activity, s.Authority, s.Since, s.Why, s.Said
	}
	return row
}

// round rounds to millimetres, because more digits would only make messages longer.
func round(v contracts.Vec3) contracts.Vec3 {
	for i, x := range v {
		if x < 0 {
			v[i] = float64(int64(x*1000-0.5)) / 1000
		} else {
			v[i] = float64(int64(x*1000+0.5)) / 1000
		}
	}
	return v
}
