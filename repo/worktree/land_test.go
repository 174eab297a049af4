package worktree_test

import (
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/bullpen-office/bullpen/repo/worktree"
)

// land delivers the worktree's files and lands them in the target branch.
func (r *rig) land(w *worktree.Worktree, how string) (worktree.Landed, error) {
	r.Helper()
	return w.Land(r.Context(), worktree.Landing{Tree: r.deliver(w), How: how, Title: "Change two"})
}

// Delivered changes land as a merge, as one commit or as the agent's commits. A target branch that
// is checked out moves together with its files, and the user's unrelated changes are kept.
func TestLand(t *testing.T) {
	t.Parallel()
	for how, want := range map[string]string{
		worktree.Merge:  "Change two\nChange two\nagent\nfirst",
		worktree.Squash: "Change two\nfirst",
		worktree.Rebase: "Change two\nagent\nfirst",
	} {
		for name, prepare := range map[string]func(*rig){
			"checked out":     func(*rig) {},
			"dirty":           func(r *rig) { r.write("src/main.go", "package dirty\n"); r.write("untracked.txt", "mine\n") },
			"not checked out": func(r *rig) { r.git("checkout", "--quiet", "-b", "elsewhere") },
		} {
			t.Run(how+", "+name, func(t *testing.T) {
				t.Parallel()
				r := newRig(t)
				work, w := r.add()
				prepare(r)
				status := r.git("status", "--porcelain")
				work.write("a.txt", "one\n2\nthree\n")
				work.commit("agent")
				work.write("new.txt", "new\n")
				head := work.git("rev-parse", "HEAD")
				tree := r.deliver(w)
				dry, err := w.Land(t.Context(), worktree.Landing{Tree: tree, How: how, Title: "Change two", DryRun: true})
				if err != nil || dry.Tree != tree || r.git("rev-parse", "main") != w.Base {
					t.Fatalf("dry run: %+v, %v", dry, err)
				}
				done, err := r.land(w, how)
				r.must(err)
				if r.git("rev-parse", "main") != done.Commit || r.git("rev-parse", "main^{tree}") != tree || done.Tree != tree || done.From != w.Base {
					t.Errorf("%+v", done)
				}
				if got := r.git("log", "--format=%s", "--topo-order", "main"); got != want {
					t.Errorf("history:\n%s", got)
				}
				if got := r.git("status", "--porcelain"); got != status {
					t.Errorf("status before %q, after %q", status, got)
				}
				if work.git("rev-parse", "HEAD") != head {
					t.Error("the task's branch moved")
				}
				again, err := r.land(w, how)
				if err != nil || !again.AlreadyLanded || again.Commit != done.Commit || r.git("rev-parse", "main") != done.Commit {
					t.Errorf("again: %+v, %v", again, err)
				}
			})
		}
	}
}

// Landing on a target branch that has moved is refused unless a person allows it, because the
// merged files have not been checked. After the worktree is updated, the changes land.
func TestLandMoved(t *testing.T) {
	t.Parallel()
	for _, how := range []string{worktree.Merge, worktree.Squash, worktree.Rebase} {
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			r := newRig(t)
			work, w := r.add()
			work.write("a.txt", "one\ntwo\n3\n")
			work.commit("agent")
			r.write("other.txt", "other\n")
			moved := r.commit("the target moves")
			if _, err := r.land(w, how); !errors.Is(err, worktree.ErrMoved) || r.git("rev-parse", "main") != moved {
				t.Fatalf("%v", err)
			}
			dry, err := w.Land(t.Context(), worktree.Landing{Tree: r.deliver(w), How: how, AllowMoved: true, DryRun: true})
			if err != nil || r.git("show", dry.Commit+":other.txt") != "other" || r.git("show", dry.Commit+":a.txt") != "one\ntwo\n3" {
				t.Fatalf("%+v, %v", dry, err)
			}
			delivered := r.deliver(w)
			if err := w.Update(t.Context(), "Change", moved); !errors.Is(err, worktree.ErrChanged) || w.Base == moved {
				t.Errorf("files other than the approved ones were updated: %v", err)
			}
			if ok, err := w.Based(t.Context(), delivered); !ok {
				t.Errorf("before the update: %v", err)
			}
			r.must(w.Update(t.Context(), "Change", delivered))
			if ok, err := w.Based(t.Context(), delivered); ok || err != nil {
				t.Errorf("the tree from before the update could be landed: %v", err)
			}
			if ok, err := w.Based(t.Context(), r.deliver(w)); !ok {
				t.Errorf("after the update: %v", err)
			}
			if w.Base != moved || work.read("other.txt") != "other\n" || work.read("a.txt") != "one\ntwo\n3\n" || work.git("status", "--porcelain") != "" {
				t.Errorf("%+v\n%s", w, work.git("status"))
			}
			if _, again := r.add(); again.Base != moved {
				t.Errorf("the new base is not recorded: %+v", again)
			}
			if done, err := r.land(w, how); err != nil || r.git("rev-parse", "main") != done.Commit || r.read("a.txt") != "one\ntwo\n3\n" {
				t.Errorf("%+v, %v", done, err)
			}
		})
	}
}

// Conflicts are reported, and change nothing.
func TestLandConflict(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	work, w := r.add()
	work.write("a.txt", "one\nagent\nthree\n")
	r.write("a.txt", "one\nuser\nthree\n")
	moved := r.commit("the target moves")
	var conflict *worktree.ConflictError
	for _, how := range []string{worktree.Merge, worktree.Squash, worktree.Rebase} {
		_, err := w.Land(t.Context(), worktree.Landing{Tree: r.deliver(w), How: how, AllowMoved: true})
		if !errors.As(err, &conflict) || cmp.Diff(conflict.Paths, []string{"a.txt"}) != "" {
			t.Errorf("%s: %v", how, err)
		}
	}
	if err := w.Update(t.Context(), "update", ""); !errors.As(err, &conflict) {
		t.Errorf("%v", err)
	}
	if r.git("rev-parse", "main") != moved || work.read("a.txt") != "one\nagent\nthree\n" || r.git("status", "--porcelain") != "" {
		t.Error("something changed")
	}
}

// If changes cannot land, Land reports why and changes nothing.
func TestLandRefused(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		prepare func(r *rig, work tree)
		want    string
	}{
		"uncommitted changes": {func(r *rig, _ tree) { r.write("a.txt", "mine\n") }, "commit or stash a.txt"},
		"untracked file":      {func(r *rig, work tree) { r.write("new.txt", "mine\n"); work.write("new.txt", "new\n") }, "commit or stash new.txt"},
		"ignored file": {func(r *rig, work tree) {
			r.write("secret.log", "mine\n")
			work.write("secret.log", "theirs\n")
			work.git("add", "--force", "secret.log")
		}, "secret.log"},
		"filter": {func(r *rig, work tree) {
			r.git("config", "filter.lfs.smudge", "false")
			r.write(".git/info/attributes", "a.txt filter=lfs\n")
		}, worktree.ErrFilter.Error()},
		"rewritten": {func(r *rig, _ tree) {
			r.git("commit", "--quiet", "--amend", "-m", "other")
			r.git("checkout", "--quiet", "--detach")
		}, worktree.ErrRewritten.Error()},
		"nothing": {func(_ *rig, work tree) { work.git("checkout", "a.txt") }, worktree.ErrNothing.Error()},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t)
			work, w := r.add()
			work.write("a.txt", "one\n2\nthree\n")
			c.prepare(r, work)
			main, files := r.git("rev-parse", "main"), r.git("status", "--porcelain", "--ignored")
			if _, err := r.land(w, worktree.Squash); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v, want %s", err, c.want)
			}
			if r.git("rev-parse", "main") != main || r.git("status", "--porcelain", "--ignored") != files {
				t.Error("something changed")
			}
			for _, file := range []string{"new.txt", "secret.log"} {
				if content, err := os.ReadFile(r.path(file)); err == nil && string(content) != "mine\n" {
					t.Errorf("%s: %s", file, content)
				}
			}
		})
	}
	r := newRig(t)
	_, w := r.add()
	if _, err := w.Land(t.Context(), worktree.Landing{Tree: strings.Repeat("0", 40), How: worktree.Merge}); !errors.Is(err, worktree.ErrNoTree) {
		t.Errorf("%v", err)
	}
	if _, err := w.Land(t.Context(), worktree.Landing{How: "teleport"}); err == nil || !strings.Contains(err.Error(), "merge, squash or rebase") {
		t.Errorf("%v", err)
	}
}

// The delivered files land, even if the worktree has changed since or is gone.
func TestLandDelivered(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	work, w := r.add()
	work.write("a.txt", "delivered\n")
	delivered := r.deliver(w)
	work.write("a.txt", "later\n")
	work.commit("later")
	r.must(r.store.Remove(t.Context(), w, later()))
	if _, err := w.Land(t.Context(), worktree.Landing{Tree: delivered, How: worktree.Merge}); err != nil || r.read("a.txt") != "delivered\n" {
		t.Errorf("%v, %s", err, r.read("a.txt"))
	}
}
