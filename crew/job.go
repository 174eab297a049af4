package crew

import (
	"context"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/drive"
)

// Rehearsal is the name of the built-in runner. All work done by it is shown as a rehearsal.
const Rehearsal = contracts.RunnerRehearsal

// Worker is a runner's driver, with everything that its conversations need. Only Driver is
// required.
type Worker struct {
	Driver drive.Driver

	// Lenient makes the crew accept prose as one Markdown artifact if the second answer is invalid
	// too. Without Lenient, the task is blocked in that case.
	Lenient bool
	// Workspace returns the working directory of an agent; nil means that agents have none and
	// cannot deliver files.
	Workspace func(agentID string) (dir string, err error)
	// Acquire adds everything that a program needs, such as a credential, to spec. release is
	// called when the conversation is closed. A nil Acquire adds nothing.
	Acquire func(spec *drive.Spec) (release func(), err error)
}

// PlanJob asks an agent to plan a project's tasks.
type PlanJob struct {
	AgentID string
	Project contracts.Project
}

// Plan is a planner's answer: 1 to LimitTurnFollowUps tasks.
type Plan struct {
	Summary string                `json:"summary"`
	Tasks   []contracts.TaskDraft `json:"tasks"`
}

// TaskJob is one attempt at a task, with everything that the agent needs to know.
type TaskJob struct {
	AgentID string
	Project contracts.Project
	contracts.TaskWork

	// Read returns the content of one of the project's artifacts.
	Read func(ctx context.Context, a contracts.Artifact) (string, error)
}

// Result is the outcome of an attempt at a task: either Ask or Artifacts is set. For a task in a
// repository, both may be empty, because the changed files are delivered too.
type Result struct {
	Ask       *Ask                  `json:"ask,omitzero"`
	Artifacts []Artifact            `json:"artifacts,omitzero"`
	FollowUps []contracts.TaskDraft `json:"follow_ups,omitzero"`
}

// Ask is a question that only a person can answer.
type Ask struct {
	Prompt        string   `json:"prompt"`
	Options       []string `json:"options"`
	AllowFreeText bool     `json:"allow_free_text"`
}

// Artifact is a deliverable with its content.
type Artifact struct {
	Type    string `json:"type"` // plan, report, copy, brief, code, review …
	Title   string `json:"title"`
	MIME    string `json:"mime"`
	Content string `json:"content"`
}

// ChatJob is a message that is waiting for an agent's answer.
type ChatJob struct {
	AgentID string
	contracts.ChatWork
}

// Reply is an agent's answer to a message, with suggested actions shown as buttons.
type Reply struct {
	Text             string
	ProjectID        string
	SuggestedActions []contracts.SuggestedAction
}

// PlanOf returns the planning job in a prompt for an agent that accepts work items.
func PlanOf(p drive.Prompt) PlanJob {
	return PlanJob{AgentID: p.Work.AgentID, Project: p.Work.Project}
}

// TaskOf returns the task in a prompt for an agent that accepts work items.
func TaskOf(p drive.Prompt) TaskJob {
	return TaskJob{AgentID: p.Work.AgentID, Project: p.Work.Project, TaskWork: *p.Work.Task, Read: p.Read}
}

// ChatOf returns the chat message that a prompt asks an agent to answer. The agent must be one that
// accepts work items.
func ChatOf(p drive.Prompt) ChatJob {
	return ChatJob{AgentID: p.Work.AgentID, ChatWork: *p.Work.Chat}
}
