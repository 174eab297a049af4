package model

import (
	"slices"

	"github.com/bullpen-office/bullpen/contracts"
)

// Rows contains the rows of the world; each list is in order of creation. Lists and pointers inside
// a row may be shared between copies, so they are replaced, never changed in place.
type Rows struct {
	Agents    []contracts.Agent
	Projects  []contracts.Project
	Tasks     []contracts.Task
	Artifacts []contracts.Artifact
	Decisions []contracts.Decision
	Decor     []contracts.Decor
	Rooms     []contracts.Room // rooms next to the house, in opening order
	Repos     []contracts.Repo
	Players   []contracts.Player
	Usage     *contracts.OfficeUsage // nil before the first report
	Sources   contracts.Sources      // where agents come from
}

// clone returns a copy that can be changed without affecting r.
func (r *Rows) clone() Rows {
	return Rows{
		Agents: slices.Clone(r.Agents), Projects: slices.Clone(r.Projects), Tasks: slices.Clone(r.Tasks), Artifacts: slices.Clone(r.Artifacts),
		Decisions: slices.Clone(r.Decisions), Decor: slices.Clone(r.Decor), Rooms: slices.Clone(r.Rooms), Repos: slices.Clone(r.Repos), Players: slices.Clone(r.Players), Usage: r.Usage, Sources: r.Sources,
	}
}

func agentID(a *contracts.Agent) string       { return a.AgentID }
func projectID(p *contracts.Project) string   { return p.ProjectID }
func taskID(t *contracts.Task) string         { return t.TaskID }
func artifactID(a *contracts.Artifact) string { return a.ArtifactID }
func decisionID(d *contracts.Decision) string { return d.DecisionID }
func decorID(d *contracts.Decor) string       { return d.DecorID }
func roomID(m *contracts.Room) string         { return m.RoomID }
func repoName(r *contracts.Repo) string       { return r.Name }
func playerID(p *contracts.Player) string     { return p.PlayerID }

// find returns the row with the given id, or nil if there is none.
func find[T any](list []T, id string, idOf func(*T) string) *T {
	if id == "" {
		return nil
	}
	for i := range list {
		if idOf(&list[i]) == id {
			return &list[i]
		}
	}
	return nil
}

// put adds a row, or replaces the row with the same id.
func put[T any](list []T, row T, idOf func(*T) string) []T {
	if old := find(list, idOf(&row), idOf); old != nil {
		*old = row
		return list
	}
	return append(list, row)
}

// Agent returns the agent with the given id, or nil if there is none.
func (r *Rows) Agent(id string) *contracts.Agent { return find(r.Agents, id, agentID) }

// Project returns the project with the given id, or nil if there is no such live project.
func (r *Rows) Project(id string) *contracts.Project { return find(r.Projects, id, projectID) }

// Task returns the task with the given id, or nil if there is no such task in a live project.
func (r *Rows) Task(id string) *contracts.Task { return find(r.Tasks, id, taskID) }

// Artifact returns the version of a deliverable with the given id, or nil if there is none in a
// live project.
func (r *Rows) Artifact(id string) *contracts.Artifact { return find(r.Artifacts, id, artifactID) }

// Decision returns the decision with the given id, or nil if it is unknown or no longer kept.
func (r *Rows) Decision(id string) *contracts.Decision { return find(r.Decisions, id, decisionID) }

// Room returns the open room with the given id, or nil if there is none.
func (r *Rows) Room(id string) *contracts.Room { return find(r.Rooms, id, roomID) }

// RoomLabel returns the text on a room's sign, or "" for the house and for rooms that are not open.
func (r *Rows) RoomLabel(id string) string {
	if room := r.Room(id); room != nil {
		return room.Label
	}
	return ""
}

// Name returns an agent's name; an unknown id is returned unchanged.
func (r *Rows) Name(id string) string {
	if a := r.Agent(id); a != nil && a.Name != "" {
		return a.Name
	}
	return id
}
