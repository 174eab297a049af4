package world

import (
	"cmp"
	"fmt"

	"github.com/bullpen-office/bullpen/contracts"
)

// Work returns everything that a runner should be doing now, oldest first. The list depends only on
// the world, so a restart resumes the work that was in progress.
func (w *World) Work() []contracts.Work {
	var out []contracts.Work
	for _, p := range w.s.Projects {
		if p.Kickoff == KickoffRunning && p.Proposal == nil && !p.Paused {
			out = append(out, contracts.Work{Key: w.keyOf("plan:"+p.ProjectID, contracts.AgentBD), AgentID: contracts.AgentBD, Runner: w.runnerOf(contracts.AgentBD), Session: w.sessionOf(contracts.AgentBD), Project: w.ProjectRow(p), Repo: w.repoOf(p), Plan: true})
		}
	}
	for _, t := range w.s.Tasks {
		if w.running(t) {
			out = append(out, w.taskWork(t))
		}
	}
	out = append(out, w.reviewWork()...)
	for _, c := range w.s.PendingChats {
		if a := w.agents[c.Chat.To]; a == nil || a.Guest() { // the guest's source delivers it
			continue
		}
		out = append(out, contracts.Work{
			Key: w.keyOf(fmt.Sprintf("chat:%d:%s", c.Seq, c.Chat.To), c.Chat.To), AgentID: c.Chat.To, Runner: w.runnerOf(c.Chat.To), Session: w.sessionOf(c.Chat.To),
			Chat: &contracts.ChatWork{Seq: c.Seq, Chat: c.Chat, Summary: w.Summary()},
		})
	}
	return out
}

// repoOf returns a copy of the project's repository, or nil if the project has none or the
// repository was removed.
func (w *World) repoOf(p *Project) *contracts.Repo {
	r := w.Repo(p.Repo)
	if r == nil {
		return nil
	}
	row := *r
	return &row
}

func (w *World) running(t *Task) bool {
	if t.Status != contracts.TaskInProgress || w.projects[t.ProjectID].Paused {
		return false
	}
	return t.Run.Attempt == t.Attempt && (t.Run.Status == contracts.RunStarted || t.Run.Status == contracts.RunRunning)
}

func (w *World) taskWork(t *Task) contracts.Work {
	tw := &contracts.TaskWork{Task: w.TaskRow(t), RunID: t.Run.RunID, Instructions: t.Instructions}
	for _, d := range w.s.Decisions {
		if d.TaskID == t.TaskID && d.Status == contracts.DecisionResolved && d.Kind == contracts.DecisionQuestion {
			tw.Answers = append(tw.Answers, *d)
		}
	}
	for _, a := range w.s.Artifacts {
		switch {
		case a.TaskID == t.TaskID && a.Status == contracts.ArtifactChangesRequested:
			tw.Previous = append(tw.Previous, *a)
		case a.ProjectID == t.ProjectID && a.TaskID != t.TaskID && a.Status != contracts.ArtifactSuperseded:
			tw.Siblings = append(tw.Siblings, *a)
		}
	}
	p := w.projects[t.ProjectID]
	return contracts.Work{
		Key:     fmt.Sprintf("task:%s:%d:%d", t.TaskID, t.Attempt, len(tw.Answers)),
		AgentID: t.Assignee,
		Runner:  w.runnerOf(t.Assignee),
		Session: w.sessionOf(t.Assignee),
		Project: w.ProjectRow(p),
		Repo:    w.repoOf(p),
		Task:    tw,
	}
}

// Summary returns a short overview of the projects, as context for an agent that answers a chat.
func (w *World) Summary() contracts.OfficeSummary {
	s := contracts.OfficeSummary{}
	for _, p := range w.s.Projects {
		row := contracts.ProjectSummary{ProjectID: p.ProjectID, Title: p.Title, Status: w.Status(p)}
		for t := range w.ProjectTasks(p.ProjectID) {
			row.Total++
			switch t.Status {
			case contracts.TaskDone:
				row.Done++
			case contracts.TaskInProgress:
				row.Active = append(row.Active, fmt.Sprintf("%s: %s (%d%%)", w.nameOf(t.Assignee), t.Title, t.Percent))
			}
		}
		s.Projects = append(s.Projects, row)
	}
	for _, d := range w.s.Decisions {
		if d.Asks() {
			s.Decisions = append(s.Decisions, fmt.Sprintf("%s asks: %s (%s)", cmp.Or(w.nameOf(d.AskedBy), "a script"), d.Prompt, d.DecisionID))
		}
	}
	for _, a := range w.s.Artifacts {
		if a.Status == contracts.ArtifactInReview {
			s.Reviews = append(s.Reviews, fmt.Sprintf("%s, version %d (%s)", a.Title, a.Version, a.ArtifactID))
		}
	}
	return s
}

func (w *World) runnerOf(agentID string) string {
	if a := w.agents[agentID]; a != nil {
		return a.Runner
	}
	return ""
}

// sessionOf returns the number of times an agent's session has been restarted.
func (w *World) sessionOf(agentID string) int {
	if a := w.agents[agentID]; a != nil {
		return a.Sessions
	}
	return 0
}

// keyOf returns the key of a piece of work. The key changes with each new session of the agent, so
// that the work restarts.
func (w *World) keyOf(key, agentID string) string {
	if n := w.sessionOf(agentID); n > 0 {
		return fmt.Sprintf("%s:%d", key, n)
	}
	return key
}

func (w *World) nameOf(agentID string) string {
	if a := w.agents[agentID]; a != nil {
		return a.Name
	}
	return agentID
}
