package world

import (
	"iter"
	"slices"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/world/scene"
)

// Seq returns the seq of the last folded record.
func (w *World) Seq() uint64 { return w.s.Seq }

// TS returns the time of the last folded record, in Unix milliseconds.
func (w *World) TS() int64 { return w.s.TS }

// OfficeID returns the id of the ledger that the office was created in.
func (w *World) OfficeID() string { return w.s.OfficeID }

// Scene returns the room that the world was created with or, while other rooms are open, the whole
// campus.
func (w *World) Scene() *scene.Scene { return w.sc }

// Made returns the number of ids of each kind that have been created.
func (w *World) Made() Counters { return w.s.Made }

// Agents returns the agents in the order they joined. The rows belong to the world and must not be
// changed; the same applies to the rows that other methods return.
func (w *World) Agents() []*Agent { return w.s.Agents }

// Projects returns the projects that are not archived.
func (w *World) Projects() []*Project { return w.s.Projects }

// Tasks returns the tasks of all live projects.
func (w *World) Tasks() []*Task { return w.s.Tasks }

// Decisions returns the decisions of all live projects, and those that belong to no project.
func (w *World) Decisions() []*contracts.Decision { return w.s.Decisions }

// Rules returns the rules that people added in the inbox, oldest first.
func (w *World) Rules() []contracts.AddedRule { return w.s.Rules }

// Artifacts returns the artifacts of all live projects, in every version.
func (w *World) Artifacts() []*contracts.Artifact { return w.s.Artifacts }

// Decor returns the trophies in the room.
func (w *World) Decor() []contracts.Decor { return w.s.Decor }

// Agent returns the agent with the given id, or nil if there is none. The other methods that find a
// row also return nil if there is none.
func (w *World) Agent(id string) *Agent { return w.agents[id] }

// Project returns the live project with the given id.
func (w *World) Project(id string) *Project { return w.projects[id] }

// Task returns the task with the given id, if its project is live.
func (w *World) Task(id string) *Task { return w.tasks[id] }

// Decision returns the decision with the given id, if the decision belongs to a live project or to
// no project.
func (w *World) Decision(id string) *contracts.Decision { return w.decisions[id] }

// Artifact returns the artifact with the given id, if its project is live.
func (w *World) Artifact(id string) *contracts.Artifact { return w.artifacts[id] }

// ProjectTasks iterates over a project's tasks in order of creation.
func (w *World) ProjectTasks(projectID string) iter.Seq[*Task] {
	return func(yield func(*Task) bool) {
		for _, t := range w.s.Tasks {
			if t.ProjectID == projectID && !yield(t) {
				return
			}
		}
	}
}

// TaskArtifacts returns a task's artifacts that have one of the given statuses, oldest first.
func (w *World) TaskArtifacts(taskID string, in ...contracts.ArtifactStatus) []*contracts.Artifact {
	var out []*contracts.Artifact
	for _, a := range w.s.Artifacts {
		if a.TaskID == taskID && slices.Contains(in, a.Status) {
			out = append(out, a)
		}
	}
	return out
}

// OpenDecision returns the decision that a task is waiting for, or nil if there is none.
func (w *World) OpenDecision(taskID string) *contracts.Decision {
	for _, d := range w.s.Decisions {
		if d.TaskID == taskID && d.Status == contracts.DecisionOpen {
			return d
		}
	}
	return nil
}

// Meeting returns the project whose kickoff is running, or nil if the table is free.
func (w *World) Meeting() *Project {
	for _, p := range w.s.Projects {
		if p.Kickoff == KickoffRunning {
			return p
		}
	}
	return nil
}

// InMeeting reports whether an agent is a participant in the current kickoff.
func (w *World) InMeeting(agentID string) bool {
	p := w.Meeting()
	return p != nil && slices.Contains(p.Participants, agentID)
}

// Free reports whether a crew member has no task, is not in a meeting and is not offline. A guest
// is never free.
func (w *World) Free(a *Agent) bool {
	return !a.Guest() && a.TaskID == "" && a.Goal.State != contracts.StateOffline && !w.InMeeting(a.AgentID)
}

// Unanswered returns the number of people's messages that are waiting for an answer.
func (w *World) Unanswered() int { return len(w.s.PendingChats) }

// PendingGuestChats returns the unanswered messages to guests, oldest first, including messages to
// guests that have left.
func (w *World) PendingGuestChats() []PendingChat {
	var out []PendingChat
	for _, c := range w.s.PendingChats {
		if a := w.agents[c.Chat.To]; a == nil || a.Guest() {
			out = append(out, c)
		}
	}
	return out
}

// PendingChats returns the messages that are waiting for an agent's answer, oldest first.
func (w *World) PendingChats(agentID string) []PendingChat {
	var out []PendingChat
	for _, c := range w.s.PendingChats {
		if c.Chat.To == agentID {
			out = append(out, c)
		}
	}
	return out
}

// UnansweredChat returns a person's unanswered message by its seq, or false if it was answered or
// does not exist.
func (w *World) UnansweredChat(seq uint64) (contracts.Chat, bool) {
	for _, c := range w.s.PendingChats {
		if c.Seq == seq {
			return c.Chat, true
		}
	}
	return contracts.Chat{}, false
}

// Pos returns an agent's position and facing at the time now.
func (w *World) Pos(a *Agent, now int64) (pos, facing contracts.Vec3) {
	g := &a.Goal
	pos, heading, arrived := scene.Position(g.Path, g.SpeedMPS, g.StartedAt, now)
	if arrived || !g.Goal.Kind.Moves() {
		return pos, g.Facing
	}
	return pos, heading
}

// ArrivesAt returns when a walking agent arrives; ok is false if the agent is not walking.
func (w *World) ArrivesAt(a *Agent) (at int64, ok bool) {
	g := &a.Goal
	if !g.Goal.Kind.Moves() {
		return 0, false
	}
	return g.StartedAt + int64(scene.Length(g.Path)/g.SpeedMPS*1000) + 1, true
}

// BookedBy returns the agent that is sitting at an anchor or on its way there, or nil if the anchor
// is free.
func (w *World) BookedBy(anchorID string) *Agent {
	for _, a := range w.s.Agents {
		if a.Goal.Goal.AnchorID == anchorID {
			return a
		}
	}
	return nil
}

// Destination returns the point where an agent's path ends.
func (a *Agent) Destination() contracts.Vec3 {
	if n := len(a.Goal.Path); n > 0 {
		return a.Goal.Path[n-1]
	}
	return contracts.Vec3{}
}

// Status returns a project's status. It depends on the project's kickoff and tasks.
func (w *World) Status(p *Project) contracts.ProjectStatus {
	switch {
	case p.ArchivedAt != 0:
		return contracts.ProjectArchived
	case p.Paused:
		return contracts.ProjectPaused
	case p.Kickoff != KickoffOver:
		return contracts.ProjectPlanning
	}
	var open, blocked, running int
	for t := range w.ProjectTasks(p.ProjectID) {
		switch {
		case t.Status.Final():
			continue
		case t.Status == contracts.TaskBlocked:
			blocked++
		case t.Status == contracts.TaskInProgress:
			running++
		}
		open++
	}
	switch {
	case open == 0:
		return contracts.ProjectCompleted
	case blocked > 0 && running == 0:
		return contracts.ProjectBlocked
	}
	return contracts.ProjectExecuting
}
