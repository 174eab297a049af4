package crew

import (
	"context"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/drive"
)

// Rehearsal is the name of the built-in runner. Everything that is done under
// this name is marked as a rehearsal wherever it is shown.
const Rehearsal = contracts.RunnerRehearsal

// Runner does the thinking and the making. Every worker behind the crew, the
// built-in one or a real model, keeps this promise:
//
//   - It is stateless between calls. All it may know is in the job; the same job
//     may be given again after a restart, and to another process.
//   - It returns soon after its context ends. What it returns then is dropped.
//   - It shows signs of life on the sink. A turn that shows none for the crew's
//     stall time is stopped and counts as broken.
//   - It calls the sink only until it returns; later calls do nothing.
//   - An error means that the turn broke. Its text is shown to people: it says
//     what happened and what to do. A panic is an error too.
//   - Results that exceed the limits of contracts are refused as a whole; the
//     turn then counts as broken.
//   - It may be called for several jobs at the same time.
type Runner interface {
	// Plan breaks a request into tasks, the most urgent first.
	Plan(ctx context.Context, job PlanJob, sink Sink) (Plan, error)

	// Work carries out one attempt at a task, or asks. A question ends the turn:
	// once it is answered, the same job is given again with the answer in Answers.
	Work(ctx context.Context, job TaskJob, sink Sink) (Result, error)

	// Chat answers one message.
	Chat(ctx context.Context, job ChatJob, sink Sink) (Reply, error)
}

// Sink shows what a turn does while it does it. It is safe for several
// goroutines, and it may block for as long as the office needs to take a fact.
type Sink interface {
	// Progress reports how far a task is, with a short and safe preview. Reports
	// that come too fast are thinned out; the last one wins.
	Progress(percent int, preview string)

	// Delta streams text as it comes into being. Kind is token, thought or code.
	Delta(kind, text string)

	// ToolStart reports a tool call. The returned function must be called with
	// the result; calls after the first do nothing.
	ToolStart(tool string, args any) (end func(result any))

	// Think reports a stretch of thinking until the returned function is called.
	Think() (end func())

	// Used reports everything that the turn has used so far; the last report counts,
	// also when the turn breaks. It may be an estimate until the source says more. A
	// turn that exceeds a budget is stopped by it.
	Used(u contracts.Usage)

	// Drive is the same sink for a runner whose worker is a program with tools of
	// its own: calls keep the program's ids, and a person can be asked whether one
	// may run. While somebody is asked the turn does not stall.
	Drive() drive.Sink
}

// PlanJob asks for the tasks of a project.
type PlanJob struct {
	AgentID string
	Session int // counts the agent's conversations; see contracts.Work
	Project contracts.Project
}

// Plan is a planner's answer: 1 to LimitTurnFollowUps tasks.
type Plan struct {
	Summary string
	Tasks   []contracts.TaskDraft
}

// TaskJob is one attempt at a task with everything that is known about it.
type TaskJob struct {
	AgentID string
	Session int // counts the agent's conversations; see contracts.Work
	Project contracts.Project
	contracts.TaskWork

	// Read gives the content of an artifact of the project.
	Read func(ctx context.Context, a contracts.Artifact) (string, error)
}

// Result ends a turn at a task: either Ask or Artifacts is set. Tokens and cost
// count only when the sink was told of no usage.
type Result struct {
	Ask       *Ask
	Artifacts []Artifact
	FollowUps []contracts.TaskDraft
	TokensIn  int
	TokensOut int
	CostUSD   *float64 // nil means unknown
}

// Ask is a question that only a person can answer.
type Ask struct {
	Prompt        string
	Options       []string
	AllowFreeText bool
}

// Artifact is a deliverable with its content.
type Artifact struct {
	Type    string // plan, report, copy, brief, code, review …
	Title   string
	MIME    string
	Content string
}

// ChatJob is a message to an agent that waits for an answer.
type ChatJob struct {
	AgentID string
	Session int // counts the agent's conversations; see contracts.Work
	contracts.ChatWork

	// Caller is what a caller of the OpenAI door sent, whose newest message Chat is:
	// the whole conversation, and the parameters that the runner declares in a method
	// Takes. nil in the office's own chat.
	Caller *drive.Prompt
}

// Reply is what the agent says, and the buttons under it.
type Reply struct {
	Text             string
	Cut              bool // the text ends at the limit of tokens that a caller asked for
	ProjectID        string
	SuggestedActions []contracts.SuggestedAction
}
