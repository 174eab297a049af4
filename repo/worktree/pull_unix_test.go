//go:build unix

package worktree_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bullpen-office/bullpen/repo/worktree"
)

// A pull request needs gh, an account and a remote.
func TestPullRequestRefused(t *testing.T) {
	r := newRig(t)
	work, w := r.add()
	work.write("a.txt", "changed\n")
	pull := worktree.Pull{Tree: r.deliver(w), Title: "Change", Body: "body"}
	r.bin("gh", "echo 'You are not logged in' >&2; exit 1")
	if _, err := w.PullRequest(t.Context(), pull); !errors.Is(err, worktree.ErrLoggedIn) {
		t.Errorf("%v", err)
	}
	r.bin("gh", "exit 0")
	if _, err := w.PullRequest(t.Context(), pull); !errors.Is(err, worktree.ErrNoRemote) {
		t.Errorf("%v", err)
	}
	t.Setenv("PATH", t.TempDir())
	if _, err := w.PullRequest(t.Context(), pull); !errors.Is(err, worktree.ErrNoGH) {
		t.Errorf("%v", err)
	}
}

// The delivered files are pushed, and pushed again when they change, but never over a commit of others.
func TestPullRequest(t *testing.T) {
	r := newRig(t)
	remote := filepath.Join(t.TempDir(), "remote.git")
	r.git("clone", "--quiet", "--bare", ".", remote)
	r.git("remote", "add", "origin", remote)
	said := filepath.Join(t.TempDir(), "said")
	r.bin("gh", `echo "$*" >>`+said+`; case "$1 $2" in "pr view") exit 1;; "pr create") echo https://example.org/pull/1;; esac`)
	work, w := r.add()
	for _, content := range []string{"one", "two"} {
		work.write("a.txt", content+"\n")
		url, err := w.PullRequest(t.Context(), worktree.Pull{Tree: r.deliver(w), Title: "Change", Body: "body"})
		if err != nil || url != "https://example.org/pull/1" {
			t.Fatalf("%q, %v", url, err)
		}
		if got := r.git("--git-dir="+remote, "show", task.Branch+":a.txt"); got != content {
			t.Errorf("pushed %q", got)
		}
	}
	calls, err := os.ReadFile(said)
	if want := "pr create --head bullpen/shop-1 --base main --title Change --body body -R " + remote; err != nil || !strings.Contains(string(calls), want) {
		t.Errorf("%s, %v", calls, err)
	}
	r.git("push", "--quiet", "--force", remote, "main:"+task.Branch)
	work.write("a.txt", "three\n")
	if _, err := w.PullRequest(t.Context(), worktree.Pull{Tree: r.deliver(w), Title: "Change"}); err == nil || !strings.Contains(err.Error(), "stale info") {
		t.Errorf("%v", err)
	}
}

// Nothing that the repository's settings name is run.
func TestHostileSettings(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	ran := filepath.Join(t.TempDir(), "ran")
	script := filepath.Join(t.TempDir(), "attack")
	r.must(os.WriteFile(script, []byte("#!/bin/sh\necho \"$0 $*\" >>"+ran+"\n"), 0o700))
	hooks := t.TempDir()
	for _, hook := range []string{"reference-transaction", "post-checkout", "post-index-change", "post-merge", "pre-merge-commit", "pre-push", "pre-rebase", "post-rewrite"} {
		r.must(os.Symlink(script, filepath.Join(hooks, hook)))
	}
	for key, value := range map[string]string{
		"core.fsmonitor": script, "core.hooksPath": hooks, "core.pager": script, "core.sshCommand": script, "filter.evil.clean": script, "filter.evil.smudge": script,
		"filter.evil.required": "true", "diff.evil.textconv": script, "diff.external": script, "merge.evil.driver": script, "gpg.program": script, "commit.gpgSign": "true",
		"diff.evil.command": script, "merge.default": "evil",
	} {
		r.git("config", key, value)
	}
	r.write(".git/info/attributes", "src/* filter=evil\n* diff=evil merge=evil\n")
	_ = os.Remove(ran)
	work, w := r.add()
	r.must(os.WriteFile(work.path("a.txt"), []byte("one\n2\nthree\n"), 0o600))
	tree := r.deliver(w)
	if _, err := w.Patch(t.Context(), w.Base, tree); err != nil {
		t.Error(err)
	}
	if _, err := w.Land(t.Context(), worktree.Landing{Tree: tree, How: worktree.Merge}); err != nil {
		t.Error(err)
	}
	r.must(w.Update(t.Context(), "update", ""))
	r.must(w.Reset(t.Context()))
	r.must(r.store.Remove(t.Context(), w))
	if content, err := os.ReadFile(ran); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the repository ran a program:\n%s", content)
	}
}
