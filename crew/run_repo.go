package crew

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/drive/process"
	"github.com/bullpen-office/bullpen/hud"
	"github.com/bullpen-office/bullpen/turn"
)

// checkHeartbeat is the heartbeat interval of a running check.
const checkHeartbeat = 30 * time.Second

// checkTool is the tool name that an agent's activity shows for checks.
const checkTool = "check"

// prepare obtains the worktree of a task that belongs to a repository, and records it.
func (r *run) prepare() error {
	if r.work.Project.Repo == "" {
		return nil
	}
	switch {
	case r.work.Repo == nil:
		return fmt.Errorf("the repository %s was removed from the office: add it again, then try again", r.work.Project.Repo)
	case r.crew.Repos == nil:
		return errors.New("this office does not work in repositories")
	}
	w, err := r.crew.Repos.Prepare(r.ctx, r.work)
	if err != nil {
		return fmt.Errorf("no worktree for the task: %w", err)
	}
	task := *r.work.Task
	task.Task.Worktree = &w
	r.work.Task, r.worktree = &task, &w
	r.record(r.ctx, contracts.TaskPrepared{TaskID: task.Task.TaskID, Attempt: task.Task.Attempt, Worktree: w})
	return context.Cause(r.ctx)
}

// delivery collects and checks the files of a task in a repository.
type delivery struct {
	run    *run
	patch  Patch
	rounds int // how many times the agent was prompted again because checks failed
}

// verify collects the files that an agent left and runs the checks on them. It returns a prompt if
// the agent must continue.
func (d *delivery) verify(ctx context.Context, l *turn.Connection, res Result) (again string, err error) {
	if res.Ask != nil {
		return "", nil
	}
	r := d.run
	if d.patch, err = r.crew.Repos.SavePatch(ctx, r.work); err != nil {
		return "", fmt.Errorf("the files of the worktree cannot be delivered: %w", err)
	}
	if d.patch.Empty() {
		if len(res.Artifacts) > 0 {
			return "", nil
		}
		return "", unusablef("you changed nothing in your working directory, and there is no artifact")
	}
	failed := d.check(ctx, l)
	if ctx.Err() != nil {
		return "", context.Cause(ctx)
	}
	if len(failed) == 0 || d.rounds >= contracts.LimitCheckRounds {
		return "", nil
	}
	d.rounds++
	return checksPrompt(failed), nil
}

// failure is a check that did not pass.
type failure struct {
	contracts.CheckResult
	output string // end of the check's output
}

// check runs the checks one after the other and returns the required ones that failed.
func (d *delivery) check(ctx context.Context, l *turn.Connection) (failed []failure) {
	for _, c := range d.run.worktree.Runnable() {
		result, output, err := d.run.runCheck(ctx, l, c)
		switch {
		case ctx.Err() != nil:
			return nil
		case err != nil:
			// Without a result, nothing is proven about the files; a person sees that the result is
			// missing.
			d.run.log.Warn("check could not be run", "check", c.Name, "error", err)
		case !c.Optional && !result.Passed() && result.End != contracts.EndNotRun:
			failed = append(failed, failure{result, output})
		}
	}
	return failed
}

// runCheck runs a check, shows it as a tool call in the turn, and records its result.
func (r *run) runCheck(ctx context.Context, l *turn.Connection, c contracts.Check) (contracts.CheckResult, string, error) {
	end := l.Sink.ToolStart("", checkTool, map[string]string{"name": c.Name, "command": c.Command})
	heartbeat := func() { l.Sink.Progress(contracts.PercentChecking, "Check: "+c.Name) }
	heartbeat()
	stop := every(checkHeartbeat, heartbeat)
	out := &checkOutput{show: func(text string) { l.Sink.Delta("code", text) }, end: process.Tail{Limit: contracts.LimitCheckTail}}
	result, err := r.crew.Repos.Check(ctx, *r.worktree, c, out)
	stop()
	if err != nil {
		end(hud.ActionResult{Summary: "The check could not be run: " + err.Error()})
		return result, "", err
	}
	if result.End == contracts.EndNotRun {
		end(hud.ActionResult{Summary: "The check was not run: " + result.Reason})
	} else {
		end(hud.Exec(c.Command, result.ExitCode, out.String(), ""))
	}
	task := r.work.Task.Task
	r.record(r.ctx, contracts.CheckRan{TaskID: task.TaskID, Attempt: task.Attempt, Result: result})
	return result, out.String(), nil
}

// every calls fn at an interval until stop is called.
func every(interval time.Duration, fn func()) (stop func()) {
	ticker, quit := time.NewTicker(interval), make(chan struct{})
	var done sync.WaitGroup
	done.Go(func() {
		for {
			select {
			case <-quit:
				return
			case <-ticker.C:
				fn()
			}
		}
	})
	return func() {
		ticker.Stop()
		close(quit)
		done.Wait()
	}
}

// checkOutput shows the beginning and keeps the end of a running check's output.
type checkOutput struct {
	show  func(text string)
	shown int
	end   process.Tail
}

func (o *checkOutput) Write(p []byte) (int, error) {
	if room := contracts.LimitCheckShown - o.shown; room > 0 {
		piece := p[:min(len(p), room)]
		o.shown += len(piece)
		o.show(strings.ToValidUTF8(string(piece), "?"))
	}
	return o.end.Write(p)
}

func (o *checkOutput) String() string {
	text, _ := o.end.Text()
	text, _ = hud.Screen(text)
	return contracts.CleanText(text)
}

// checksPrompt tells an agent which checks failed.
func checksPrompt(failed []failure) string {
	var t text
	t.line("The office ran the repository's checks on your files. These failed:")
	for _, f := range failed {
		t.heading("Check: " + hud.Line(f.Name, contracts.LimitName))
		t.line("Command: %s", hud.Line(f.Command, contracts.LimitNote))
		t.line("It %s.", f.Outcome(f.Tree))
		if f.End == contracts.EndExited && f.ExitCode == 0 {
			t.line("It changed files that git does not ignore, so it is unclear what it tested. Commit the files that it writes, or add them to .gitignore.")
		}
		if f.output != "" {
			t.line("The end of its output:")
			t.quote(f.output)
		}
	}
	t.line("\nFix your files, then answer in the same form as before.")
	return t.String()
}

// storeDrafts stores what a task delivers, the patch first, and returns the drafts.
func (d *delivery) storeDrafts(ctx context.Context, artifacts []Artifact) ([]contracts.ArtifactDraft, error) {
	if d.patch.Empty() {
		return d.run.store(ctx, artifacts)
	}
	title := cmp.Or(hud.Line(d.run.work.Task.Task.Title, contracts.LimitTaskTitle), "Changes")
	patch := Artifact{Type: contracts.ArtifactPatch, Title: title, MIME: contracts.MIMEPatch, Content: string(d.patch.Content)}
	drafts, err := d.run.store(ctx, append([]Artifact{patch}, artifacts...))
	if err == nil {
		drafts[0].Tree, drafts[0].Base, drafts[0].Stat = d.patch.Tree, d.run.worktree.Base, &d.patch.Stat
	}
	return drafts, err
}
