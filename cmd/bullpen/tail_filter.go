package main

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"

	office "github.com/bullpen-office/bullpen/client"
	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/model"
)

// tailFilter selects messages, and learns the names of agents from them.
type tailFilter struct {
	agents, projects []string
	rooms            []string          // the selected rooms
	inside           map[string]bool   // whether an agent was in a selected room when tail started, or has joined one since
	names            map[string]string // agents' names, by id
	tasks            map[string]contracts.Task
	unknown          []string // errors for agents and projects that are not in the office
	audit            bool     // only events that record who did something
	skipDuplicates   bool     // skip workflow events that also appear as activity
}

func newTailFilter(ctx context.Context, c *client, o *tailOptions) (*tailFilter, error) {
	f := &tailFilter{projects: o.projects, audit: o.audit, names: map[string]string{}, inside: map[string]bool{}, tasks: map[string]contracts.Task{}}
	var state contracts.Snapshot
	if err := c.get(ctx, "/v1/state", &state); err != nil {
		return nil, err
	}
	if len(o.studios) > 0 {
		var err error
		if f.rooms, err = studioIDs(state.Rooms, o.studios); err != nil {
			return nil, err
		}
	}
	for _, a := range state.Agents {
		f.names[a.AgentID] = a.Name
		f.inside[a.AgentID] = slices.Contains(f.rooms, a.RoomID)
	}
	for _, t := range state.Tasks {
		f.tasks[t.TaskID] = t
	}
	var refs []agentRef
	for _, a := range state.Agents {
		refs = append(refs, agentRef{a.AgentID, a.Name})
	}
	for _, wanted := range o.agents {
		f.agents = append(f.agents, f.agentIDs(wanted, refs)...)
	}
	known := ids(state.Projects, func(p contracts.Project) string { return p.ProjectID })
	for _, wanted := range o.projects {
		if !slices.Contains(known, wanted) {
			f.unknown = append(f.unknown, noRow("project", wanted, "known", known).Error())
		}
	}
	return f, nil
}

// unknownError returns an error for unknown agents and projects, or nil if all are known.
func (f *tailFilter) unknownError() error {
	if len(f.unknown) == 0 {
		return nil
	}
	return &exitError{code: exitRefused, err: errors.New(strings.Join(f.unknown, "; "))}
}

// agentIDs returns the ids of all agents with this id or name. If no such agent is in the office,
// it adds a message to unknown and returns the id that the name would get, because the agent may
// have left or may join later.
func (f *tailFilter) agentIDs(wanted string, refs []agentRef) (ids []string) {
	for _, r := range refs {
		if r.id == wanted || strings.EqualFold(r.name, wanted) {
			ids = append(ids, r.id)
		}
	}
	if len(ids) == 0 {
		ids = []string{contracts.AgentIDOf(wanted)}
		f.unknown = append(f.unknown, noAgent(wanted, refs))
	}
	return ids
}

// involved decodes the agents and projects that a message of any kind refers to.
type involved struct {
	By           string                   `json:"by"`
	AgentID      string                   `json:"agent_id"`
	FromAgentID  string                   `json:"from_agent_id"`
	From         string                   `json:"from"`
	To           string                   `json:"to"`
	Participants []string                 `json:"participants"`
	ProjectID    string                   `json:"project_id"`
	TaskID       string                   `json:"task_id"`
	Tasks        []contracts.Task         `json:"tasks"`
	Decision     *contracts.Decision      `json:"decision"`
	Artifact     *contracts.Artifact      `json:"artifact"`
	Agents       []contracts.AgentProfile `json:"agents"`
	Room         *contracts.Room          `json:"room"`
	RoomID       string                   `json:"room_id"`
}

// shownTwice reports whether another message also shows this workflow event. This is the case for
// tool calls, their results and questions.
func shownTwice(e *office.Message) bool {
	var u contracts.UI
	if contracts.Kind(e.Type) != contracts.KindUI || json.Unmarshal(e.Payload, &u) != nil || u.Ignored != "" {
		return false
	}
	return u.Kind == contracts.UIToolCall || u.Kind == contracts.UIToolResult || u.Kind == contracts.UIAsk
}

// wants reports whether to show a message, and remembers the names in it.
func (f *tailFilter) wants(e *office.Message) bool {
	if f.skipDuplicates && shownTwice(e) {
		return false
	}
	var in involved
	if json.Unmarshal(e.Payload, &in) != nil {
		return len(f.agents)+len(f.projects)+len(f.rooms) == 0 && !f.audit
	}
	for _, a := range in.Agents {
		f.names[a.AgentID] = a.Name
		if a.RoomID != model.House && slices.Contains(f.rooms, a.RoomID) {
			f.inside[a.AgentID] = true
		}
	}
	for _, t := range in.Tasks {
		f.tasks[t.TaskID] = t
	}
	return (in.By != "" || !f.audit) && (len(f.agents) == 0 || slices.ContainsFunc(in.agentIDs(), func(id string) bool { return slices.Contains(f.agents, id) })) &&
		(len(f.projects) == 0 || slices.Contains(f.projects, f.project(&in))) && (len(f.rooms) == 0 || f.inRooms(&in))
}

// inRooms reports whether a message is about a selected room or about an agent in one.
func (f *tailFilter) inRooms(in *involved) bool {
	room := in.RoomID
	if in.Room != nil {
		room = in.Room.RoomID
	}
	return room != "" && slices.Contains(f.rooms, room) || slices.ContainsFunc(in.agentIDs(), func(id string) bool { return f.inside[id] })
}

func (in *involved) agentIDs() []string {
	ids := append([]string{in.AgentID, in.FromAgentID, in.From, in.To}, in.Participants...)
	if in.Decision != nil {
		ids = append(ids, in.Decision.AskedBy)
	}
	if in.Artifact != nil {
		ids = append(ids, in.Artifact.CreatedBy)
	}
	for _, a := range in.Agents {
		ids = append(ids, a.AgentID)
	}
	return ids
}

func (f *tailFilter) project(in *involved) string {
	if in.ProjectID != "" {
		return in.ProjectID
	}
	return f.tasks[in.TaskID].ProjectID
}
