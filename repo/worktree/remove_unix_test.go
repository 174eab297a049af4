//go:build unix

package worktree_test

import (
	"errors"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/repo/worktree"
)

// Whatever an agent leaves in a worktree is reachable from a ref after every operation that removes
// or replaces the worktree.
func TestRemovalKeepsEverything(t *testing.T) {
	t.Parallel()
	leave := func(work tree) (contents []string) {
		put := func(name string) {
			content := "only in " + name + "\n"
			work.write(name, content)
			contents = append(contents, content)
		}
		put("committed.txt")
		work.commit("committed")
		put("amended.txt")
		work.commit("amended")
		work.git("reset", "--quiet", "--hard", "HEAD^")
		work.git("checkout", "--quiet", "--detach")
		put("detached.txt")
		work.commit("detached")
		work.git("checkout", "--quiet", task.Branch)
		put("stashed.txt")
		work.git("stash", "push", "--quiet", "--include-untracked")
		put("hidden.txt")
		work.git("add", "hidden.txt")
		work.git("commit", "--quiet", "-m", "hidden")
		work.git("update-index", "--skip-worktree", "hidden.txt")
		put("hidden.txt")
		put("staged.txt")
		work.git("add", "staged.txt")
		work.write("staged.txt", "other\n")
		put("untracked \xff.txt")
		work.must(os.Symlink("/nowhere", work.path("link")))
		return contents
	}
	for name, remove := range map[string]func(*rig, *worktree.Worktree) error{
		"remove": func(r *rig, w *worktree.Worktree) error { return r.store.Remove(r.Context(), w, later()) },
		"remove from another branch": func(r *rig, w *worktree.Worktree) error {
			tree{r.T, w.Dir}.git("checkout", "--quiet", "--detach")
			return r.store.Remove(r.Context(), w, later())
		},
		"remove with an empty trash": func(r *rig, w *worktree.Worktree) error {
			if err := r.store.Remove(r.Context(), w, later()); err != nil {
				return err
			}
			r.sweep(time.Now().Add(2 * contracts.TrashAge))
			return nil
		},
		"update": func(r *rig, w *worktree.Worktree) error {
			r.write("other.txt", "other\n")
			r.commit("the target moves")
			return w.Update(r.Context(), "update", "")
		},
		"update from another branch": func(r *rig, w *worktree.Worktree) error {
			r.write("other.txt", "other\n")
			r.commit("the target moves")
			tree{r.T, w.Dir}.git("checkout", "--quiet", "--detach")
			return w.Update(r.Context(), "update", "")
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t)
			work, w := r.add()
			contents := leave(work)
			r.must(remove(r, w))
			r.git("stash", "clear")
			r.collect()
			for _, content := range contents {
				if !r.has(content) {
					t.Errorf("lost: %q", content)
				}
			}
		})
	}
}

// sweep deletes old directories in the trash.
func (r *rig) sweep(now time.Time) {
	r.Helper()
	if failed, err := r.store.Sweep(now); err != nil || len(failed) > 0 {
		r.Errorf("%v, %v", failed, err)
	}
}

// After a removal, the branch and git's entry are gone, other worktrees are untouched, and ignored
// files stay in the trash for a while.
func TestRemove(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	work, w := r.add()
	work.write("ignored.log", "ignored\n")
	other := r.dir + "-other"
	r.git("worktree", "add", "--quiet", "-b", "other", other)
	r.must(os.Rename(other, other+"-unmounted"))
	r.must(r.store.Remove(t.Context(), w, later()))
	if got := r.git("branch", "--list", "bullpen/*"); got != "" {
		t.Errorf("branches: %s", got)
	}
	if got := r.git("worktree", "list"); strings.Contains(got, w.Dir) || !strings.Contains(got, other) {
		t.Errorf("worktrees:\n%s", got)
	}
	trash := func() []string {
		list, err := filepath.Glob(filepath.Join(r.store.Dir, ".trash", "*", "ignored.log"))
		r.must(err)
		return list
	}
	r.sweep(time.Now())
	if len(trash()) != 1 {
		t.Errorf("%v", trash())
	}
	r.sweep(time.Now().Add(2 * contracts.TrashAge))
	if len(trash()) != 0 {
		t.Errorf("%v", trash())
	}
	if again, _ := r.add(); again.git("status", "--porcelain") != "" {
		t.Error("the worktree cannot be recreated")
	}
}

// A removal that was interrupted after the files were moved is completed by the next one.
func TestRemoveTwice(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	work, w := r.add()
	work.write("a.txt", "staged\n")
	work.git("add", "--all")
	r.must(os.RemoveAll(w.Dir))
	r.must(r.store.Remove(t.Context(), w, later()))
	r.collect()
	if !r.has("staged\n") {
		t.Error("a staged file is lost")
	}
	if got := r.git("worktree", "list"); strings.Contains(got, w.Dir) {
		t.Errorf("worktrees:\n%s", got)
	}
}

// A worktree with content that a snapshot cannot contain is neither removed nor updated.
func TestRemoveRefused(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(tree){
		"repository inside": func(work tree) {
			inner := tree{work.T, work.path("inner")}
			work.must(os.Mkdir(inner.dir, 0o700))
			inner.git("init", "--quiet")
			inner.commit("inner")
		},
		"unreadable": func(work tree) {
			work.must(os.Remove(work.path("a.txt")))
			work.must(syscall.Mkfifo(work.path("a.txt"), 0o600))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t)
			work, w := r.add()
			change(work)
			for path, err := range map[string]error{"remove": r.store.Remove(t.Context(), w, later()), "update": w.Update(t.Context(), "", "")} {
				if !errors.Is(err, worktree.ErrIncomplete) {
					t.Errorf("%s: %v", path, err)
				}
			}
			if _, err := os.Stat(w.Dir); err != nil {
				t.Error(err)
			}
		})
	}
}

// A directory that is no longer the task's worktree is not removed, because a snapshot would not
// contain its files. Other worktrees are removed.
func TestRemoveStrange(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(r *rig, work tree){
		"without a link to the repository": func(r *rig, work tree) { r.must(os.Remove(work.path(".git"))) },
		"a repository of its own": func(r *rig, work tree) {
			r.must(os.Remove(work.path(".git")))
			work.git("init", "--quiet")
		},
		"a link to nowhere": func(r *rig, work tree) {
			r.must(os.Rename(work.dir, work.dir+"-moved"))
			r.must(os.Symlink(work.dir+"-gone", work.dir))
		},
	} {
		for _, store := range []string{"../data", "data.log"} { // the second one is in the repository, which ignores it
			t.Run(name+" in "+store, func(t *testing.T) {
				t.Parallel()
				r := newRig(t)
				r.store.Dir = r.path(store)
				work, strange := r.add()
				r.task = worktree.Task{ID: "task_2", Branch: "bullpen/shop-2"}
				_, other := r.add()
				change(r, work)
				found, err := r.store.WorktreesOf(t.Context(), r.dir)
				r.must(err)
				for _, w := range append(found, strange) {
					var want error
					if w.Dir == strange.Dir {
						want = worktree.ErrOccupied
					}
					if err := r.store.Remove(t.Context(), w, later()); !errors.Is(err, want) {
						t.Errorf("%s: %v", w.Task, err)
					}
				}
				if _, err := os.Lstat(strange.Dir); err != nil || len(found) != 2 {
					t.Errorf("%d worktrees, %v", len(found), err)
				}
				if _, err := os.Lstat(other.Dir); !errors.Is(err, os.ErrNotExist) {
					t.Errorf("the other worktree: %v", err)
				}
			})
		}
	}
}

// A branch that is also checked out elsewhere is kept.
func TestRemoveKeepsBranchInUse(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	_, w := r.add()
	r.git("checkout", "--quiet", "--ignore-other-worktrees", task.Branch)
	r.must(r.store.Remove(t.Context(), w, later()))
	if got := r.git("status", "--porcelain"); got != "" {
		t.Errorf("the user's working tree changed:\n%s", got)
	}
}

// If the disk is full, nothing is removed.
func TestFullDisk(t *testing.T) {
	program, err := exec.LookPath("git")
	if err != nil {
		t.Fatal(err)
	}
	r := newRig(t)
	work, w := r.add()
	content := make([]byte, 1<<20)
	_, _ = rand.NewChaCha8([32]byte{}).Read(content) // never fails
	work.write("large.bin", string(content))
	r.bin("git", "ulimit -f 16; exec "+program+` "$@"`) // git cannot write files larger than 16 blocks
	again, err := r.store.Add(t.Context(), r.dir, task)
	r.must(err)
	if err := r.store.Remove(t.Context(), again, later()); err == nil {
		t.Error("removed although nothing could be saved")
	}
	if err := again.Update(t.Context(), "update", ""); err == nil {
		t.Error("updated although nothing could be saved")
	}
	if work.read("large.bin") != string(content) || w.Dir != again.Dir {
		t.Error("the file is lost")
	}
}
