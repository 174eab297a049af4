package git_test

import (
	"context"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/bullpen-office/bullpen/repo/git"
)

// A snapshot contains everything in a working tree, and taking it does not change the files, the index
// or branches. A restored worktree has the same bytes, modes and state.
func TestSnapshotKeepsEverything(t *testing.T) {
	for name, change := range map[string]func(*rig){
		"nothing":              func(*rig) {},
		"edited":               func(r *rig) { r.write("a.txt", "other\n") },
		"staged":               func(r *rig) { r.write("a.txt", "other\n"); r.git("add", "a.txt") },
		"staged, then edited":  func(r *rig) { r.write("a.txt", "x\n"); r.git("add", "a.txt"); r.write("a.txt", "y\n") },
		"staged, then deleted": func(r *rig) { r.write("new", "x\n"); r.git("add", "new"); r.must(os.Remove(r.path("new"))) },
		"untracked":            func(r *rig) { r.write("deep/er/file", "x"); r.write("empty", "") },
		"deleted":              func(r *rig) { r.must(os.Remove(r.path("gone.txt"))) },
		"renamed":              func(r *rig) { r.git("mv", "gone.txt", "here.txt") },
		"executable":           func(r *rig) { r.must(os.Chmod(r.path("a.txt"), 0o700)); r.git("config", "core.fileMode", "false") },
		"symbolic links": func(r *rig) {
			r.must(os.Symlink("/etc/passwd", r.path("out")))
			r.must(os.Symlink("nowhere", r.path("broken")))
			r.must(os.RemoveAll(r.path("src")))
			r.must(os.Symlink("..", r.path("src")))
		},
		"odd names": func(r *rig) {
			for _, name := range []string{"with space", "qu\"ote", "tab\t", "line\nbreak", "-rf", ":(top)", "back\\slash", "ü", "*"} {
				r.write(name, name)
			}
		},
		"hidden by assume-unchanged": func(r *rig) { r.git("update-index", "--assume-unchanged", "a.txt"); r.write("a.txt", "hidden\n") },
		"hidden by skip-worktree":    func(r *rig) { r.git("update-index", "--skip-worktree", "a.txt"); r.write("a.txt", "hidden\n") },
		"hidden by both": func(r *rig) {
			r.git("update-index", "--skip-worktree", "--assume-unchanged", "a.txt")
			r.write("a.txt", "hidden\n")
		},
		"intent to add":    func(r *rig) { r.write("new", "x\n"); r.git("add", "--intent-to-add", "new") },
		"tracked, ignored": func(r *rig) { r.write("a.log", "1"); r.git("add", "--force", "a.log"); r.write("a.log", "2") },
		"split index":      func(r *rig) { r.git("update-index", "--split-index"); r.write("b", "x"); r.git("add", "b") },
		"sparse checkout": func(r *rig) {
			r.git("sparse-checkout", "set", "--no-cone", "/a.txt")
			r.write("src/other.go", "package main\n")
		},
		"the user's own lock": func(r *rig) { r.write(".git/index.lock", ""); r.write("a.txt", "other\n") },
	} {
		t.Run(name, func(t *testing.T) {
			if runtime.GOOS == "windows" {
				t.Skip("Unix file names and modes")
			}
			r := newRig(t)
			change(r)
			s := r.snapshot()
			if !s.Complete() {
				t.Errorf("incomplete: %+v", s)
			}
			restored := r.restore(s)
			_ = os.Remove(r.path(".git/index.lock"))
			if d := cmp.Diff(r.files(), restored.files()); d != "" && name != "sparse checkout" {
				t.Errorf("files:\n%s", d)
			}
			if name == "split index" || name == "sparse checkout" || strings.HasPrefix(name, "hidden") {
				return // flags and a split index need not be restored
			}
			if d := cmp.Diff(r.state(), restored.state()); d != "" {
				t.Errorf("state:\n%s", d)
			}
		})
	}
}

// Variables that point git at another repository are ignored, and the office's API keys do not
// reach git.
func TestSnapshotIgnoresTheEnvironment(t *testing.T) {
	r := newRig(t)
	r.write("b", "b")
	for _, name := range []string{"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_NAMESPACE", "GIT_OBJECT_DIRECTORY"} {
		t.Setenv(name, t.TempDir())
	}
	if s := r.snapshot(); s.Top != r.dir || !s.Complete() {
		t.Errorf("%+v", s)
	}
	t.Setenv("GIT_EXTERNAL_DIFF", "evil")
	t.Setenv("API_KEY", "hunter2")
	for _, v := range git.Environment() {
		if strings.HasPrefix(v, "GIT_DIR=") || strings.Contains(v, "EXTERNAL") || strings.Contains(v, "hunter2") {
			t.Errorf("git gets %s", v)
		}
	}
}

// Taking a snapshot changes neither the index nor branches, and an unchanged working tree gets only
// one snapshot.
func TestSnapshotTouchesNothing(t *testing.T) {
	r := newRig(t)
	r.write("a.txt", "staged\n")
	r.git("add", "a.txt")
	r.write("a.txt", "edited\n")
	before, files := r.own(), r.files()
	s := r.snapshot()
	if r.own() != before || r.files() != files {
		t.Error("the snapshot changed the working tree")
	}
	if again := r.snapshot(); again.ID != s.ID {
		t.Errorf("a second snapshot %s of the same state, the first is %s", again.ID, s.ID)
	}
	r.write("a.txt", "edited again\n")
	second := r.snapshot()
	list, err := r.open().Snapshots(t.Context())
	if err != nil || len(list) != 2 || second.ID == s.ID {
		t.Errorf("%+v, %v", list, err)
	}
	found, err := r.open().Find(t.Context(), strings.TrimPrefix(s.ID, "task/"))
	if err != nil || cmp.Diff(found, s) != "" {
		t.Errorf("%v\n%s", err, cmp.Diff(found, s))
	}
	if _, err := r.open().Find(t.Context(), "none"); err == nil || !strings.Contains(err.Error(), `no snapshot "none"`) {
		t.Errorf("%v", err)
	}
	if _, err := r.open().Snapshot(t.Context(), "../../heads/main", ""); err == nil {
		t.Error("a snapshot was given the name of a branch")
	}
}

// The snapshot of a merge with conflicts survives the removal of the worktree, the branch and all
// unreachable objects. The restored merge can be finished, and has both parents.
func TestSnapshotOfAMerge(t *testing.T) {
	r := newRig(t)
	r.git("checkout", "--quiet", "-b", "other")
	r.write("a.txt", "one\ntheirs\nthree\n")
	r.git("commit", "--quiet", "-am", "theirs")
	theirs := r.git("rev-parse", "HEAD")
	r.git("checkout", "--quiet", "main")
	work := &rig{t, filepath.Join(filepath.Dir(r.dir), "work")}
	r.git("worktree", "add", "--quiet", "-b", "task", work.dir)
	work.write("a.txt", "one\nours\nthree\n")
	work.git("commit", "--quiet", "-am", "ours")
	ours := work.git("rev-parse", "HEAD")
	if out, err := work.try("merge", "other"); err == nil {
		t.Fatalf("no conflict: %s", out)
	}
	work.write("note.txt", "untracked\n")
	s := work.snapshot()
	state, files := work.state(), work.files()
	r.git("worktree", "remove", "--force", work.dir)
	r.git("branch", "--quiet", "-D", "task", "other")
	r.git("reflog", "expire", "--expire=now", "--all")
	r.git("gc", "--quiet", "--prune=now")

	restored := r.restore(s)
	if d := cmp.Diff(files, restored.files()); d != "" {
		t.Errorf("files:\n%s", d)
	}
	if d := cmp.Diff(state, restored.state()); d != "" {
		t.Errorf("state:\n%s", d)
	}
	restored.write("a.txt", "one\nboth\nthree\n")
	restored.git("add", "a.txt")
	again := restored.restore(restored.snapshot())
	if d := cmp.Diff(restored.git("ls-files", "--resolve-undo"), again.git("ls-files", "--resolve-undo")); d != "" {
		t.Errorf("the resolved conflict:\n%s", d)
	}
	restored.git("commit", "--quiet", "--no-edit")
	if got := restored.git("show", "--no-patch", "--format=%P", "HEAD"); got != ours+" "+theirs {
		t.Errorf("parents %s, want %s %s", got, ours, theirs)
	}
}

// A stopped rebase continues in the restored worktree, and stashes are kept.
func TestSnapshotOfARebase(t *testing.T) {
	r := newRig(t)
	r.git("checkout", "--quiet", "-b", "task")
	r.write("a.txt", "one\nours\nthree\n")
	r.git("commit", "--quiet", "-am", "ours")
	ours := r.git("rev-parse", "HEAD")
	r.git("checkout", "--quiet", "main")
	r.write("a.txt", "one\ntheirs\nthree\n")
	r.git("commit", "--quiet", "-am", "theirs")
	onto := r.git("rev-parse", "HEAD")
	r.git("checkout", "--quiet", "task")
	r.write("stashed.txt", "stashed\n")
	r.git("stash", "push", "--quiet", "--include-untracked")
	stash := r.git("rev-parse", "stash@{0}")
	if out, err := r.try("rebase", "main"); err == nil {
		t.Fatalf("no conflict: %s", out)
	}
	s := r.snapshot()
	r.git("rebase", "--abort")
	r.git("checkout", "--quiet", "main")
	r.git("stash", "drop", "--quiet")
	r.git("branch", "--quiet", "-D", "task")
	r.git("reflog", "expire", "--expire=now", "--all")
	r.git("gc", "--quiet", "--prune=now")
	restored := r.restore(s)
	restored.write("a.txt", "one\nboth\nthree\n")
	restored.git("add", "a.txt")
	r.git("cat-file", "-e", stash+"^{commit}")
	r.git("branch", "task", ours)
	restored.git("-c", "core.editor=true", "rebase", "--continue")
	if got := restored.git("show", "--no-patch", "--format=%P %s", "HEAD"); got != onto+" ours" {
		t.Errorf("%s, want %s ours", got, onto)
	}
}

// A snapshot that is stopped at any moment changes nothing, and the next one is complete.
func TestSnapshotStopped(t *testing.T) {
	r := newRig(t)
	random := rand.New(rand.NewPCG(1, 2))
	for i := range 20 {
		for range 1 + random.IntN(4) {
			r.write(strings.Repeat("d/", random.IntN(3))+"f"+string(rune('a'+random.IntN(8))), strings.Repeat("x", random.IntN(1000)))
		}
		if i%3 == 0 {
			r.git("add", "--all")
		}
		before, files := r.own(), r.files()
		repo := r.open()
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Duration(random.IntN(60))*time.Millisecond, cancel)
		_, _ = repo.Snapshot(ctx, "task", "stopped") // stopped or complete, depending on the machine's speed
		cancel()
		if r.own() != before || r.files() != files {
			t.Fatalf("round %d: the stopped snapshot changed the working tree", i)
		}
	}
	s := r.snapshot()
	if d := cmp.Diff(r.files(), r.restore(s).files()); d != "" {
		t.Error(d)
	}
	r.git("fsck", "--no-dangling")
}
