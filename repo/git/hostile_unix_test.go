//go:build unix

package git_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/bullpen-office/bullpen/repo/git"
)

// Programs that are named in a repository's settings are never run, and filters never make a tree
// differ from the bytes on disk.
func TestHostileSettings(t *testing.T) {
	r := newRig(t)
	ran := filepath.Join(filepath.Dir(r.dir), "ran")
	script := filepath.Join(filepath.Dir(r.dir), "attack")
	r.must(os.WriteFile(script, []byte("#!/bin/sh\necho \"$0 $*\" >>"+ran+"\nprintf good\n"), 0o700))
	r.must(os.Mkdir(r.path(".git/attack"), 0o700))
	for _, hook := range []string{"reference-transaction", "post-checkout", "post-index-change", "pre-commit", "post-commit", "pre-auto-gc"} {
		r.must(os.Symlink(script, r.path(".git/attack/"+hook)))
	}
	for key, value := range map[string]string{
		"core.fsmonitor": script, "core.hooksPath": r.path(".git/attack"), "core.pager": script, "core.editor": script, "core.sshCommand": script,
		"filter.evil.clean": script, "filter.evil.smudge": script, "filter.evil.required": "true", "filter.a=b.c.clean": script, "filter.a=b.c.process": script,
		"diff.evil.textconv": script, "diff.external": script, "merge.evil.driver": script, "gpg.program": script, "commit.gpgSign": "true",
	} {
		r.git("config", key, value)
	}
	r.write(".git/info/attributes", "a.txt filter=evil\nsrc/* filter=a=b.c\n* diff=evil merge=evil\n")
	r.write("a.txt", "EVIL")
	_ = os.Remove(ran) // the setup itself may run the hooks
	s := r.snapshot()
	repo := r.open()
	if _, err := repo.ExactTree(t.Context()); err != nil {
		t.Error(err)
	}
	dir := filepath.Join(filepath.Dir(r.dir), "restored")
	if _, err := repo.Restore(t.Context(), s, dir); err != nil {
		t.Error(err)
	}
	if output, err := os.ReadFile(ran); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the repository ran a program:\n%s", output)
	}
	if content, err := os.ReadFile(filepath.Join(dir, "a.txt")); err != nil || string(content) != "EVIL" {
		t.Errorf("restored %q, %v", content, err)
	}
}

// Paths that git cannot read are listed, and everything else is kept.
func TestUnreadable(t *testing.T) {
	r := newRig(t)
	r.must(os.Remove(r.path("a.txt")))
	r.must(syscall.Mkfifo(r.path("a.txt"), 0o600))
	r.write("new.txt", "new\n")
	s := r.snapshot()
	if s.Complete() || len(s.Skipped) != 1 || s.Skipped[0] != "a.txt" {
		t.Errorf("%+v", s)
	}
	if content, err := os.ReadFile(filepath.Join(r.restore(s).dir, "new.txt")); err != nil || string(content) != "new\n" {
		t.Errorf("%q, %v", content, err)
	}
}

// git refuses some file names, so a snapshot without these files is not complete.
func TestNamesThatGitRefuses(t *testing.T) {
	for name, create := range map[string]func(*rig){
		"x/.GIT/y":    func(r *rig) { r.write("x/.GIT/y", "new\n") },
		"x/git~1":     func(r *rig) { r.write("x/git~1", "new\n") },
		".gitmodules": func(r *rig) { r.must(os.Symlink("a.txt", r.path(".gitmodules"))) },
	} {
		r := newRig(t)
		create(r)
		r.write("b.txt", "new\n")
		s := r.snapshot()
		if s.Complete() || !slices.Equal(s.Skipped, []string{name}) {
			t.Errorf("%s: skipped %q", name, s.Skipped)
		}
		if got := r.git("show", s.Commit+":b.txt"); got != "new" {
			t.Errorf("%s: got %q", name, got)
		}
	}
}

// Only the commit of a nested repository is kept, so the snapshot is not complete.
func TestNested(t *testing.T) {
	r := newRig(t)
	inner := &rig{t, r.path("inner")}
	r.must(os.Mkdir(inner.dir, 0o700))
	inner.git("init", "--quiet")
	inner.git("commit", "--quiet", "--allow-empty", "-m", "inner")
	s := r.snapshot()
	if s.Complete() || len(s.Nested) != 1 || s.Nested[0] != "inner" {
		t.Errorf("%+v", s)
	}
}

// Every kind of repository can be used, or the error explains why it cannot.
func TestOpen(t *testing.T) {
	r := newRig(t)
	bare := filepath.Join(filepath.Dir(r.dir), "bare.git")
	r.git("clone", "--quiet", "--bare", ".", bare)
	shallow := &rig{t, filepath.Join(filepath.Dir(r.dir), "shallow")}
	r.git("clone", "--quiet", "--depth=1", "file://"+r.dir, shallow.dir)
	shallow.write("a.txt", "changed")
	if s := shallow.snapshot(); !s.Complete() {
		t.Errorf("%+v", s)
	}
	unborn := &rig{t, filepath.Join(filepath.Dir(r.dir), "unborn")}
	r.must(os.Mkdir(unborn.dir, 0o700))
	unborn.git("init", "--quiet", "--initial-branch=main")
	unborn.write("first.txt", "first\n")
	if s := unborn.snapshot(); !s.Complete() || unborn.restore(s).files() != unborn.files() {
		t.Errorf("%+v", s)
	}
	long := newRig(t, "--object-format=sha256")
	long.write("a.txt", "changed")
	if s := long.snapshot(); len(s.Tree) != 64 || long.restore(s).files() != long.files() {
		t.Errorf("%+v", s)
	}
	file := filepath.Join(t.TempDir(), "file")
	r.must(os.WriteFile(file, nil, 0o600))
	for dir, want := range map[string]string{
		bare:                           git.ErrBare.Error(),
		t.TempDir():                    git.ErrNotRepo.Error(),
		r.path(".git"):                 "inside a git directory",
		filepath.Join(r.dir, "no/dir"): "no directory",
		file:                           "not a directory",
	} {
		if _, err := git.Open(t.Context(), dir); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", dir, err, want)
		}
	}
	if below, err := git.Open(t.Context(), r.path("src")); err != nil || below.Top != r.dir {
		t.Errorf("%+v, %v", below, err)
	}
	for script, want := range map[string]string{"echo git version 2.30.1": "git 2.30.1 is too old", "echo hello": "cannot find the git version"} {
		bin := t.TempDir()
		r.must(os.WriteFile(filepath.Join(bin, "git"), []byte("#!/bin/sh\n"+script+"\n"), 0o700))
		t.Setenv("PATH", bin)
		if _, err := git.Open(t.Context(), r.dir); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	t.Setenv("PATH", "")
	if _, err := git.Open(t.Context(), r.dir); !errors.Is(err, git.ErrNoGit) {
		t.Errorf("%v", err)
	}
}
