package git_test

import (
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bullpen-office/bullpen/repo/git"
)

// rig is a repository on disk. Tests use it with the real git program, as a person would.
type rig struct {
	*testing.T
	dir string
}

// newRig returns a repository with one commit.
func newRig(t *testing.T, options ...string) *rig {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	r := &rig{t, filepath.Join(dir, "shop")}
	if err := os.Mkdir(r.dir, 0o700); err != nil {
		t.Fatal(err)
	}
	r.git(append([]string{"init", "--quiet", "--initial-branch=main"}, options...)...)
	r.write("a.txt", "one\ntwo\nthree\n")
	r.write("src/main.go", "package main\n")
	r.write("gone.txt", "gone\n")
	r.write(".gitignore", "*.log\n")
	r.git("add", "--all")
	r.git("commit", "--quiet", "-m", "first")
	return r
}

// try runs git as the user and returns its output.
func (r *rig) try(args ...string) (string, error) { return r.tryWith(nil, args...) }

// tryWith is try with additional environment variables.
func (r *rig) tryWith(env []string, args ...string) (string, error) {
	cmd := exec.Command("git", append([]string{"-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "protocol.file.allow=always"}, args...)...)
	cmd.Dir = r.dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1", "LC_ALL=C", "GIT_EDITOR=true")
	cmd.Env = append(cmd.Env, env...)
	out, err := cmd.CombinedOutput()
	return strings.TrimSuffix(string(out), "\n"), err
}

func (r *rig) git(args ...string) string {
	r.Helper()
	out, err := r.try(args...)
	if err != nil {
		r.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return out
}

func (r *rig) path(name string) string { return filepath.Join(r.dir, name) }

func (r *rig) write(name, content string) {
	r.Helper()
	if err := os.MkdirAll(filepath.Dir(r.path(name)), 0o700); err != nil {
		r.Fatal(err)
	}
	if err := os.WriteFile(r.path(name), []byte(content), 0o600); err != nil {
		r.Fatal(err)
	}
}

func (r *rig) must(err error) {
	r.Helper()
	if err != nil {
		r.Fatal(err)
	}
}

func (r *rig) open() *git.Repo {
	r.Helper()
	repo, err := git.Open(r.Context(), r.dir)
	r.must(err)
	return repo
}

func (r *rig) snapshot() git.Snapshot {
	r.Helper()
	s, err := r.open().Snapshot(r.Context(), "task", "test")
	r.must(err)
	return s
}

// restore restores a snapshot into a new directory.
func (r *rig) restore(s git.Snapshot) *rig {
	r.Helper()
	dir := filepath.Join(filepath.Dir(r.dir), "restored", s.Commit[:12])
	repo, err := r.open().Restore(r.Context(), s, dir)
	r.must(err)
	if repo.Top != dir {
		r.Fatalf("restored to %s, want %s", repo.Top, dir)
	}
	return &rig{r.T, dir}
}

// files describes every file below the directory, except ignored ones and git's own.
func (r *rig) files() string {
	r.Helper()
	var b strings.Builder
	r.must(filepath.WalkDir(r.dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || path == r.dir {
			return err
		}
		name, _ := filepath.Rel(r.dir, path)
		switch {
		case entry.IsDir() && (entry.Name() == ".git" || strings.HasSuffix(name, ".log")):
			return fs.SkipDir
		case entry.Name() == ".git" || strings.HasSuffix(name, ".log"):
			return nil
		case entry.Type() == fs.ModeSymlink:
			target, err := os.Readlink(path)
			fmt.Fprintf(&b, "%q -> %q\n", name, target)
			return err
		case entry.Type().IsRegular():
			info, err := entry.Info()
			if err != nil {
				return err
			}
			content, err := os.ReadFile(path)
			fmt.Fprintf(&b, "%q %v %q\n", name, info.Mode()&0o100 != 0, content)
			return err
		}
		return nil
	}))
	return b.String()
}

// state returns the index, the status and the commit of the working tree, as git reports them.
func (r *rig) state() string {
	r.Helper()
	return r.git("ls-files", "--stage", "-z") + "\n" + r.git("status", "--porcelain", "-z", "--untracked-files=all") + "\n" + r.git("rev-parse", "HEAD")
}

// own returns what a snapshot must not change: the index, branches, tags, the stash and HEAD.
func (r *rig) own() string {
	r.Helper()
	index, err := os.ReadFile(filepath.Join(r.git("rev-parse", "--absolute-git-dir"), "index"))
	r.must(err)
	return string(index) + r.git("for-each-ref", "refs/heads", "refs/tags", "refs/stash") + r.git("symbolic-ref", "HEAD")
}
