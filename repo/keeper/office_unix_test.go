//go:build unix

package keeper_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/drive/process"
	"github.com/bullpen-office/bullpen/repo/keeper"
	"github.com/bullpen-office/bullpen/world"
	"github.com/bullpen-office/bullpen/world/scene"
)

// testTimeout is the timeout of every wait: far more than a busy machine needs.
const testTimeout = 2 * time.Minute

// rig is an office with a keeper and one task in a repository. The repository's check passes if a.txt
// contains "two".
type rig struct {
	*testing.T
	shop   string // the repository
	dir    string // directory of the worktrees
	id     string // id of the office
	keeper *keeper.Keeper
	stop   func() // stops Run

	past    time.Duration // how long ago events happened
	mu      sync.Mutex
	world   *world.World
	seq     uint64
	changed chan struct{}
	facts   []contracts.Fact
	blobs   shelf
}

func newRig(t *testing.T) *rig {
	t.Helper()
	home, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	r := &rig{T: t, shop: filepath.Join(home, "shop")}
	r.must(os.Mkdir(r.shop, 0o700))
	r.git("init", "--quiet", "--initial-branch=main")
	r.put(r.shop, ".bullpen.yaml", "checks:\n  - name: unit\n    command: grep two a.txt\n")
	r.put(r.shop, "a.txt", "one\n")
	r.commit("first")
	r.open("office_1")
	return r
}

// open resets the rig to a new office that has the given id and the rig's repository and task.
func (r *rig) open(id string) {
	r.Helper()
	r.world, r.seq, r.changed, r.id, r.facts = world.New(scene.Default()), 0, make(chan struct{}), id, nil
	r.blobs.kept = map[string]string{}
	r.dir = filepath.Join(filepath.Dir(r.shop), "worktrees-"+id)
	r.apply(
		&contracts.Event{Name: contracts.EventOfficeCreated, OfficeID: "ltest"},
		&contracts.Event{Name: contracts.EventRepoAdded, Repo: &contracts.Repo{Name: "shop", Path: r.shop}},
		&contracts.Event{Name: contracts.EventRequestSubmitted, ProjectID: "proj_p1", Project: &contracts.Project{ProjectID: "proj_p1", Repo: "shop"}},
		&contracts.Event{Name: contracts.EventTasksCreated, ProjectID: "proj_p1", Tasks: []contracts.Task{{TaskID: "task_t1", ProjectID: "proj_p1", Title: "Say two"}}},
	)
	r.keeper = keeper.New(r.config())
}

func (r *rig) config() keeper.Config {
	return keeper.Config{Dir: r.dir, ID: r.id, Env: process.Environment(os.Environ()), Office: r, View: r, Blobs: &r.blobs, Watch: 10 * time.Millisecond}
}

// run starts the keeper, which runs until r.stop is called or the test ends.
func (r *rig) run(cfg keeper.Config) {
	r.keeper = keeper.New(cfg)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- r.keeper.Run(ctx) }()
	r.stop = sync.OnceFunc(func() {
		cancel()
		if err := <-done; err != nil {
			r.Error(err)
		}
	})
	r.Cleanup(r.stop)
}

func (r *rig) must(err error) {
	r.Helper()
	if err != nil {
		r.Fatal(err)
	}
}

func (r *rig) git(args ...string) string {
	r.Helper()
	cmd := exec.Command("git", append([]string{"-C", r.shop, "-c", "user.name=a", "-c", "user.email=a@example.org"}, args...)...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		r.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

func (r *rig) put(dir, name, content string) {
	r.Helper()
	r.must(os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600))
}

// commit commits everything in the repository, and returns the commit.
func (r *rig) commit(title string) string {
	r.Helper()
	r.git("add", "--all")
	r.git("commit", "--quiet", "-m", title)
	return r.git("rev-parse", "HEAD")
}

func (r *rig) Peek(fn func(*world.World)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	fn(r.world)
}

func (r *rig) Changed() <-chan struct{} {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.changed
}

// apply records events.
func (r *rig) apply(events ...*contracts.Event) {
	r.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, e := range events {
		r.seq++
		rec, err := contracts.NewRecord(r.seq, time.Now().Add(-r.past).UnixMilli(), "", e)
		if err == nil {
			err = r.world.Apply(rec)
		}
		if err != nil {
			r.Errorf("%s: %v", e.Name, err)
		}
	}
	close(r.changed)
	r.changed = make(chan struct{})
}

// Record records what the director would record for a keeper's facts.
func (r *rig) Record(_ context.Context, f contracts.Fact) error {
	var e contracts.Event
	switch f := f.(type) {
	case contracts.TreeSeen:
		e = contracts.Event{Name: contracts.EventTaskTreeChanged, TaskID: f.TaskID, Tree: f.Tree}
		if f.Base != "" {
			w := *r.task().Worktree
			w.Base = f.Base
			e.Worktree = &w
		}
	case contracts.CheckRan:
		e = contracts.Event{Name: contracts.EventCheckFinished, TaskID: f.TaskID, Check: &f.Result}
	case contracts.Landed:
		l := *r.task().Landing
		l.Status, l.Commit = contracts.LandDone, f.Commit
		e = contracts.Event{Name: contracts.EventTaskLanded, TaskID: f.TaskID, Landing: &l}
		if l.DryRun {
			l.Status, e.Name = contracts.LandChecked, contracts.EventLandingChecked
		}
	case contracts.LandingFailed:
		l := *r.task().Landing
		l.Status, l.Reason = contracts.LandFailed, f.Reason
		e = contracts.Event{Name: contracts.EventLandingFailed, TaskID: f.TaskID, Landing: &l}
	}
	r.apply(&e)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.facts = append(r.facts, f)
	return nil
}

// task returns the task as it is recorded.
func (r *rig) task() (t contracts.Task) {
	r.Peek(func(w *world.World) { t = w.TaskRow(w.Task("task_t1")) })
	return t
}

func (r *rig) work() contracts.Work {
	return contracts.Work{Repo: &contracts.Repo{Name: "shop", Path: r.shop}, Task: &contracts.TaskWork{Task: r.task()}}
}

// prepare prepares the task's worktree and returns its directory.
func (r *rig) prepare() string {
	r.Helper()
	w, err := r.keeper.Prepare(r.Context(), r.work())
	r.must(err)
	r.apply(&contracts.Event{Name: contracts.EventTaskPrepared, TaskID: "task_t1", Worktree: &w})
	return w.Dir
}

// deliver delivers the worktree's files, without checking them, and returns their tree.
func (r *rig) deliver() string {
	r.Helper()
	patch, err := r.keeper.SavePatch(r.Context(), r.work())
	r.must(err)
	r.apply(&contracts.Event{Name: contracts.EventTaskTreeChanged, TaskID: "task_t1", Tree: patch.Tree})
	return patch.Tree
}

// land requests a landing of the task's files and returns its outcome.
func (r *rig) land(l contracts.Landing) contracts.Fact {
	r.Helper()
	t := r.task()
	l.Number, l.Status, l.Tree, l.Target = 1, contracts.LandRequested, t.Tree, "main"
	if t.Landing != nil {
		l.Number = t.Landing.Number + 1
	}
	r.apply(&contracts.Event{Name: contracts.EventLandingRequested, TaskID: "task_t1", Landing: &l})
	var outcome contracts.Fact
	r.wait("the landing ends", func() bool {
		r.mu.Lock()
		defer r.mu.Unlock()
		for _, f := range r.facts {
			switch end := f.(type) {
			case contracts.Landed:
				if end.Number == l.Number {
					outcome = f
				}
			case contracts.LandingFailed:
				if end.Number == l.Number {
					outcome = f
				}
			}
		}
		return outcome != nil
	})
	return outcome
}

func (r *rig) wait(what string, cond func() bool) {
	r.Helper()
	for end := time.Now().Add(testTimeout); !cond(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			r.Fatalf("timeout waiting until %s", what)
		}
	}
}

// has reports whether a ref contains a file with this content.
func (r *rig) has(content string) bool {
	r.Helper()
	file := filepath.Join(r.TempDir(), "content")
	r.must(os.WriteFile(file, []byte(content), 0o600))
	hash := r.git("hash-object", file)
	return slices.ContainsFunc(strings.Split(r.git("rev-list", "--objects", "--all"), "\n"), func(row string) bool { return strings.HasPrefix(row, hash) })
}
