//go:build unix

package keeper_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/repo/keeper"
)

// Worktrees of finished tasks are removed, and their contents stay reachable from a ref.
func TestFinishedWorktrees(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(r *rig){
		"archived": func(r *rig) {
			r.apply(&contracts.Event{Name: contracts.EventProjectArchived, ProjectID: "proj_p1"})
		},
		"cancelled": func(r *rig) {
			r.apply(&contracts.Event{Name: contracts.EventTaskCancelled, TaskID: "task_t1"})
		},
		"landed": func(r *rig) {
			r.deliver()
			r.land(contracts.Landing{How: contracts.LandSquash})
		},
		"unknown to the ledger": func(r *rig) {
			r.stop()
			r.open("office_1")
			r.apply(&contracts.Event{Name: contracts.EventProjectArchived, ProjectID: "proj_p1"})
			r.run(r.later())
		},
		"removed only in part": func(r *rig) { // the office was killed before git forgot the worktree
			r.stop()
			r.deliver()
			r.must(os.Rename(filepath.Join(r.dir, r.tasks()[0]), filepath.Join(r.TempDir(), "trash")))
			r.apply(&contracts.Event{Name: contracts.EventProjectArchived, ProjectID: "proj_p1"})
			r.run(r.later())
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t)
			dir := r.prepare()
			r.put(dir, "a.txt", "two\n")
			r.git("-C", dir, "commit", "--quiet", "--all", "-m", "by the agent")
			r.put(dir, "new.txt", "only here\n")
			r.run(r.later())
			end(r)
			r.wait("nothing is left", func() bool {
				return len(r.tasks()) == 0 && !strings.Contains(r.git("worktree", "list"), dir) && r.git("branch", "--list", "bullpen/*") == ""
			})
			r.stop()
			r.git("gc", "--quiet", "--prune=now")
			for _, content := range []string{"two\n", "only here\n"} {
				if !r.has(content) {
					t.Errorf("lost: %q", content)
				}
			}
		})
	}
}

// A worktree stays if its task is not finished, if its files were edited after the work landed, or
// if a snapshot cannot contain all of its files.
func TestNeededWorktrees(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(r *rig, dir string){
		"in progress": func(*rig, string) {},
		"edited after it landed": func(r *rig, dir string) {
			tree := r.deliver()
			r.put(dir, "a.txt", "two and more\n")
			r.apply(&contracts.Event{Name: contracts.EventTaskTreeChanged, TaskID: "task_t1", Tree: strings.Repeat("a", 40)})
			r.apply(&contracts.Event{Name: contracts.EventTaskLanded, TaskID: "task_t1", Landing: &contracts.Landing{Status: contracts.LandDone, Tree: tree}})
		},
		"edited after it landed, while the office was not running": func(r *rig, dir string) {
			tree := r.deliver()
			r.apply(&contracts.Event{Name: contracts.EventTaskLanded, TaskID: "task_t1", Landing: &contracts.Landing{Status: contracts.LandDone, Tree: tree}})
			r.put(dir, "a.txt", "two and more\n")
		},
		"with a repository inside": func(r *rig, dir string) {
			r.git("init", "--quiet", filepath.Join(dir, "inside"))
			r.put(filepath.Join(dir, "inside"), "file", "inside\n")
			r.git("-C", filepath.Join(dir, "inside"), "add", "file")
			r.git("-C", filepath.Join(dir, "inside"), "commit", "--quiet", "-m", "inside")
			r.apply(&contracts.Event{Name: contracts.EventProjectArchived, ProjectID: "proj_p1"})
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t)
			dir := r.prepare()
			r.put(dir, "a.txt", "two\n")
			end(r, dir)
			// A second worktree, of a task that is not in the office, shows that the keeper has looked.
			other := &rig{T: t, shop: r.shop}
			other.open("office_2")
			other.dir = r.dir
			other.keeper = keeper.New(other.config())
			orphan := other.prepare()
			r.run(r.later())
			r.wait("the other worktree is removed", func() bool { _, err := os.Stat(orphan); return os.IsNotExist(err) })
			r.stop()
			if _, err := os.Stat(filepath.Join(dir, "a.txt")); err != nil {
				t.Error(err)
			}
		})
	}
}

// A worktree in which a person keeps working after its task was cancelled stays until its files have
// been unchanged for a while.
func TestEditedAfterItWasCancelled(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	dir := r.prepare()
	r.past = 2 * contracts.WorktreeKeep
	r.apply(&contracts.Event{Name: contracts.EventTaskCancelled, TaskID: "task_t1"})
	r.put(dir, "by_hand.txt", "by hand\n")
	r.run(r.config())
	r.wait("the files are saved", func() bool { return r.has("by hand\n") })
	r.stop()
	if _, err := os.Stat(filepath.Join(dir, "by_hand.txt")); err != nil {
		t.Fatal(err)
	}
	r.run(r.later())
	r.wait("the worktree is removed", func() bool { return len(r.tasks()) == 0 })
}

// later configures a keeper whose clock is ahead, so that finished tasks are old.
func (r *rig) later() (cfg keeper.Config) {
	cfg = r.config()
	cfg.Now = func() time.Time { return time.Now().Add(2 * contracts.WorktreeKeep) }
	return cfg
}

// tasks lists the names of the tasks' worktrees.
func (r *rig) tasks() (names []string) {
	r.Helper()
	list, err := filepath.Glob(filepath.Join(r.dir, "task_*"))
	r.must(err)
	for _, path := range list {
		names = append(names, filepath.Base(path))
	}
	return names
}
