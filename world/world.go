package world

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"github.com/go-json-experiment/json"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/world/scene"
)

// StateVersion is the version of the encoded world. A checkpoint with a different version is
// ignored, and the ledger is folded from the beginning.
const StateVersion = 9

// World is the fold of the ledger. It is not safe for concurrent use.
type World struct {
	house        *scene.Scene
	cachedCampus *scene.Campus // the campus around the house; nil until it is needed
	sc           *scene.Scene  // the house with the open rooms
	s            state

	agents    map[string]*Agent
	projects  map[string]*Project
	tasks     map[string]*Task
	decisions map[string]*contracts.Decision
	artifacts map[string]*contracts.Artifact
	used      map[string]*AgentUsage
	turns     map[spanKey]*Turn
	calls     map[spanKey]*Call // calls outside any turn
	owners    map[string]*contracts.Owner
}

// state is everything that a checkpoint stores.
type state struct {
	Seq          uint64                `json:"seq"`
	TS           int64                 `json:"ts"`
	OfficeID     string                `json:"office_id"`
	Agents       []*Agent              `json:"agents"`
	Projects     []*Project            `json:"projects"`
	Tasks        []*Task               `json:"tasks"`
	Decisions    []*contracts.Decision `json:"decisions"`
	Artifacts    []*contracts.Artifact `json:"artifacts"`
	Decor        []contracts.Decor     `json:"decor"`
	PendingChats []PendingChat         `json:"unread"`
	Usage        usage                 `json:"usage"`
	Made         Counters              `json:"made"`
	Turns        []*Turn               `json:"turns"`
	Calls        []*Call               `json:"calls"`
	Owners       []*contracts.Owner    `json:"owners"`
	Rooms        []Room                `json:"rooms,omitzero"`
	PastRooms    []PastRoom            `json:"past_rooms,omitzero"`
	RoomsMade    int                   `json:"rooms_made,omitzero"`
	Rules        []contracts.AddedRule `json:"rules,omitzero"`
	Repos        []contracts.Repo      `json:"repos,omitzero"`

	Collisions []contracts.Collision `json:"collisions,omitzero"`
}

// Counters holds the last number that was used for each kind of id.
type Counters struct {
	Projects, Tasks, Decisions, Artifacts int
}

// Agent is an agent in the office, with its current goal.
type Agent struct {
	contracts.AgentProfile
	TaskID     string              `json:"task_id,omitzero"`
	StatusLine string              `json:"status_line,omitzero"`
	Goal       contracts.AgentGoal `json:"goal"`
	GoalTS     int64               `json:"goal_ts"`

	Sessions int `json:"sessions,omitzero"` // how many times the agent's session has been restarted

	Context int64 `json:"context,omitzero"` // tokens that the model read for the agent's last message

	Impacts Impacts `json:"impacts,omitzero"`

	// Status is the status of a guest. A crew member has a status only while it works for outside
	// callers.
	Status *contracts.AgentStatus `json:"status,omitzero"`

	// Set only for guests that a node watches.
	NodeSeq        uint64 `json:"node_seq,omitzero"`  // seq of the record with which the node began to watch the guest
	UnwatchedSince int64  `json:"unwatched,omitzero"` // when the node went down; 0 if the node is up
}

// Project is a request with the state of its kickoff.
type Project struct {
	contracts.Project
	Paused       bool                `json:"paused,omitzero"`
	Kickoff      KickoffPhase        `json:"kickoff,omitzero"`
	Participants []string            `json:"participants,omitzero"`
	Proposal     *contracts.Proposal `json:"proposal,omitzero"`
	CompletedAt  int64               `json:"completed_at,omitzero"`
}

// KickoffPhase is the progress of a project's kickoff.
type KickoffPhase int

// The phases of a kickoff.
const (
	KickoffWaiting KickoffPhase = iota
	KickoffRunning
	KickoffOver
)

// Task is a task with its latest run. The derived fields of contracts.Task are empty; see TaskRow.
type Task struct {
	contracts.Task
	Run          contracts.Run `json:"run"`
	Ready        bool          `json:"ready,omitzero"` // another attempt may start
	Instructions string        `json:"instructions,omitzero"`
	ProgressAt   int64         `json:"progress_at,omitzero"`

	// Workers are the agents that started an attempt at the task.
	Workers []string `json:"workers,omitzero"`

	// Results are the newest results of the task's checks, at most one for each check and tree.
	Results []contracts.CheckResult `json:"results,omitzero"`

	// UpdatedTree is the newest tree that the office created by merging new commits from the target
	// branch into the files to land.
	UpdatedTree string `json:"updated,omitzero"`

	// Returns is the number of times that failed checks of a pull request sent the finished task
	// back to its agent.
	Returns int `json:"returns,omitzero"`
}

// PendingChat is a person's unanswered message.
type PendingChat struct {
	Seq  uint64         `json:"seq"`
	Chat contracts.Chat `json:"chat"`
}

// New returns the world before its first record.
func New(house *scene.Scene) *World {
	w := &World{house: house, sc: house}
	w.reindex()
	return w
}

// Decode restores a world from the output of Encode.
func Decode(house *scene.Scene, encoded []byte) (*World, error) {
	w := &World{house: house}
	if err := w.decode(encoded); err != nil {
		return nil, err
	}
	if err := w.recompose(); err != nil {
		return nil, fmt.Errorf("restore rooms of world checkpoint: %w", err)
	}
	return w, nil
}

func (w *World) decode(encoded []byte) error {
	if err := json.Unmarshal(encoded, &w.s); err != nil {
		return fmt.Errorf("decode world checkpoint: %w", err)
	}
	w.reindex()
	return nil
}

// Encode returns the world as deterministic JSON, for a checkpoint or a hash.
func (w *World) Encode() ([]byte, error) {
	b, err := json.Marshal(&w.s, json.Deterministic(true))
	if err != nil {
		return nil, fmt.Errorf("encode world at %d: %w", w.s.Seq, err)
	}
	return b, nil
}

// Hash returns a hash that is equal for equal worlds, on every node and after every restart.
func (w *World) Hash() (string, error) {
	b, err := w.Encode()
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:]), nil
}

// Clone returns an independent copy that shares only the scene.
func (w *World) Clone() (*World, error) {
	b, err := w.Encode()
	if err != nil {
		return nil, err
	}
	clone := &World{house: w.house, sc: w.sc}
	if err := clone.decode(b); err != nil {
		return nil, err
	}
	return clone, nil
}

func (w *World) reindex() {
	w.agents = index(w.s.Agents, func(a *Agent) string { return a.AgentID })
	w.projects = index(w.s.Projects, func(p *Project) string { return p.ProjectID })
	w.tasks = index(w.s.Tasks, func(t *Task) string { return t.TaskID })
	w.decisions = index(w.s.Decisions, func(d *contracts.Decision) string { return d.DecisionID })
	w.used = index(w.s.Usage.Agents, func(u *AgentUsage) string { return u.AgentID })
	w.artifacts = index(w.s.Artifacts, func(a *contracts.Artifact) string { return a.ArtifactID })
	w.owners = index(w.s.Owners, func(o *contracts.Owner) string { return o.ID })
	w.reindexTurns()
}

func index[T any](rows []*T, id func(*T) string) map[string]*T {
	m := make(map[string]*T, len(rows))
	for _, r := range rows {
		m[id(r)] = r
	}
	return m
}
