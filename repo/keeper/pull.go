package keeper

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/bullpen-office/bullpen/backoff"
	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/drive/process"
	"github.com/bullpen-office/bullpen/hud"
	"github.com/bullpen-office/bullpen/repo/gh"
	"github.com/bullpen-office/bullpen/repo/worktree"
)

// openPull opens or updates the pull request for a task's landing.
func openPull(ctx context.Context, t task, w *worktree.Worktree) (contracts.Fact, error) {
	l := t.Landing
	done, err := w.PullRequest(ctx, worktree.Pull{Remote: t.Repo.Remote, Tree: l.Tree, Title: t.Title, Body: pullBody(t), DryRun: l.DryRun})
	if err != nil {
		return nil, err
	}
	return contracts.PullOpened{TaskID: t.TaskID, Number: l.Number, Pull: contracts.PullRequest{Remote: done.Remote, URL: done.URL, Head: done.Commit}}, nil
}

// pullBody describes a task's work for readers of its pull request: what was asked for, and what
// the checks prove. Text from the task is quoted, so that it cannot be mistaken for the receipt.
func pullBody(t task) string {
	var b strings.Builder
	for line := range strings.Lines(t.Description) {
		fmt.Fprintf(&b, "> %s\n", strings.TrimRight(line, "\r\n"))
	}
	b.WriteString("\n")
	if t.Tree == t.Landing.Tree { // otherwise the verdict is about newer files
		fmt.Fprintf(&b, "**%s** %s\n\n", contracts.VerdictWords[t.Verdict], contracts.VerdictNotes[t.Verdict])
	}
	for _, r := range t.Checks {
		state := "failed"
		switch {
		case r.Hosted():
			continue // the git host shows its own checks
		case r.Tree != t.Landing.Tree:
			state = "did not run on these files"
		case r.Passed():
			state = "passed"
		}
		fmt.Fprintf(&b, "- `%s` %s\n", strings.ReplaceAll(hud.Line(r.Name, contracts.LimitName), "`", "'"), state)
	}
	fmt.Fprintf(&b, "\nThe above applies to the git tree `%s`. Opened by Bullpen for %s.\n", t.Landing.Tree, t.TaskID)
	return b.String()
}

// pullWatch schedules the reads of an open pull request.
type pullWatch struct {
	backoff.Backoff
	at        time.Time
	lastError string // the last read error; "" if the last read succeeded
}

// followPulls reads the open pull requests of tasks until ctx is done. A pull request that does not
// change is read less and less often.
func (k *Keeper) followPulls(ctx context.Context) {
	pulls := map[string]*pullWatch{} // by task
	for backoff.Sleep(ctx, k.cfg.Pulls) == nil {
		open := map[string]bool{}
		for _, t := range k.localTasks() {
			if t.Landing == nil || t.Landing.Status != contracts.LandOpen || t.Landing.Pull == nil {
				continue
			}
			open[t.TaskID] = true
			p := pulls[t.TaskID]
			if p == nil {
				p = &pullWatch{Backoff: backoff.Backoff{First: k.cfg.Pulls, Max: max(k.cfg.Pulls, contracts.PullMaxWatch)}}
				pulls[t.TaskID] = p
			}
			if now := k.cfg.Now(); !now.Before(p.at) {
				k.followPull(ctx, t, p)
				p.at = now.Add(p.Next())
			}
		}
		for id := range pulls {
			if !open[id] {
				delete(pulls, id)
			}
		}
	}
}

// followPull records what has changed in a pull request.
func (k *Keeper) followPull(ctx context.Context, t task, p *pullWatch) {
	changed, err := k.readPull(ctx, t)
	if changed {
		p.Reset()
	}
	switch {
	case err == nil:
		p.lastError = ""
	case ctx.Err() == nil && p.lastError != err.Error(): // do not repeat the same error
		p.lastError = err.Error()
		k.cfg.Log.Warn("pull request could not be read", "task", t.TaskID, "url", t.Landing.Pull.URL, "error", err)
	}
}

// readPull records new check results for a task's pull request, and whether the pull request was
// merged or closed. Checks on commits that others pushed are not recorded, because the files in
// those commits were not checked here.
func (k *Keeper) readPull(ctx context.Context, t task) (changed bool, err error) {
	l := t.Landing
	pull, err := gh.View(ctx, l.Pull.URL)
	if err != nil {
		return false, err
	}
	var facts []contracts.Fact
	for _, c := range pull.Checks {
		r := hostedResult(t, c)
		if pull.Head == l.Pull.Head && !slices.Contains(t.Checks, r) {
			facts = append(facts, contracts.CheckRan{TaskID: t.TaskID, Attempt: t.Attempt, Result: r})
		}
	}
	switch pull.State {
	case gh.StateMerged:
		facts = append(facts, contracts.Landed{TaskID: t.TaskID, Number: l.Number, Target: l.Target, Commit: cmp.Or(pull.Merged, pull.Head)})
	case gh.StateClosed:
		facts = append(facts, contracts.LandingFailed{TaskID: t.TaskID, Number: l.Number, Reason: "the pull request was closed without being merged: " + pull.URL})
	}
	if failed := k.failedChecks(pull); len(failed) > 0 && pull.Head == l.Pull.Head && l.Reason == "" {
		facts = append(facts, k.pullFailed(ctx, t, failed))
	}
	for _, f := range facts {
		if err := k.cfg.Office.Record(ctx, f); err != nil {
			return true, err
		}
	}
	return len(facts) > 0, nil
}

// failedChecks returns the failed checks of an open pull request, once the others have finished or
// contracts.PullSettle has passed. Checks that were cancelled say nothing about the files.
func (k *Keeper) failedChecks(pull gh.Pull) (failed []gh.Check) {
	settled := !pull.Running
	for _, c := range pull.Checks {
		if !c.Passed && c.End != contracts.EndStopped {
			failed = append(failed, c)
			settled = settled || k.cfg.Now().Sub(c.Started.Add(c.Duration)) >= contracts.PullSettle
		}
	}
	if pull.State != gh.StateOpen || !settled {
		return nil
	}
	return failed
}

// pullFailed reports the failed checks of a task's pull request, with the end of their output if
// the git host has it.
func (k *Keeper) pullFailed(ctx context.Context, t task, failed []gh.Check) contracts.PullFailed {
	f := contracts.PullFailed{TaskID: t.TaskID, Number: t.Landing.Number}
	var b strings.Builder
	fmt.Fprintf(&b, "Your work became pull request %s. These checks failed there:\n", t.Landing.Pull.URL)
	for i, c := range failed {
		f.Checks = append(f.Checks, c.Name)
		fmt.Fprintf(&b, "\nCheck: %s\n", c.Name)
		if c.Details != "" {
			fmt.Fprintf(&b, "Details: %s\n", c.Details)
		}
		if i >= contracts.LimitPullLogs {
			continue
		}
		printed := &output{show: io.Discard, end: process.Tail{Limit: contracts.LimitCheckLog}}
		if err := gh.WriteLog(ctx, t.Landing.Pull.URL, c, printed); err != nil {
			fmt.Fprintf(&b, "Its output cannot be read: %v\n", err)
		} else if text := plainLog(printed.text()); text != "" {
			fmt.Fprintf(&b, "The end of its output:\n%s\n", text[max(0, len(text)-contracts.LimitPullLog):])
		}
	}
	b.WriteString("\nFix your files. Once they are approved again, the pull request can be updated.")
	f.Report = strings.ToValidUTF8(b.String(), "")
	return f
}

// plainLog removes the job name, the step name and the time from the lines of a job's output.
func plainLog(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if part := strings.SplitN(line, "\t", 3); len(part) == 3 {
			line = part[2]
		}
		if at, rest, ok := strings.Cut(line, " "); ok {
			if _, err := time.Parse(time.RFC3339Nano, strings.TrimPrefix(at, "\ufeff")); err == nil {
				line = rest
			}
		}
		b.WriteString(line)
	}
	return strings.TrimSpace(b.String())
}

// hostedResult returns the result of a check that the git host of a pull request ran on the pushed
// files.
func hostedResult(t task, c gh.Check) contracts.CheckResult {
	r := contracts.CheckResult{
		Name: c.Name, Command: t.Landing.Pull.URL, End: c.End, Tree: t.Landing.Tree, TreeAfter: t.Landing.Tree,
		Started: max(0, c.Started.UnixMilli()), DurationMS: c.Duration.Milliseconds(), By: contracts.ByPullRequest,
	}
	switch {
	case c.End != contracts.EndExited:
		r.ExitCode = -1
	case !c.Passed:
		r.ExitCode = 1
	}
	return r
}
