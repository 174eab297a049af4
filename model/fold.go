package model

import (
	"cmp"
	"slices"

	"github.com/bullpen-office/bullpen/contracts"
)

// These functions apply events to the rows that viewers see, with the same rules as the server's
// fold (world/apply*.go). References to unknown rows are ignored, because the next snapshot has
// those rows.

// foldEvent applies one timeline event.
func (r *Rows) foldEvent(e *contracts.Event, ts int64) {
	touched := cmp.Or(r.apply(e, ts), e.ProjectID)
	if p := r.Project(e.ProjectID); p != nil && !datesNoProject[e.Name] {
		p.UpdatedAt = ts
	}
	r.deriveStatus(touched, e.Name)
	r.deriveNeeds()
}

// datesNoProject lists the events that do not change their project's UpdatedAt: events about a
// task, a decision or an artifact.
var datesNoProject = map[contracts.EventName]bool{
	contracts.EventTaskAssigned: true, contracts.EventTaskStarted: true, contracts.EventTaskProgress: true, contracts.EventTaskBlocked: true,
	contracts.EventTaskDone: true, contracts.EventTaskCancelled: true, contracts.EventDecisionRequested: true, contracts.EventDecisionResolved: true,
	contracts.EventDecisionCancelled: true, contracts.EventArtifactCreated: true, contracts.EventArtifactDelivered: true,
	contracts.EventReviewRequested: true, contracts.EventReviewApproved: true, contracts.EventReviewChangesRequested: true,
	contracts.EventTaskPrepared: true, contracts.EventCheckFinished: true, contracts.EventTaskTreeChanged: true, contracts.EventTaskLanded: true,
	contracts.EventReviewAssigned: true, contracts.EventReviewCommented: true, contracts.EventReviewFailed: true,
	contracts.EventLandingRequested: true, contracts.EventLandingChecked: true, contracts.EventLandingOpened: true, contracts.EventLandingFailed: true,
}

// apply folds an event. It returns the project whose status may change, if that is not the event's
// own project.
func (r *Rows) apply(e *contracts.Event, ts int64) (project string) {
	switch e.Name {
	case contracts.EventOfficeCreated, contracts.EventAgentJoined:
		r.foldProfiles(e.Agents)
	case contracts.EventAgentStatus:
		r.foldStatus(e.Status)
	case contracts.EventAgentLeft:
		r.Agents = slices.DeleteFunc(r.Agents, func(a contracts.Agent) bool { return a.AgentID == e.AgentID })
	case contracts.EventUsageReported:
		r.foldUsage(e, ts)
	case contracts.EventRoomOpened, contracts.EventRoomChanged:
		if e.Room != nil {
			r.Rooms = put(r.Rooms, *e.Room, roomID)
		}
	case contracts.EventRoomClosed:
		r.foldRoomClosed(e.RoomID)
	case contracts.EventRepoAdded:
		if e.Repo != nil {
			r.Repos = put(r.Repos, *e.Repo, repoName)
		}
	case contracts.EventRepoRemoved:
		if e.Repo != nil {
			r.Repos = slices.DeleteFunc(r.Repos, func(o contracts.Repo) bool { return o.Name == e.Repo.Name })
		}
	case contracts.EventRequestSubmitted:
		if e.Project != nil {
			row := *e.Project
			row.CreatedAt, row.UpdatedAt = ts, ts
			r.Projects = put(r.Projects, row, projectID)
		}
	case contracts.EventTasksCreated:
		for _, row := range e.Tasks {
			row.CreatedAt, row.UpdatedAt = ts, ts
			r.Tasks = put(r.Tasks, row, taskID)
		}
	case contracts.EventProjectPaused:
		if p := r.Project(e.ProjectID); p != nil {
			p.Status = contracts.ProjectPaused
		}
	case contracts.EventProjectCompleted:
		if e.Decor != nil {
			r.Decor = put(r.Decor, *e.Decor, decorID)
		}
	case contracts.EventProjectArchived:
		r.foldArchived(e.ProjectID)
	case contracts.EventDecisionRequested, contracts.EventDecisionResolved, contracts.EventDecisionCancelled:
		return r.foldDecision(e, ts)
	case contracts.EventArtifactCreated, contracts.EventArtifactDelivered, contracts.EventReviewRequested,
		contracts.EventReviewApproved, contracts.EventReviewChangesRequested:
		return r.foldArtifact(e, ts)
	case contracts.EventReviewAssigned, contracts.EventReviewCommented, contracts.EventReviewFailed:
		r.foldReview(e)
	default:
		return r.foldTask(e, ts)
	}
	return ""
}

// foldProfiles adds agents or updates them. A new profile replaces the old one completely; the
// agent's activity is kept.
func (r *Rows) foldProfiles(profiles []contracts.AgentProfile) {
	for _, p := range profiles {
		row := contracts.Agent{State: contracts.StateOffline}
		if known := r.Agent(p.AgentID); known != nil {
			row = *known
		}
		if p.Controls == nil {
			p.Controls = row.Controls // recorded profiles may lack controls; for a new agent the next snapshot has them
		}
		row.AgentProfile = p
		r.Agents = put(r.Agents, row, agentID)
	}
}

// foldRoomClosed removes a room and moves its agents to the house.
func (r *Rows) foldRoomClosed(id string) {
	r.Rooms = slices.DeleteFunc(r.Rooms, func(room contracts.Room) bool { return room.RoomID == id })
	for i := range r.Agents {
		if r.Agents[i].RoomID == id {
			r.Agents[i].RoomID, r.Agents[i].SeatID = House, ""
		}
	}
}

func (r *Rows) foldArchived(id string) {
	r.Projects = slices.DeleteFunc(r.Projects, func(p contracts.Project) bool { return p.ProjectID == id })
	r.Tasks = slices.DeleteFunc(r.Tasks, func(t contracts.Task) bool { return t.ProjectID == id })
	r.Decisions = slices.DeleteFunc(r.Decisions, func(d contracts.Decision) bool { return d.ProjectID == id })
	r.Artifacts = slices.DeleteFunc(r.Artifacts, func(a contracts.Artifact) bool { return a.ProjectID == id })
}

// foldTask applies an event about one task, and returns the project whose status may change, if
// any.
func (r *Rows) foldTask(e *contracts.Event, ts int64) string {
	task := r.Task(e.TaskID)
	if task == nil {
		return ""
	}
	switch e.Name {
	case contracts.EventTaskAssigned:
		agent := r.Agent(e.AgentID)
		if agent == nil {
			return ""
		}
		r.release(task)
		agent.TaskID = task.TaskID
		task.Assignee = e.AgentID
		if p := r.Project(task.ProjectID); p != nil && e.Auto {
			p.AutoAssign = true
		}
	case contracts.EventTaskStarted:
		task.Status, task.Attempt, task.Percent, task.BlockedReason = contracts.TaskInProgress, e.Attempt, 0, ""
	case contracts.EventTaskProgress:
		if agent := r.Agent(task.Assignee); agent != nil {
			agent.StatusLine = e.PreviewText
		}
		task.Percent = e.Percent
	case contracts.EventTaskBlocked:
		task.Status, task.BlockedReason = contracts.TaskBlocked, e.Reason
	case contracts.EventTaskDone:
		r.release(task)
		task.Status, task.Percent = contracts.TaskDone, 100
	case contracts.EventTaskCancelled:
		r.release(task)
		r.supersede(task.TaskID)
		task.Status = contracts.TaskCancelled
	default:
		return ""
	}
	task.UpdatedAt = ts
	return task.ProjectID
}

// supersede marks the unapproved versions of a cancelled task's deliverables as superseded.
func (r *Rows) supersede(task string) {
	for i := range r.Artifacts {
		a := &r.Artifacts[i]
		if a.TaskID != task {
			continue
		}
		switch a.Status {
		case contracts.ArtifactCreated, contracts.ArtifactDelivered, contracts.ArtifactInReview, contracts.ArtifactChangesRequested:
			a.Status = contracts.ArtifactSuperseded
		}
	}
}

// release frees the agent that is working on the task.
func (r *Rows) release(task *contracts.Task) {
	if agent := r.Agent(task.Assignee); agent != nil && agent.TaskID == task.TaskID {
		agent.TaskID, agent.StatusLine = "", ""
	}
}

// deriveStatus derives a project's status from its tasks, unless the project is still being planned
// or is paused.
func (r *Rows) deriveStatus(id string, because contracts.EventName) {
	p := r.Project(id)
	if p == nil || because == contracts.EventRequestSubmitted {
		return
	}
	p.Status = r.statusOf(p, because)
}

func (r *Rows) statusOf(p *contracts.Project, because contracts.EventName) contracts.ProjectStatus {
	tasks, open, blocked, running := 0, 0, 0, 0
	for i := range r.Tasks {
		t := &r.Tasks[i]
		if t.ProjectID != p.ProjectID {
			continue
		}
		tasks++
		if t.Status.Final() {
			continue
		}
		open++
		switch t.Status {
		case contracts.TaskBlocked:
			blocked++
		case contracts.TaskInProgress:
			running++
		}
	}
	switch {
	case p.Status == contracts.ProjectPaused && because != contracts.EventProjectResumed:
		return contracts.ProjectPaused
	case p.Status == contracts.ProjectPlanning && because != contracts.EventKickoffFinished:
		return contracts.ProjectPlanning
	case because == contracts.EventProjectResumed && tasks == 0:
		return contracts.ProjectPlanning
	case open == 0:
		return contracts.ProjectCompleted
	case blocked > 0 && running == 0:
		return contracts.ProjectBlocked
	}
	return contracts.ProjectExecuting
}

// deriveNeeds marks the agents that are waiting for a person: those whose task has an unanswered
// question, and those with an unanswered question that belongs to no project.
func (r *Rows) deriveNeeds() {
	tasks, outsiders := map[string]bool{}, map[string]bool{}
	for i := range r.Decisions {
		d := &r.Decisions[i]
		if !d.Asks() {
			continue
		}
		tasks[d.TaskID] = true
		if d.ProjectID == "" {
			outsiders[d.AskedBy] = true
		}
	}
	for i := range r.Agents {
		a := &r.Agents[i]
		a.NeedsYou = (a.TaskID != "" && tasks[a.TaskID]) || outsiders[a.AgentID]
	}
}
