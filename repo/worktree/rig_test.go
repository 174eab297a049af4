package worktree_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/bullpen-office/bullpen/drive/process"
	"github.com/bullpen-office/bullpen/repo/worktree"
)

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == process.TendCommand {
		os.Exit(process.Tend(os.Args[2:]))
	}
	os.Exit(m.Run())
}

// tree is a working tree, used through the real git program as a person or an agent would use it.
type tree struct {
	*testing.T
	dir string
}

// rig is a user's repository and the store of an office.
type rig struct {
	tree
	store *worktree.Store
	task  worktree.Task
}

// newRig returns a repository with one commit, in a directory with a space in its name.
func newRig(t *testing.T, options ...string) *rig {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	r := &rig{tree{t, filepath.Join(dir, "my shop")}, &worktree.Store{Dir: filepath.Join(dir, "data", "worktrees"), Env: process.Environment(os.Environ())}, task}
	if err := os.Mkdir(r.dir, 0o700); err != nil {
		t.Fatal(err)
	}
	r.git(append([]string{"init", "--quiet", "--initial-branch=main"}, options...)...)
	r.write("a.txt", "one\ntwo\nthree\n")
	r.write("src/main.go", "package main\n")
	r.write(".gitignore", "*.log\n")
	r.commit("first")
	return r
}

// try runs git as the user and returns its output.
func (r tree) try(args ...string) (string, error) {
	cmd := exec.Command("git", append([]string{"-c", "user.name=Ada", "-c", "user.email=ada@example.org", "-c", "protocol.file.allow=always", "-c", "gc.auto=0"}, args...)...)
	cmd.Dir = r.dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1", "LC_ALL=C", "GIT_EDITOR=true")
	out, err := cmd.CombinedOutput()
	return strings.TrimSuffix(string(out), "\n"), err
}

func (r tree) git(args ...string) string {
	r.Helper()
	out, err := r.try(args...)
	if err != nil {
		r.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return out
}

func (r tree) path(name string) string { return filepath.Join(r.dir, name) }

func (r tree) write(name, content string) {
	r.Helper()
	r.must(os.MkdirAll(filepath.Dir(r.path(name)), 0o700))
	r.must(os.WriteFile(r.path(name), []byte(content), 0o600))
}

func (r tree) read(name string) string {
	r.Helper()
	content, err := os.ReadFile(r.path(name))
	r.must(err)
	return string(content)
}

// commit commits everything and returns the commit.
func (r tree) commit(message string) string {
	r.Helper()
	r.git("add", "--all")
	r.git("commit", "--quiet", "--allow-empty", "-m", message)
	return r.git("rev-parse", "HEAD")
}

func (r tree) must(err error) {
	r.Helper()
	if err != nil {
		r.Fatal(err)
	}
}

// own describes the user's working tree: branch, index and changes.
func (r tree) own() string {
	r.Helper()
	return r.git("symbolic-ref", "HEAD") + "\n" + r.git("ls-files", "--stage") + "\n" + r.git("status", "--porcelain", "--untracked-files=all", "--ignored")
}

var task = worktree.Task{ID: "task_1", Branch: "bullpen/shop-1"}

// add returns the worktree of the task, as an agent sees it and as the office sees it.
func (r *rig) add() (tree, *worktree.Worktree) {
	r.Helper()
	w, err := r.store.Add(r.Context(), r.dir, r.task)
	r.must(err)
	return tree{r.T, w.Dir}, w
}

// later returns a time after every snapshot that a test takes.
func later() time.Time { return time.Now().Add(time.Hour) }

// deliver takes the snapshot of a delivery and returns its tree.
func (r *rig) deliver(w *worktree.Worktree) string {
	r.Helper()
	s, err := w.Snapshot(r.Context(), "delivered")
	r.must(err)
	return s.Tree
}

// collect deletes every object that no ref contains.
func (r *rig) collect() {
	r.Helper()
	r.git("reflog", "expire", "--expire=now", "--expire-unreachable=now", "--all")
	r.git("gc", "--quiet", "--prune=now")
	r.git("fsck", "--no-dangling")
}

// has reports whether the repository has an object with this content.
func (r *rig) has(content string) bool {
	r.Helper()
	file := filepath.Join(r.TempDir(), "content")
	r.must(os.WriteFile(file, []byte(content), 0o600))
	_, err := r.try("cat-file", "-e", r.git("hash-object", "--no-filters", file))
	return err == nil
}

// bin puts a program first in PATH.
func (r tree) bin(name, script string) {
	r.Helper()
	dir := r.TempDir()
	r.must(os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+script+"\n"), 0o700))
	r.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
}

// changedFiles returns the new names of the files in a patch.
func changedFiles(p worktree.Patch) (list []string) {
	for line := range strings.Lines(string(p.Content)) {
		if names, ok := strings.CutPrefix(line, "diff --git a/"); ok {
			_, name, _ := strings.Cut(strings.TrimSpace(names), " b/")
			list = append(list, name)
		}
	}
	return list
}
