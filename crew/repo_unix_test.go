//go:build unix

package crew_test

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
	"github.com/bullpen-office/bullpen/crew"
	"github.com/bullpen-office/bullpen/drive"
	"github.com/bullpen-office/bullpen/drive/process"
	"github.com/bullpen-office/bullpen/repo/keeper"
)

// coder is a program that works in a directory: each prompt calls the next step.
type coder struct {
	steps []func(dir string) (answer string)

	mu      sync.Mutex
	dirs    []string
	prompts []string
}

const doneAnswer = "Done.\n```json\n{\"summary\": \"done\"}\n```"

func (c *coder) Open(_ context.Context, spec drive.Spec) (drive.Session, error) {
	return coding{c, spec.Workspace}, nil
}

type coding struct {
	*coder
	dir string
}

func (coding) ID() string   { return "" }
func (coding) Close() error { return nil }

func (c coding) Turn(_ context.Context, p drive.Prompt, _ drive.Sink) (drive.Answer, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	step := c.steps[min(len(c.prompts), len(c.steps)-1)]
	c.dirs, c.prompts = append(c.dirs, c.dir), append(c.prompts, p.Text)
	return drive.Answer{Text: step(c.dir)}, nil
}

// write returns a step that writes a file and hands over the result.
func write(t *testing.T, name, content string) func(string) string {
	return func(dir string) string {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Error(err)
		}
		return doneAnswer
	}
}

// shop is a repository with a check, and a keeper that creates worktrees of the repository and runs
// one check at a time.
type shop struct {
	repo contracts.Repo
	*keeper.Keeper
}

func newShop(t *testing.T, file string) shop {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "shop")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	write(t, ".bullpen.yaml", file)(dir)
	write(t, "a.txt", "one\n")(dir)
	for _, args := range [][]string{{"init", "--quiet", "--initial-branch=main"}, {"add", "--all"}, {"-c", "user.name=a", "-c", "user.email=a@example.org", "commit", "--quiet", "-m", "first"}} {
		cmd := exec.Command("git", args...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	k := keeper.New(keeper.Config{Dir: filepath.Join(t.TempDir(), "worktrees"), ID: "office_1", Env: process.Environment(os.Environ()), Checks: 1})
	return shop{contracts.Repo{Name: "shop", Path: dir}, k}
}

func (s shop) work(id string) contracts.Work {
	w := taskWork(id, 1)
	w.Project.Repo, w.Repo, w.Runner = "shop", &s.repo, "coder"
	return w
}

// await waits until the office has n facts of a type.
func await[T contracts.Fact](t *testing.T, o *office, n int) []T {
	t.Helper()
	for deadline := time.Now().Add(2 * time.Minute); ; time.Sleep(5 * time.Millisecond) {
		if got := factsOf[T](o); len(got) >= n {
			return got
		}
		if time.Now().After(deadline) {
			o.mu.Lock()
			defer o.mu.Unlock()
			t.Fatalf("fewer than %d facts: %+v", n, o.facts)
		}
	}
}

const unit = "checks:\n  - name: unit\n    command: grep two a.txt || { echo a.txt must say two; exit 3; }\n"

// A task in a repository is done in its own worktree. A failed check goes back to the same agent
// with its output; the delivered patch contains the files on which the checks passed.
func TestTaskInRepository(t *testing.T) {
	s := newShop(t, unit)
	agent := &coder{steps: []func(string) string{
		func(dir string) string {
			write(t, ".bullpen.yaml", "checks: []\n")(dir) // an agent cannot weaken its checks
			return write(t, "a.txt", "three\n")(dir)
		},
		write(t, "a.txt", "two\n"),
	}}
	o := newOffice(s.work("task_a"))
	cfg := o.config(map[string]crew.Worker{"coder": {Driver: agent}})
	cfg.Repos = s
	stop := open(t, cfg)
	got := await[contracts.RunDelivered](t, o, 1)[0]
	stop()
	prepared := factsOf[contracts.TaskPrepared](o)
	if len(prepared) != 1 || prepared[0].Worktree.Repo != "shop" || prepared[0].Worktree.Target != "main" || len(prepared[0].Worktree.Checks) != 1 {
		t.Fatalf("prepared %+v", prepared)
	}
	w := prepared[0].Worktree
	if d := cmp.Diff([]string{w.Dir, w.Dir}, agent.dirs); d != "" || w.Dir == s.repo.Path {
		t.Errorf("worked in %v", agent.dirs)
	}
	if !strings.Contains(agent.prompts[0], w.Branch) || !strings.Contains(agent.prompts[0], "unit: grep two") {
		t.Errorf("first prompt:\n%s", agent.prompts[0])
	}
	if !strings.Contains(agent.prompts[1], "It failed: exit code 3.") || !strings.Contains(agent.prompts[1], "a.txt must say two") {
		t.Errorf("second prompt:\n%s", agent.prompts[1])
	}
	ran := factsOf[contracts.CheckRan](o)
	if len(ran) != 2 || ran[0].Result.ExitCode != 3 || ran[1].Result.ExitCode != 0 || ran[0].Result.Tree == ran[1].Result.Tree {
		t.Fatalf("ran %+v", ran)
	}
	patch := got.Artifacts[0]
	want := contracts.ArtifactDraft{Type: contracts.ArtifactPatch, Title: "Write a blog post", MIME: contracts.MIMEPatch, Bytes: patch.Bytes, SHA256: patch.SHA256,
		Tree: ran[1].Result.Tree, Base: w.Base, Stat: &contracts.DiffStat{Files: 2, Added: 2, Deleted: 4}}
	if d := cmp.Diff(want, patch); d != "" || len(got.Artifacts) != 1 {
		t.Errorf("%s", d)
	}
	if b, _, _ := o.Blob(t.Context(), patch.SHA256); !strings.Contains(string(b), "-one\n+two\n") {
		t.Errorf("patch:\n%s", b)
	}
	shown := 0
	for _, f := range factsOf[contracts.HUDSeen](o) {
		if f.HUD.Event == contracts.HUDToolEnd && f.HUD.Tool == "check" {
			shown++
		}
	}
	if shown != 2 {
		t.Errorf("%d checks are shown", shown)
	}
	checkActivity(t, o)
}

// The request's acceptance checks count in addition to the repository's own: the office runs those
// that it can, and sends failures back to the agent.
func TestAcceptanceChecks(t *testing.T) {
	s := newShop(t, unit)
	agent := &coder{steps: []func(string) string{write(t, "a.txt", "two\n"), write(t, "notes.md", "notes\n")}}
	work := s.work("task_a")
	work.Project.Accept = []string{"cmd: grep two a.txt", "file: notes.md", "agent", "person"}
	o := newOffice(work)
	cfg := o.config(map[string]crew.Worker{"coder": {Driver: agent}})
	cfg.Repos = s
	stop := open(t, cfg)
	got := await[contracts.RunDelivered](t, o, 1)[0]
	stop()
	var ran []string
	for _, f := range factsOf[contracts.CheckRan](o) {
		ran = append(ran, fmt.Sprintf("%s %q %d", f.Result.Name, f.Result.Kind, f.Result.ExitCode))
	}
	want := []string{
		`unit "" 0`, `accept: grep two a.txt "" 0`, `accept: file: notes.md "file" 1`,
		`unit "" 0`, `accept: grep two a.txt "" 0`, `accept: file: notes.md "file" 0`,
	}
	if d := cmp.Diff(want, ran); d != "" {
		t.Errorf("checks (-want +got):\n%s", d)
	}
	if len(agent.prompts) != 2 || !strings.Contains(agent.prompts[0], "- accept: file: notes.md\n") || !strings.Contains(agent.prompts[1], "notes.md is not in the tree") {
		t.Errorf("prompts:\n%s", strings.Join(agent.prompts, "\n---\n"))
	}
	if checks := factsOf[contracts.TaskPrepared](o)[0].Worktree.Checks; len(checks) != 5 || checks[4].Kind != contracts.CheckPerson || got.Artifacts[0].Tree == "" {
		t.Errorf("prepared %+v, delivered %+v", checks, got.Artifacts)
	}
}

// After repeated failures, the work is delivered as it is, so that a person can decide.
func TestChecksKeepFailing(t *testing.T) {
	s := newShop(t, unit)
	agent := &coder{steps: []func(string) string{write(t, "a.txt", "three\n")}}
	o := newOffice(s.work("task_a"))
	cfg := o.config(map[string]crew.Worker{"coder": {Driver: agent}})
	cfg.Repos = s
	stop := open(t, cfg)
	await[contracts.RunDelivered](t, o, 1)
	stop()
	if n := len(agent.prompts); n != 1+contracts.LimitCheckRounds {
		t.Errorf("%d prompts", n)
	}
}

// An agent that changed nothing is prompted again. A document alone is a valid result.
func TestNothingChanged(t *testing.T) {
	s := newShop(t, unit)
	document := "```json\n{\"artifacts\": [{\"type\": \"report\", \"title\": \"Why\", \"content\": \"Nothing to do.\"}]}\n```"
	for name, c := range map[string]struct {
		second string
		want   string // type of the artifact, or part of the reason
	}{
		"document": {document, "report"},
		"again":    {doneAnswer, "changed nothing"},
	} {
		t.Run(name, func(t *testing.T) {
			agent := &coder{steps: []func(string) string{func(string) string { return doneAnswer }, func(string) string { return c.second }}}
			o := newOffice(s.work("task_" + name))
			cfg := o.config(map[string]crew.Worker{"coder": {Driver: agent}})
			cfg.Repos = s
			stop := open(t, cfg)
			if name == "document" {
				if got := await[contracts.RunDelivered](t, o, 1); len(got[0].Artifacts) != 1 || got[0].Artifacts[0].Type != c.want {
					t.Errorf("%+v", got)
				}
			} else if got := await[contracts.RunBroke](t, o, 1); !strings.Contains(got[0].Reason, c.want) {
				t.Errorf("%+v", got)
			}
			stop()
			if len(factsOf[contracts.CheckRan](o)) != 0 || !strings.Contains(agent.prompts[1], "you changed nothing") {
				t.Errorf("%q", agent.prompts[1])
			}
		})
	}
}

// The files of an agent whose answers have no block are delivered too, if its runner accepts prose.
func TestProseInRepository(t *testing.T) {
	s := newShop(t, unit)
	agent := &coder{steps: []func(string) string{
		func(string) string { return "I am on it." },
		func(dir string) string { write(t, "a.txt", "two\n")(dir); return "I changed a.txt as you asked." },
	}}
	o := newOffice(s.work("task_a"))
	cfg := o.config(map[string]crew.Worker{"coder": {Driver: agent, Lenient: true}})
	cfg.Repos = s
	stop := open(t, cfg)
	got := await[contracts.RunDelivered](t, o, 1)[0]
	stop()
	ran := factsOf[contracts.CheckRan](o)
	if len(ran) != 1 || len(got.Artifacts) != 2 || got.Artifacts[0].Type != contracts.ArtifactPatch || got.Artifacts[0].Tree != ran[0].Result.Tree {
		t.Errorf("delivered %+v, ran %+v", got.Artifacts, ran)
	}
}

// Checks for several tasks run concurrently, but only up to the limit.
func TestChecksAtOnce(t *testing.T) {
	lock := filepath.Join(t.TempDir(), "lock")
	s := newShop(t, "checks:\n  - name: alone\n    command: mkdir "+lock+" && sleep 0.2 && rmdir "+lock+"\n")
	agent := &coder{steps: []func(string) string{write(t, "a.txt", "two\n")}}
	o := newOffice(s.work("task_a"), s.work("task_b"), s.work("task_c"))
	cfg := o.config(map[string]crew.Worker{"coder": {Driver: agent}})
	cfg.Repos = s
	stop := open(t, cfg)
	await[contracts.RunDelivered](t, o, 3)
	stop()
	ran := factsOf[contracts.CheckRan](o)
	for _, r := range ran {
		if r.Result.ExitCode != 0 {
			t.Errorf("two checks ran at the same time: %+v", r)
		}
	}
	if len(ran) != 3 {
		t.Errorf("%d checks ran, want 3", len(ran))
	}
}

// A crew that is stopped while a check runs records nothing about that check, and the next crew
// does the work.
func TestStoppedDuringACheck(t *testing.T) {
	started := filepath.Join(t.TempDir(), "started")
	s := newShop(t, "checks:\n  - name: slow\n    command: test -e "+started+" || { touch "+started+"; sleep 600; }\n")
	agent := &coder{steps: []func(string) string{write(t, "a.txt", "two\n")}}
	o := newOffice(s.work("task_a"))
	cfg := o.config(map[string]crew.Worker{"coder": {Driver: agent}})
	cfg.Repos = s
	stop := open(t, cfg)
	for deadline := time.Now().Add(2 * time.Minute); ; time.Sleep(5 * time.Millisecond) {
		if _, err := os.Stat(started); err == nil {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("the check did not start")
		}
	}
	stop()
	if ran := factsOf[contracts.CheckRan](o); len(ran) != 0 {
		t.Errorf("ran %+v", ran)
	}
	cfg = o.config(map[string]crew.Worker{"coder": {Driver: agent}})
	cfg.Repos = s
	stop = open(t, cfg)
	await[contracts.RunDelivered](t, o, 1)
	stop()
	if ran := factsOf[contracts.CheckRan](o); len(ran) != 1 || ran[0].Result.ExitCode != 0 {
		t.Errorf("ran %+v", ran)
	}
}

// A task whose repository was removed fails, and the reason says so.
func TestRepositoryRemoved(t *testing.T) {
	s := newShop(t, unit)
	w := s.work("task_a")
	w.Repo = nil
	o := newOffice(w)
	stop := open(t, o.config(map[string]crew.Worker{"coder": {Driver: &coder{}}}))
	if got := await[contracts.RunBroke](t, o, 1); !strings.Contains(got[0].Reason, "shop was removed") {
		t.Errorf("%+v", got)
	}
	stop()
}
