package world

import (
	"errors"
	"slices"

	"github.com/bullpen-office/bullpen/contracts"
)

func (w *World) foldRequest(e *contracts.Event, ts int64) error {
	if e.Project == nil {
		return errors.New("request_submitted has no project")
	}
	p := &Project{Project: *e.Project}
	p.CreatedAt, p.UpdatedAt = ts, ts
	w.s.Projects = append(w.s.Projects, p)
	w.projects[p.ProjectID] = p
	w.s.Made.Projects++
	return nil
}

func (w *World) foldProject(e *contracts.Event, ts int64) error {
	p, err := find(w.projects, e.ProjectID)
	if err != nil {
		return err
	}
	p.UpdatedAt = ts
	switch e.Name {
	case contracts.EventKickoffStarted:
		p.Kickoff, p.Participants = KickoffRunning, e.Participants
	case contracts.EventTasksCreated:
		p.CompletedAt = 0
		for _, row := range e.Tasks {
			w.addTask(row, ts)
		}
	case contracts.EventKickoffFinished:
		p.Kickoff, p.Participants, p.Proposal = KickoffOver, nil, nil
	case contracts.EventProjectPaused:
		p.Paused = true
		if p.Kickoff == KickoffRunning { // free the table for others; resuming starts the meeting again
			p.Kickoff, p.Participants = KickoffWaiting, nil
		}
	case contracts.EventProjectResumed:
		p.Paused = false
	case contracts.EventProjectCompleted:
		p.CompletedAt = ts
		if e.Decor != nil {
			w.s.Decor = append(w.s.Decor, *e.Decor)
		}
	case contracts.EventProjectArchived:
		w.removeProject(p.ProjectID)
	}
	return nil
}

func (w *World) addTask(row contracts.Task, ts int64) {
	t := &Task{Task: row, Ready: true}
	t.CreatedAt, t.UpdatedAt = ts, ts
	w.s.Tasks = append(w.s.Tasks, t)
	w.tasks[t.TaskID] = t
	w.s.Made.Tasks++
}

func (w *World) removeProject(id string) {
	for t := range w.ProjectTasks(id) {
		w.dropCollisions(t.TaskID)
	}
	w.s.Projects = slices.DeleteFunc(w.s.Projects, func(p *Project) bool { return p.ProjectID == id })
	w.s.Tasks = slices.DeleteFunc(w.s.Tasks, func(t *Task) bool { return t.ProjectID == id })
	w.s.Decisions = slices.DeleteFunc(w.s.Decisions, func(d *contracts.Decision) bool { return d.ProjectID == id })
	w.s.Artifacts = slices.DeleteFunc(w.s.Artifacts, func(a *contracts.Artifact) bool { return a.ProjectID == id })
	w.reindex()
}
