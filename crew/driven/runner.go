// Package driven has agents' programs do the crew's work: Claude Code, a program
// that dialled in, an agent behind a gateway.
//
// It guarantees: an agent has one conversation with one turn at a time, which goes
// on from job to job and, by the program's own id of it, after a restart; a program
// that has nothing to do is let go after a while. What a program answers becomes a
// plan, a result or a reply only when it is whole and valid; what is not is sent
// back once with the reason, and then the job fails with that reason. Files that a
// program hands over are read only inside its workspace. A job carries everything
// that it needs: a conversation that is lost costs nothing but the memory of it.
package driven

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/google/uuid"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/crew"
	"github.com/bullpen-office/bullpen/drive"
	"github.com/bullpen-office/bullpen/turn"
)

// chatID is the chat of the crew's own conversations in their session keys.
const chatID = "crew"

// Config says which program works and for whom. Only Driver is needed.
type Config struct {
	Driver drive.Driver
	Name   string // of the runner, as the config names it; default driven

	// Lenient takes prose that came without its block, twice, as one Markdown
	// artifact instead of blocking the task.
	Lenient bool

	Profile   func(agentID string) contracts.AgentProfile // who somebody is; default: its id
	Summary   func() contracts.OfficeSummary              // of the office as of now; default: none
	Workspace func(agentID string) (string, error)        // where somebody works; default: nowhere, so that no file is handed over
	Memory    *turn.Memory                                // of conversations; default: until the runner ends

	// Acquire adds what a program needs, such as a credential; release gives it back
	// when the conversation is closed. nil: nothing is needed.
	Acquire func(spec *drive.Spec) (release func(), err error)

	Idle    time.Duration    // after which a program is let go; default contracts.SessionIdle
	Now     func() time.Time // default time.Now
	NewUUID func() string    // default random
	Log     *slog.Logger     // default silent
}

// Runner works by programs. Close lets go of them.
type Runner struct {
	cfg Config

	mu     sync.Mutex
	desks  map[string]*desk
	closed bool
}

// New makes a runner; programs start with the first job.
func New(cfg Config) *Runner {
	if cfg.Name == "" {
		cfg.Name = "driven"
	}
	if cfg.Profile == nil {
		cfg.Profile = func(id string) contracts.AgentProfile { return contracts.AgentProfile{AgentID: id, Name: id} }
	}
	if cfg.Summary == nil {
		cfg.Summary = func() contracts.OfficeSummary { return contracts.OfficeSummary{} }
	}
	if cfg.Workspace == nil {
		cfg.Workspace = func(string) (string, error) { return "", nil }
	}
	if cfg.Memory == nil {
		cfg.Memory = &turn.Memory{}
	}
	if cfg.Idle <= 0 {
		cfg.Idle = contracts.SessionIdle
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.NewUUID == nil {
		cfg.NewUUID = uuid.NewString
	}
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	return &Runner{cfg: cfg, desks: map[string]*desk{}}
}

// Driver opens conversations with the program.
func (r *Runner) Driver() drive.Driver { return r.cfg.Driver }

// Workspace is the directory in which an agent works, or why there is none.
func (r *Runner) Workspace(agentID string) (string, error) { return r.cfg.Workspace(agentID) }

// Place is the directory in which somebody works; empty when there is none.
func (r *Runner) Place(agentID string) string {
	place, err := r.cfg.Workspace(agentID)
	if err != nil {
		return ""
	}
	return place
}

// Plan has the agent break a request into tasks.
func (r *Runner) Plan(ctx context.Context, job crew.PlanJob, sink crew.Sink) (crew.Plan, error) {
	d, err := r.sit(ctx, job.AgentID, job.Session, sink)
	if err != nil {
		return crew.Plan{}, err
	}
	defer d.rise()
	return converse(ctx, d, r.planPrompt(job), readPlan)
}

// Work has the agent carry out a task.
func (r *Runner) Work(ctx context.Context, job crew.TaskJob, sink crew.Sink) (crew.Result, error) {
	d, err := r.sit(ctx, job.AgentID, job.Session, sink)
	if err != nil {
		return crew.Result{}, err
	}
	defer d.rise()
	prompt, err := r.taskPrompt(ctx, job, d.desk.spec.Workspace)
	if err != nil {
		return crew.Result{}, err
	}
	d.sink.crew.Progress(5, "Reads the task")
	res, err := converse(ctx, d, prompt, func(text string) (crew.Result, error) { return readResult(text, job, d.desk.spec.Workspace) })
	if prose := d.longest; r.cfg.Lenient && isMalformed(err) && !contracts.Blank(prose) {
		return wholeText(prose, job), nil
	}
	return res, err
}

// Chat has the agent answer a message.
func (r *Runner) Chat(ctx context.Context, job crew.ChatJob, sink crew.Sink) (crew.Reply, error) {
	d, err := r.sit(ctx, job.AgentID, job.Session, sink)
	if err != nil {
		return crew.Reply{}, err
	}
	defer d.rise()
	return converse(ctx, d, r.chatPrompt(job), readReply)
}

// converse asks, and asks once more when the answer cannot be used.
func converse[T any](ctx context.Context, d *dialog, prompt string, read func(text string) (T, error)) (T, error) {
	var none T
	text, err := d.ask(ctx, prompt)
	if err != nil {
		return none, err
	}
	value, bad := read(text)
	if bad == nil {
		return value, nil
	}
	d.runner.cfg.Log.Info("an answer cannot be used and is asked for again", "agent", d.desk.agent, "reason", bad)
	if text, err = d.ask(ctx, repairPrompt(bad)); err != nil {
		return none, err
	}
	if value, bad = read(text); bad != nil {
		return none, fmt.Errorf("%s answered twice with something that cannot be used: %w", d.runner.cfg.Profile(d.desk.agent).Name, bad)
	}
	return value, nil
}

var _ crew.Runner = (*Runner)(nil)
