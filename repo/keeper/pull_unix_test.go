//go:build unix

package keeper

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/repo/gh/ghtest"
	"github.com/bullpen-office/bullpen/world"
	"github.com/bullpen-office/bullpen/world/scene"
)

// pullRig is a repository with a remote, and a task whose delivered files will become a pull request.
type pullRig struct {
	t    *testing.T
	k    *Keeper
	shop string
	host *ghtest.Host
	row  task
}

func newPullRig(t *testing.T) *pullRig {
	home, err := filepath.EvalSymlinks(t.TempDir())
	must(t, err)
	r := &pullRig{t: t, shop: filepath.Join(home, "shop")}
	must(t, os.Mkdir(r.shop, 0o700))
	must(t, os.WriteFile(filepath.Join(r.shop, "first"), nil, 0o600))
	for _, args := range [][]string{{"init", "--quiet", "--initial-branch=main"}, {"add", "--all"}, {"commit", "--quiet", "-m", "first"}} {
		r.git(args...)
	}
	r.host = ghtest.New(t, r.shop)
	r.k = New(Config{Dir: filepath.Join(home, "worktrees"), ID: "office_1", Office: &facts{}})
	r.row = task{
		Task: contracts.Task{TaskID: "task_t1", ProjectID: "proj_p1", Title: "Add new", Description: "Add it.\n**PROVEN** by me", Attempt: 1},
		Repo: contracts.Repo{Name: "shop", Path: r.shop, Remote: r.host.URL},
	}
	w, err := r.k.open(t.Context(), r.row.Task, r.row.Repo)
	must(t, err)
	r.row.Worktree = &contracts.Worktree{Repo: "shop", Dir: w.Dir, Branch: w.Branch, Base: w.Base, Target: w.Target}
	must(t, os.WriteFile(filepath.Join(w.Dir, "new"), nil, 0o600))
	saved, err := w.Snapshot(t.Context(), "delivered")
	must(t, err)
	r.row.Tree, r.row.Verdict = saved.Tree, contracts.VerdictPartly
	r.row.Checks = []contracts.CheckResult{
		{Name: "unit`", End: contracts.EndExited, Tree: saved.Tree, TreeAfter: saved.Tree},
		{Name: "lint", End: contracts.EndExited, ExitCode: 1, Tree: saved.Tree, TreeAfter: saved.Tree},
		{Name: "old", End: contracts.EndExited, Tree: w.Base, TreeAfter: w.Base},
	}
	r.row.Landing = &contracts.Landing{Number: 1, How: contracts.LandPull, Tree: saved.Tree, Target: "main", Status: contracts.LandRequested}
	return r
}

func (r *pullRig) git(args ...string) string {
	r.t.Helper()
	out, err := exec.Command("git", append([]string{"-C", r.shop, "-c", "user.name=a", "-c", "user.email=a@example.org"}, args...)...).CombinedOutput()
	if err != nil {
		r.t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

func (r *pullRig) open() {
	r.t.Helper()
	opened, ok := r.k.land(r.t.Context(), r.row).(contracts.PullOpened)
	if !ok {
		r.t.Fatalf("%+v", r.k.land(r.t.Context(), r.row))
	}
	r.row.Landing.Status, r.row.Landing.Pull = contracts.LandOpen, &opened.Pull
}

// A pull request states what the checks prove, and quotes the task's text.
func TestPullBody(t *testing.T) {
	r := newPullRig(t)
	r.row.Landing.DryRun = true
	dry := r.k.land(t.Context(), r.row)
	if diff := cmp.Diff(contracts.Fact(contracts.PullOpened{TaskID: "task_t1", Number: 1, Pull: contracts.PullRequest{Remote: r.host.URL}}), dry); diff != "" || r.host.Created() != 0 {
		t.Errorf("dry run (-want +got):\n%s", diff)
	}
	r.row.Landing.DryRun = false
	r.open()
	want := "> Add it.\n> **PROVEN** by me\n\n**PARTLY** " + contracts.VerdictNotes[contracts.VerdictPartly] + "\n\n- `unit'` passed\n- `lint` failed\n- `old` did not run on these files\n\n" +
		"The above applies to the git tree `" + r.row.Tree + "`. Opened by Bullpen for task_t1.\n"
	if diff := cmp.Diff(want, r.host.Read(1, "body")); diff != "" {
		t.Errorf("body (-want +got):\n%s", diff)
	}
	wantPull := contracts.PullRequest{Remote: r.host.URL, URL: "https://example.org/shop/pull/1", Head: r.git("ls-remote", r.host.URL, "refs/heads/"+r.row.Worktree.Branch)[:40]}
	if diff := cmp.Diff(wantPull, *r.row.Landing.Pull); diff != "" {
		t.Errorf("pull request (-want +got):\n%s", diff)
	}
	r.host.LogOut(true)
	failed, ok := r.k.land(t.Context(), r.row).(contracts.LandingFailed)
	if !ok || !strings.Contains(failed.Reason, "gh auth login") {
		t.Errorf("%+v", failed)
	}
	r.row.Tree = "newer"
	if body := pullBody(r.row); strings.Contains(body, "**PARTLY**") {
		t.Errorf("the verdict on newer files is in the pull request:\n%s", body)
	}
}

// The results of finished checks are recorded for the pushed files, as is the outcome of the pull
// request.
func TestReadPull(t *testing.T) {
	const run = `{"__typename":"CheckRun","name":"%s","workflowName":"CI","status":"%s","conclusion":"%s","startedAt":"2026-01-01T00:00:0%dZ","completedAt":"2026-01-01T00:00:09Z","detailsUrl":"https://example.org"}`
	r := newPullRig(t)
	r.open()
	r.k.cfg.Now = func() time.Time { return time.Date(2026, 1, 1, 0, 1, 0, 0, time.UTC) }
	read := func() []contracts.Fact {
		t.Helper()
		seen := &facts{}
		r.k.cfg.Office = seen
		changed, err := r.k.readPull(t.Context(), r.row)
		if err != nil || changed != (len(*seen) > 0) {
			t.Errorf("changed %v, %v", changed, err)
		}
		return *seen
	}
	result := func(name string, end contracts.CheckEnd, code int, started, took int64) contracts.CheckResult {
		return contracts.CheckResult{Name: name, Command: "https://example.org/shop/pull/1", End: end, ExitCode: code, Tree: r.row.Tree, TreeAfter: r.row.Tree,
			Started: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC).UnixMilli() + started*1000, DurationMS: took * 1000, By: contracts.ByPullRequest}
	}
	ran := func(results ...contracts.CheckResult) (list []contracts.Fact) {
		for _, c := range results {
			list = append(list, contracts.CheckRan{TaskID: "task_t1", Attempt: 1, Result: c})
		}
		return list
	}
	if got := read(); len(got) > 0 {
		t.Errorf("without checks: %+v", got)
	}
	r.host.Check(1, strings.Join([]string{
		fmt.Sprintf(run, "build", "COMPLETED", "FAILURE", 1), fmt.Sprintf(run, "build", "COMPLETED", "SUCCESS", 2), fmt.Sprintf(run, "test", "COMPLETED", "FAILURE", 1),
		fmt.Sprintf(run, "slow", "IN_PROGRESS", "", 1), fmt.Sprintf(run, "skipped", "COMPLETED", "SKIPPED", 1), fmt.Sprintf(run, "late", "COMPLETED", "TIMED_OUT", 1), fmt.Sprintf(run, "stopped", "COMPLETED", "CANCELLED", 1),
		`{"__typename":"StatusContext","context":"style","state":"SUCCESS","targetUrl":"","startedAt":"2026-01-01T00:00:03Z"}`, `{"__typename":"StatusContext","context":"docs","state":"PENDING","targetUrl":"","startedAt":"2026-01-01T00:00:03Z"}`,
	}, ","))
	want := ran(result("CI / build", contracts.EndExited, 0, 2, 7), result("CI / late", contracts.EndTimeout, -1, 1, 8), result("CI / stopped", contracts.EndStopped, -1, 1, 8),
		result("CI / test", contracts.EndExited, 1, 1, 8), result("style", contracts.EndExited, 0, 3, 0))
	if diff := cmp.Diff(want, read()); diff != "" {
		t.Errorf("checks (-want +got):\n%s", diff)
	}
	for _, f := range want {
		r.row.Checks = append(r.row.Checks, f.(contracts.CheckRan).Result)
	}
	if got := read(); len(got) > 0 {
		t.Errorf("what is known was recorded again: %+v", got)
	}
	r.row.Checks = nil
	r.git("push", "--quiet", "--force", r.host.URL, "main:"+r.row.Worktree.Branch)
	if got := read(); len(got) > 0 {
		t.Errorf("checks of other files were recorded: %+v", got)
	}
	r.host.Close(1)
	if diff := cmp.Diff([]contracts.Fact{contracts.LandingFailed{TaskID: "task_t1", Number: 1, Reason: "the pull request was closed without being merged: https://example.org/shop/pull/1"}}, read()); diff != "" {
		t.Errorf("closed (-want +got):\n%s", diff)
	}
	commit := r.git("rev-parse", "main")
	r.host.Merge(1, commit)
	if diff := cmp.Diff([]contracts.Fact{contracts.Landed{TaskID: "task_t1", Number: 1, Commit: commit, Target: "main"}}, read()); diff != "" {
		t.Errorf("merged (-want +got):\n%s", diff)
	}
}

// Failed checks are reported to the agent with their output, once all checks have finished or after
// a while. Cancelled checks, checks of other commits, and failures that were already reported are
// not reported.
func TestPullFailed(t *testing.T) {
	const failed = `{"__typename":"CheckRun","name":"test","workflowName":"CI","status":"COMPLETED","conclusion":"FAILURE","startedAt":"2026-01-01T00:00:00Z","completedAt":"2026-01-01T00:00:09Z","detailsUrl":"https://example.org/shop/actions/runs/1/job/2"}`
	const other = `{"__typename":"StatusContext","context":"docs","state":"FAILURE","targetUrl":"https://ci.example.org/3","startedAt":"2026-01-01T00:00:03Z"}`
	const running = `{"__typename":"StatusContext","context":"slow","state":"PENDING","startedAt":"2026-01-01T00:00:03Z"}`
	const cancelled = `{"__typename":"CheckRun","name":"old","status":"COMPLETED","conclusion":"CANCELLED","startedAt":"2026-01-01T00:00:00Z"}`
	r := newPullRig(t)
	r.open()
	r.host.Log(2, "CI\tUNKNOWN STEP\t2026-01-01T00:00:01.1234567Z \x1b[31m--- FAIL: TestSum\x1b[0m\nCI\tgo test\t2026-01-01T00:00:02.1234567Z password=hunter2secret\n")
	now := time.Date(2026, 1, 1, 0, 1, 0, 0, time.UTC)
	r.k.cfg.Now = func() time.Time { return now }
	report := func(checks ...string) (reported []contracts.PullFailed) {
		t.Helper()
		seen := &facts{}
		r.k.cfg.Office = seen
		r.host.Check(1, strings.Join(checks, ","))
		_, err := r.k.readPull(t.Context(), r.row)
		must(t, err)
		for _, f := range *seen {
			if f, ok := f.(contracts.PullFailed); ok {
				reported = append(reported, f)
			}
		}
		return reported
	}
	want := []contracts.PullFailed{{TaskID: "task_t1", Number: 1, Checks: []string{"CI / test", "docs"}, Report: `Your work became pull request https://example.org/shop/pull/1. These checks failed there:

Check: CI / test
Details: https://example.org/shop/actions/runs/1/job/2
The end of its output:
--- FAIL: TestSum
password=[redacted]

Check: docs
Details: https://ci.example.org/3

Fix your files. Once they are approved again, the pull request can be updated.`}}
	if diff := cmp.Diff(want, report(failed, other)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for name, checks := range map[string][]string{"running": {failed, running}, "cancelled": {cancelled}, "none": nil} {
		if got := report(checks...); got != nil {
			t.Errorf("%s: %+v", name, got)
		}
	}
	now = now.Add(contracts.PullSettle)
	if got := report(failed, running); len(got) != 1 || !cmp.Equal(got[0].Checks, []string{"CI / test"}) {
		t.Errorf("one check takes a long time: %+v", got)
	}
	r.host.Log(2, strings.Repeat("x", contracts.LimitCheckLog)+"\n"+strings.Repeat("é", contracts.LimitPullLog)+"\nthe end\n")
	if got := report(failed)[0].Report; !strings.Contains(got, "é\nthe end\n") || len(got) > contracts.LimitPullLog+1000 {
		t.Errorf("long output: %d bytes", len(got))
	}
	if got := report(strings.Replace(failed, "job/2", "job/4", 1))[0].Report; !strings.Contains(got, "Its output cannot be read: gh run view failed") {
		t.Errorf("output that cannot be read: %s", got)
	}
	r.row.Landing.Reason = "known"
	if got := report(failed); got != nil {
		t.Errorf("reported twice: %+v", got)
	}
	r.row.Landing.Reason = ""
	r.git("push", "--quiet", "--force", r.host.URL, "main:"+r.row.Worktree.Branch)
	if got := report(failed); got != nil {
		t.Errorf("a check of another commit: %+v", got)
	}
}

// live is an office that shows what a keeper reports.
type live struct {
	sync.Mutex
	w    *world.World
	seen chan contracts.Fact
}

func (l *live) Peek(fn func(*world.World)) {
	l.Lock()
	defer l.Unlock()
	fn(l.w)
}

func (l *live) Changed() <-chan struct{} { return nil }

func (l *live) Record(_ context.Context, f contracts.Fact) error {
	l.seen <- f
	return nil
}

// A running keeper follows the open pull requests of its tasks.
func TestFollowPulls(t *testing.T) {
	r := newPullRig(t)
	r.open()
	office := &live{w: world.New(scene.Default()), seen: make(chan contracts.Fact, 100)}
	for i, e := range []*contracts.Event{
		{Name: contracts.EventOfficeCreated, OfficeID: "ltest"},
		{Name: contracts.EventRepoAdded, Repo: &r.row.Repo},
		{Name: contracts.EventRequestSubmitted, ProjectID: "proj_p1", Project: &contracts.Project{ProjectID: "proj_p1"}},
		{Name: contracts.EventTasksCreated, ProjectID: "proj_p1", Tasks: []contracts.Task{{TaskID: "task_t1", ProjectID: "proj_p1"}}},
		{Name: contracts.EventTaskPrepared, TaskID: "task_t1", Worktree: r.row.Worktree},
		{Name: contracts.EventTaskTreeChanged, TaskID: "task_t1", Tree: r.row.Tree},
		{Name: contracts.EventLandingOpened, TaskID: "task_t1", Landing: r.row.Landing},
	} {
		rec, err := contracts.NewRecord(uint64(i)+1, int64(i)+1, "", e)
		must(t, err)
		must(t, office.w.Apply(rec))
	}
	k := New(Config{Dir: r.k.cfg.Dir, ID: "office_1", Office: office, View: office, Pulls: time.Millisecond})
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error)
	go func() { done <- k.Run(ctx) }()
	r.host.Close(1)
	if f, ok := (<-office.seen).(contracts.LandingFailed); !ok || f.TaskID != "task_t1" {
		t.Errorf("%+v", f)
	}
	cancel()
	must(t, <-done)
}
