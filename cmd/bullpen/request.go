package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/spf13/cobra"

	office "github.com/bullpen-office/bullpen/client"
	"github.com/bullpen-office/bullpen/contracts"
)

const requestHelp = `Submit a request to the office. Prints the project id; with --wait, shows progress on
standard error and exits when the project is completed.

The office plans the work and assigns the tasks automatically. With --no-auto-assign the
plan waits until ` + "`bullpen decide PROJECT Start`" + ` starts it. Questions and reviews always
wait for you: see ` + "`bullpen decide`, `bullpen approve` and `bullpen changes`" + `.

With --json the result is printed at the end and progress is not shown
(` + "`bullpen tail --json --follow`" + ` shows it).`

const requestExample = `  bullpen request "Write a launch note for version 2"
  bullpen request --repo . "Add a health check"
  bullpen request --repo . --accept 'cmd: go test ./cart' --accept 'file: docs/cart.md' --accept person "Add a cart"
  bullpen request - --wait --timeout 30m < request.txt`

// requestRun holds the flags and the progress of `bullpen request`.
type requestRun struct {
	wait, auto, plan bool
	repo             string
	accept           []string
	timeout          time.Duration
	done             requested // current result
}

// requested is the JSON output of `bullpen request`.
type requested struct {
	ProjectID string                          `json:"project_id"`
	Status    contracts.ProjectStatus         `json:"status"`
	Tasks     map[string]contracts.TaskStatus `json:"tasks,omitzero"`
	Artifacts []string                        `json:"artifacts,omitzero"` // approved artifacts
}

func newRequestCommand() *cobra.Command {
	var r requestRun
	c := &cobra.Command{
		Use: "request TEXT|-", Short: "Submit a request to the office", Long: requestHelp, Example: requestExample,
		Args: exactArgs("TEXT"), ValidArgsFunction: cobra.NoFileCompletions,
	}
	newVerb(c, func(ctx context.Context, v *verb, args []string) error {
		text, err := readText(c.InOrStdin(), args, "the request", contracts.LimitRequestText)
		if err != nil {
			return err
		}
		ctx, stop := interruptible(ctx)
		defer stop()
		return r.run(ctx, v, text)
	})
	c.PreRunE = func(*cobra.Command, []string) error {
		if c.Flags().Changed("auto-assign") && r.auto && r.plan {
			return usageError("--auto-assign and --no-auto-assign contradict each other: use one of them")
		}
		return flagsNeed(c, "--wait", r.wait, "timeout")
	}
	f := c.Flags()
	f.BoolVar(&r.wait, "wait", false, "wait until the project is completed")
	f.BoolVar(&r.auto, "auto-assign", true, "assign the tasks once they are planned")
	f.BoolVar(&r.plan, "no-auto-assign", false, "hold the plan until you start it")
	f.StringVar(&r.repo, "repo", "", "work in this repository, given by name or directory; an unknown directory is added to the office first")
	f.StringArrayVar(&r.accept, "accept", nil, "acceptance check: \"cmd: COMMAND\", \"file: PATH\", \"url: URL\", agent or person; can be repeated; needs --repo")
	f.DurationVar(&r.timeout, "timeout", 0, "stop waiting after this time; the work continues; 0 waits forever")
	onlyTyped(f, "wait", "auto-assign", "no-auto-assign", "repo", "accept", "timeout")
	return c
}

func (r *requestRun) run(ctx context.Context, v *verb, text string) error {
	if r.timeout < 0 {
		return usageError("--timeout must not be negative")
	}
	if _, err := contracts.ParseAccept(r.accept); err != nil {
		return usageError("--accept: %w", err)
	}
	if len(r.accept) > 0 && r.repo == "" {
		return usageError("--accept needs --repo: acceptance checks apply to the files of a repository")
	}
	limited := ctx
	if r.timeout > 0 {
		var cancel context.CancelFunc
		limited, cancel = context.WithTimeout(ctx, r.timeout)
		defer cancel()
	}
	repo := ""
	if r.repo != "" {
		var err error
		if repo, err = v.repo(ctx, r.repo); err != nil {
			return err
		}
	}
	// Ctrl-C does not cancel the request while it is being sent; otherwise it would be unclear
	// whether the request arrived.
	ack, err := v.command(context.WithoutCancel(ctx), contracts.SubmitRequest{Text: text, AutoAssign: r.auto && !r.plan, Repo: repo, Accept: r.accept})
	if err != nil {
		return err
	}
	r.done = requested{ProjectID: ack.Result.ProjectID, Status: contracts.ProjectPlanning}
	if !v.asJSON || !r.wait {
		if err := v.print(r.done, r.done.ProjectID); err != nil {
			return err
		}
	}
	if !r.wait {
		return nil
	}
	err = r.follow(limited, v, ack.Seq)
	if v.asJSON {
		err = cmp.Or(err, printJSON(v.out, r.done))
	}
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return &exitError{code: exitForced, err: fmt.Errorf("stopped waiting; %s continues in the office", r.done.ProjectID)}
	case limited.Err() != nil:
		return &exitError{code: exitTimeout, err: fmt.Errorf("%s was not completed within %s; it continues in the office", r.done.ProjectID, r.timeout)}
	}
	return err
}

// requestRecords is an upper bound on the number of records that one request writes. The ack names
// the last of them, so follow starts this many records earlier.
const requestRecords = 256

func (r *requestRun) follow(ctx context.Context, v *verb, after uint64) error {
	r.done.Tasks = map[string]contracts.TaskStatus{}
	filter := &tailFilter{projects: []string{r.done.ProjectID}, names: map[string]string{}, tasks: map[string]contracts.Task{}}
	var state contracts.Snapshot
	_ = v.get(ctx, "/v1/state", &state) // without the state, agents are shown by id
	for _, a := range state.Agents {
		filter.names[a.AgentID] = a.Name
	}
	p := &tailPrinter{out: v.err, paint: paintFor(v.err), filter: filter}
	from := office.Timeline{Kinds: []string{string(contracts.KindEvent)}, After: after - min(after, requestRecords)}
	err := v.follow(ctx, from, func(e office.Message) error {
		if !filter.wants(&e) {
			return nil
		}
		var ev contracts.Event
		if err := json.Unmarshal(e.Payload, &ev); err != nil {
			return err
		}
		if !v.asJSON {
			_ = p.print(&e)
		}
		return r.step(&ev)
	})
	if err == errCompleted {
		return nil
	}
	return err
}

// step updates the progress after an event. It returns errCompleted once the project is completed.
func (r *requestRun) step(e *contracts.Event) error {
	for _, t := range e.Tasks {
		r.done.Tasks[t.TaskID] = t.Status
	}
	if status, ok := taskAfter[e.Name]; ok && e.TaskID != "" {
		r.done.Tasks[e.TaskID] = status
	}
	switch e.Name {
	case contracts.EventReviewApproved:
		if !slices.Contains(r.done.Artifacts, e.ArtifactID) {
			r.done.Artifacts = append(r.done.Artifacts, e.ArtifactID)
		}
	case contracts.EventKickoffFinished:
		r.done.Status = contracts.ProjectExecuting
	case contracts.EventProjectCompleted:
		r.done.Status = contracts.ProjectCompleted
		return errCompleted
	}
	return nil
}

// taskAfter maps an event to the task's status after the event.
var taskAfter = map[contracts.EventName]contracts.TaskStatus{
	contracts.EventTaskStarted: contracts.TaskInProgress, contracts.EventTaskBlocked: contracts.TaskBlocked,
	contracts.EventReviewRequested: contracts.TaskReview, contracts.EventTaskDone: contracts.TaskDone, contracts.EventTaskCancelled: contracts.TaskCancelled,
}

// errCompleted makes follow return when the project is completed.
var errCompleted = errors.New("project completed")
