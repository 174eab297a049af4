//go:build unix

package worktree_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bullpen-office/bullpen/repo/git"
	"github.com/bullpen-office/bullpen/repo/worktree"
)

// An edit that is made while the worktree is updated is not lost: it becomes part of the update or,
// if only approved files may be updated, the update is refused.
func TestUpdateWhileEdited(t *testing.T) {
	program, err := exec.LookPath("git")
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		file     string
		approved bool
	}{
		"file that is replaced": {"a.txt", false},
		"other file":            {"src/main.go", false},
		"new file":              {"other.txt", false},
		"approved file":         {"a.txt", true},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			work, w := r.add()
			work.write("mine.txt", "mine\n")
			r.write("a.txt", "one\ntwo\nthree\nfour\n")
			moved := r.commit("the target moves")
			approved := ""
			if c.approved {
				approved = r.deliver(w)
			}
			edit := "1\n"
			if c.file == "a.txt" {
				edit = "1\ntwo\nthree\n"
			}
			mark := filepath.Join(t.TempDir(), "edited")
			r.bin("git", fmt.Sprintf(`case "$*" in *" read-tree -m "*|*" checkout "*) [ -e '%[1]s' ] || { : >'%[1]s'; printf '%[2]s' >'%[3]s'; } ;; esac
exec '%[4]s' "$@"`, mark, strings.ReplaceAll(edit, "\n", `\n`), work.path(c.file), program))
			again, err := r.store.Add(t.Context(), r.dir, task)
			r.must(err)
			err = again.Update(t.Context(), "update", approved)
			if _, missing := os.Stat(mark); missing != nil {
				t.Fatal("nothing was edited meanwhile")
			}
			want := edit
			if c.file == "a.txt" && !c.approved {
				want += "four\n"
			}
			switch {
			case c.approved && (!errors.Is(err, worktree.ErrChanged) || again.Base == moved):
				t.Errorf("%v", err)
			case !c.approved && (err != nil || again.Base != moved || work.read("mine.txt") != "mine\n"):
				t.Errorf("%v, %+v", err, again)
			}
			if got := work.read(c.file); got != want {
				t.Errorf("%s has %q, want %q", c.file, got, want)
			}
		})
	}
}

// An update that was interrupted after the files were replaced can be repeated, even though the
// files are no longer those that were approved.
func TestUpdateAfterInterruption(t *testing.T) {
	program, err := exec.LookPath("git")
	if err != nil {
		t.Fatal(err)
	}
	for _, at := range []string{"symbolic-ref HEAD", "reset --quiet", "update-ref refs/bullpen/" + task.ID + "/base"} {
		t.Run(at, func(t *testing.T) {
			r := newRig(t)
			work, w := r.add()
			work.write("mine.txt", "mine\n")
			r.write("a.txt", "one\ntwo\nthree\nfour\n")
			moved := r.commit("the target moves")
			approved := r.deliver(w)
			mark := filepath.Join(t.TempDir(), "interrupted")
			r.bin("git", fmt.Sprintf(`case "$*" in *" %[1]s"*) [ -e '%[2]s' ] || { : >'%[2]s'; exit 1; } ;; esac
exec '%[3]s' "$@"`, at, mark, program))
			again, err := r.store.Add(t.Context(), r.dir, task)
			r.must(err)
			if err := again.Update(t.Context(), "update", approved); err == nil || again.Base == moved || work.read("a.txt") != "one\ntwo\nthree\nfour\n" {
				t.Fatalf("not interrupted: %v", err)
			}
			again, err = r.store.Add(t.Context(), r.dir, task)
			r.must(err)
			r.must(again.Update(t.Context(), "update", approved))
			if again.Base != moved || work.read("mine.txt") != "mine\n" || work.git("status", "--porcelain") != "" {
				t.Errorf("%+v\n%s", again, work.git("status"))
			}
		})
	}
}

// An ignored file is not replaced by a file from the target branch.
func TestUpdateOverIgnoredFile(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	work, w := r.add()
	work.write("build.log", "mine\n")
	r.write("build.log", "theirs\n")
	r.git("add", "--force", "build.log")
	r.commit("the target moves")
	base := w.Base
	if err := w.Update(t.Context(), "update", ""); err == nil || !errors.Is(err, git.ErrInTheWay) || !strings.Contains(err.Error(), "build.log") || w.Base != base {
		t.Errorf("%v", err)
	}
	if got := work.read("build.log"); got != "mine\n" {
		t.Errorf("%q", got)
	}
}
