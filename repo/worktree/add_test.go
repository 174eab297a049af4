package worktree_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/bullpen-office/bullpen/repo/git"
	"github.com/bullpen-office/bullpen/repo/worktree"
)

// A task gets a worktree with the files of the target branch, on a branch of its own. The user's
// working tree, with all its changes, stays untouched.
func TestAdd(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	base := r.git("rev-parse", "HEAD")
	r.write("a.txt", "changed by the user\n")
	r.write("new.txt", "new\n")
	before := r.own()
	work, w := r.add()
	if w.Base != base || w.Target != "main" || w.Branch != task.Branch || work.git("symbolic-ref", "--short", "HEAD") != task.Branch {
		t.Errorf("%+v", w)
	}
	if work.read("a.txt") != "one\ntwo\nthree\n" || work.git("status", "--porcelain") != "" {
		t.Errorf("the worktree is not a clean checkout: %s", work.git("status", "--porcelain"))
	}
	if after := r.own(); after != before {
		t.Errorf("the user's working tree changed:\n%s", cmp.Diff(before, after))
	}
	if _, err := r.try("worktree", "remove", "--force", w.Dir); err == nil {
		t.Error("the worktree is not locked")
	}
	work.write("a.txt", "changed by the agent\n")
	r.commit("the target moves on")
	if _, again := r.add(); again.Base != base || work.read("a.txt") != "changed by the agent\n" {
		t.Errorf("a second Add started again: %+v", again)
	}
}

// Repositories of every kind can be used.
func TestAddKinds(t *testing.T) {
	t.Parallel()
	for name, prepare := range map[string]func(*rig){
		"shallow": func(r *rig) {
			r.commit("second")
			from := r.dir
			r.dir += "-shallow"
			tree{r.T, from}.git("clone", "--quiet", "--depth=1", "file://"+strings.ReplaceAll(from, " ", "%20"), r.dir)
		},
		"linked worktree": func(r *rig) {
			r.git("worktree", "add", "--quiet", "-b", "other", r.dir+"-linked")
			r.dir += "-linked"
		},
		"submodule": func(r *rig) {
			r.git("submodule", "--quiet", "add", filepath.Join(r.dir, ".git"), "sub")
			r.commit("with a submodule")
		},
		"repository inside": func(r *rig) {
			inner := tree{r.T, r.path("inner")}
			r.must(os.Mkdir(inner.dir, 0o700))
			inner.git("init", "--quiet")
			inner.commit("inner")
		},
		"sparse checkout": func(r *rig) { r.git("sparse-checkout", "set", "--no-cone", "/a.txt") },
		"detached": func(r *rig) {
			r.git("branch", "other")
			r.git("checkout", "--quiet", "--detach")
			r.task.Target = "other"
		},
		"odd names": func(r *rig) {
			for _, name := range []string{"qu\"ote", "tab\t", "line\nbreak", "-rf", ":(top)", "back\\slash", "ü", "latin\xfc", "Case", "case"} {
				r.write(name, name)
			}
			r.commit("odd names")
		},
		"unfinished merge": func(r *rig) { r.write(".git/MERGE_HEAD", r.git("rev-parse", "HEAD")+"\n") },
		"user's lock":      func(r *rig) { r.write(".git/index.lock", "") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if runtime.GOOS == "windows" {
				t.Skip("Unix file names")
			}
			r := newRig(t)
			prepare(r)
			work, w := r.add()
			work.write("a.txt", "changed\n")
			p, err := w.Patch(t.Context(), w.Base, r.deliver(w))
			if err != nil || cmp.Diff([]string{"a.txt"}, changedFiles(p)) != "" {
				t.Errorf("%v\n%s", err, p.Content)
			}
			r.must(r.store.Remove(t.Context(), w, later()))
		})
	}
}

// Add refuses unusable repositories, branches and directories, and says why.
func TestAddRefused(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		prepare func(*rig)
		want    string
	}{
		"bare": {func(r *rig) {
			r.git("clone", "--quiet", "--bare", ".", r.dir+".git")
			r.dir += ".git"
		}, git.ErrBare.Error()},
		"not a repository": {func(r *rig) { r.dir = r.TempDir() }, git.ErrNotRepo.Error()},
		"no commit": {func(r *rig) {
			r.dir = r.TempDir()
			r.git("init", "--quiet", "--initial-branch=main")
		}, worktree.ErrNoCommit.Error()},
		"detached":       {func(r *rig) { r.git("checkout", "--quiet", "--detach") }, worktree.ErrDetached.Error()},
		"branch exists":  {func(r *rig) { r.git("branch", task.Branch) }, worktree.ErrBranchExists.Error()},
		"branch in path": {func(r *rig) { r.git("branch", "bullpen") }, "refs/heads/bullpen"},
		"occupied": {func(r *rig) {
			r.must(os.MkdirAll(filepath.Join(r.store.Dir, task.ID), 0o700))
			r.must(os.WriteFile(filepath.Join(r.store.Dir, task.ID, "mine"), []byte("mine"), 0o600))
		}, worktree.ErrOccupied.Error()},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t)
			c.prepare(r)
			refs, _ := r.try("for-each-ref", "refs/heads")
			if _, err := r.store.Add(t.Context(), r.dir, task); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v, want %s", err, c.want)
			}
			if after, _ := r.try("for-each-ref", "refs/heads"); after != refs && name != "occupied" {
				t.Errorf("refs before\n%s\nafter\n%s", refs, after)
			}
		})
	}
}

// Worktrees can be created concurrently.
func TestAddParallel(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	var all sync.WaitGroup
	errs := make([]error, 12)
	for i := range errs {
		all.Go(func() {
			_, errs[i] = r.store.Add(t.Context(), r.dir, worktree.Task{ID: fmt.Sprintf("task_%d", i), Branch: fmt.Sprintf("bullpen/shop-%d", i)})
		})
	}
	all.Wait()
	r.must(errors.Join(errs...))
}

// A worktree whose directory was deleted by hand is recreated with the files that were saved last.
func TestDeletedByHand(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change func(r *rig, work tree)
		want   string // content of a.txt
	}{
		"snapshot":       {func(*rig, tree) {}, "saved\n"},
		"branch deleted": {func(r *rig, _ tree) { r.git("worktree", "prune"); r.git("update-ref", "-d", "refs/heads/"+task.Branch) }, "saved\n"},
		"pruned":         {func(r *rig, _ tree) { r.git("worktree", "unlock", r.worktree()); r.git("worktree", "prune") }, "saved\n"},
		"newer commit": {func(_ *rig, work tree) {
			work.write("a.txt", "committed\n")
			work.commit("newer")
		}, "committed\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t)
			work, w := r.add()
			work.write("a.txt", "saved\n")
			work.write("untracked.txt", "untracked\n")
			r.deliver(w)
			if name == "newer commit" {
				c.change(r, work)
			}
			r.must(os.RemoveAll(w.Dir))
			if name != "newer commit" {
				c.change(r, work)
			}
			r.collect()
			again, _ := r.add()
			if got := again.read("a.txt"); got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
			if again.read("untracked.txt") != "untracked\n" {
				t.Error("an untracked file is lost")
			}
		})
	}
}

// State that is stored only in git's entry for a deleted worktree, such as staged files, is kept
// when the worktree is recreated.
func TestDeletedByHandKeepsTheEntry(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	work, w := r.add()
	work.write("a.txt", "staged\n")
	work.git("add", "a.txt")
	work.git("checkout", "--quiet", "--detach")
	work.write("b.txt", "detached\n")
	work.commit("detached")
	work.git("checkout", "--quiet", task.Branch)
	r.must(os.RemoveAll(w.Dir))
	r.add()
	r.collect()
	for _, content := range []string{"staged\n", "detached\n"} {
		if !r.has(content) {
			t.Errorf("%q is lost", content)
		}
	}
}

// If an agent deletes the index, the worktree's files are saved before they are checked out again.
func TestIndexDeleted(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	work, w := r.add()
	work.write("a.txt", "not committed\n")
	work.write("new.txt", "untracked\n")
	r.must(os.Remove(filepath.Join(w.Repo().GitDir, "index")))
	again, _ := r.add()
	if got := again.git("status", "--porcelain", "--untracked-files=no"); got != "" {
		t.Errorf("%q", got)
	}
	r.collect()
	if !r.has("not committed\n") || again.read("new.txt") != "untracked\n" {
		t.Error("the agent's files are lost")
	}
}

// A base that an agent chose is refused; a base that an update moved along the target branch is
// accepted.
func TestCheckBase(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	work, w := r.add()
	base := w.Base
	r.must(w.CheckBase(t.Context(), base))
	r.must(w.CheckBase(t.Context(), ""))
	r.write("other.txt", "other\n")
	moved := r.commit("the target moves")
	r.must(w.Update(t.Context(), "update", ""))
	r.must(w.CheckBase(t.Context(), base))
	work.write(".bullpen.yaml", "checks: []\n")
	own := work.commit("of the agent")
	work.git("update-ref", "refs/bullpen/"+task.ID+"/base", own)
	_, w = r.add()
	for _, recorded := range []string{base, moved, ""} {
		if err := w.CheckBase(t.Context(), recorded); !errors.Is(err, worktree.ErrBase) {
			t.Errorf("recorded %q: %v", recorded, err)
		}
	}
	work.git("update-ref", "refs/bullpen/"+task.ID+"/base", base)
	if _, w = r.add(); !errors.Is(w.CheckBase(t.Context(), moved), worktree.ErrBase) {
		t.Error("the base went back")
	}
}

// The worktrees of a repository are found again after the repository is moved.
func TestMoved(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	work, _ := r.add()
	work.write("a.txt", "changed\n")
	moved := r.dir + " moved"
	r.must(os.Rename(r.dir, moved))
	r.dir = moved
	again, w := r.add()
	if again.read("a.txt") != "changed\n" || w.Source != moved {
		t.Errorf("%+v", w)
	}
	if got := again.git("status", "--porcelain"); got != " M a.txt" {
		t.Errorf("%q", got)
	}
}

// If Add is killed at any moment, the next Add completes its work.
func TestAddKilled(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	for i := range 60 {
		r.write(fmt.Sprintf("many/%d.txt", i), strings.Repeat("x", i))
	}
	r.commit("many")
	random := rand.New(rand.NewPCG(3, 4))
	for i := range 12 {
		own := worktree.Task{ID: fmt.Sprintf("task_%d", i), Branch: fmt.Sprintf("bullpen/shop-%d", i)}
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Duration(random.IntN(80))*time.Millisecond, cancel)
		_, _ = r.store.Add(ctx, r.dir, own) // killed or complete, depending on the speed of the machine
		cancel()
		w, err := r.store.Add(t.Context(), r.dir, own)
		r.must(err)
		if got := (tree{t, w.Dir}).git("status", "--porcelain"); got != "" {
			t.Errorf("round %d:\n%s", i, got)
		}
	}
	r.git("fsck", "--no-dangling")
}

func (r *rig) worktree() string { return filepath.Join(r.store.Dir, task.ID) }
