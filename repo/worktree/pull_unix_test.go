//go:build unix

package worktree_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/bullpen-office/bullpen/repo/gh"
	"github.com/bullpen-office/bullpen/repo/gh/ghtest"
	"github.com/bullpen-office/bullpen/repo/worktree"
)

// published returns a repository with a worktree, and a host that has the repository's main branch.
func published(t *testing.T) (r *rig, host *ghtest.Host, work tree, w *worktree.Worktree) {
	r = newRig(t)
	host = ghtest.New(t, r.dir)
	work, w = r.add()
	work.write("a.txt", "changed\n")
	return r, host, work, w
}

// A pull request needs gh, an account, and a remote that has the target branch.
func TestPullRequestRefused(t *testing.T) {
	r, host, work, w := published(t)
	pull := worktree.Pull{Remote: host.URL, Tree: r.deliver(w), Title: "Change"}
	refused := func(want error) {
		t.Helper()
		for _, pull.DryRun = range []bool{true, false} {
			if _, err := w.PullRequest(t.Context(), pull); !errors.Is(err, want) {
				t.Errorf("dry run %v: %v, want %v", pull.DryRun, err, want)
			}
		}
		if got := r.git("ls-remote", host.URL, "refs/heads/bullpen/*"); got != "" || host.Created() != 0 {
			t.Errorf("a refused pull request pushed %s", got)
		}
	}
	host.LogOut(true)
	refused(gh.ErrNotLoggedIn)
	host.LogOut(false)
	r.git("config", "branch.main.remote", "upstream")
	refused(gh.ErrNoRemote)
	r.git("config", "branch.main.remote", "origin")
	r.git("--git-dir="+host.URL, "branch", "--move", "main", "trunk")
	refused(worktree.ErrNoTarget)
	r.git("--git-dir="+host.URL, "branch", "--move", "trunk", "main")
	r.git("--git-dir="+host.URL, "update-ref", "refs/heads/main", r.git("--git-dir="+host.URL, "commit-tree", "-m", "unrelated", "main^{tree}"))
	refused(worktree.ErrUnpublished)
	r.git("fetch", "--quiet", "origin")
	refused(worktree.ErrUnpublished)
	r.git("push", "--quiet", "--force", "origin", "main")
	work.write("a.txt", "one\ntwo\nthree\n")
	pull.Tree = r.deliver(w)
	refused(worktree.ErrNothing)
	path := t.TempDir()
	program, err := exec.LookPath("git")
	r.must(err)
	r.must(os.Symlink(program, filepath.Join(path, "git")))
	t.Setenv("PATH", path)
	refused(gh.ErrNoGH)
}

// The delivered files are pushed, and pushed again when they change, but never over a commit by
// someone else.
func TestPullRequest(t *testing.T) {
	r, host, work, w := published(t)
	pull := worktree.Pull{Remote: host.URL, Title: "--web", Body: "body", DryRun: true}
	pull.Tree = r.deliver(w)
	done, err := w.PullRequest(t.Context(), pull)
	if want := (worktree.Pulled{Remote: host.URL}); err != nil || done != want || host.Created() != 0 {
		t.Fatalf("a dry run did %+v, %v", done, err)
	}
	pull.DryRun = false
	for _, content := range []string{"one", "two"} {
		work.write("a.txt", content+"\n")
		pull.Tree = r.deliver(w)
		for range 2 { // can be repeated
			done, err = w.PullRequest(t.Context(), pull)
			want := worktree.Pulled{Remote: host.URL, URL: "https://example.org/shop/pull/1", Commit: r.git("ls-remote", host.URL, "refs/heads/"+task.Branch)[:40]}
			if err != nil || done != want {
				t.Fatalf("%+v, %v; want %+v", done, err, want)
			}
			if got := host.Show(task.Branch, "a.txt"); got != content {
				t.Errorf("pushed %q", got)
			}
		}
	}
	got := []string{host.Read(1, "base"), host.Read(1, "title"), host.Read(1, "body")}
	if diff := cmp.Diff([]string{"main", "--web", "body"}, got); diff != "" || host.Created() != 1 {
		t.Errorf("%d pull requests (-want +got):\n%s", host.Created(), diff)
	}
	r.git("push", "--quiet", "--force", host.URL, "main:"+task.Branch)
	if _, err := w.PullRequest(t.Context(), pull); !errors.Is(err, worktree.ErrForeign) {
		t.Errorf("%v", err)
	}
	if got := r.git("ls-remote", host.URL, "refs/heads/"+task.Branch)[:40]; got != r.git("rev-parse", "main") {
		t.Errorf("someone else's commit was replaced by %s", got)
	}
}

// An attempt that was interrupted between the push and the pull request is completed by the next
// one, with the same commit. A closed pull request is replaced by a new one; a merged one is not.
func TestPullRequestRepeated(t *testing.T) {
	r, host, _, w := published(t)
	pull := worktree.Pull{Remote: host.URL, Tree: r.deliver(w), Title: "Change"}
	host.Fail(true)
	if _, err := w.PullRequest(t.Context(), pull); err == nil || !strings.Contains(err.Error(), "error connecting to example.org") {
		t.Fatal(err)
	}
	pushed := r.git("ls-remote", host.URL, "refs/heads/"+task.Branch)[:40]
	host.Fail(false)
	again := func(want string) {
		t.Helper()
		done, err := w.PullRequest(t.Context(), pull)
		if err != nil || done.Commit != pushed || done.URL != want {
			t.Errorf("%+v, %v; want %s with %s", done, err, want, pushed)
		}
	}
	again("https://example.org/shop/pull/1")
	again("https://example.org/shop/pull/1")
	host.Close(1)
	again("https://example.org/shop/pull/2")
	host.Merge(2, pushed)
	again("https://example.org/shop/pull/2")
}

// A commit with other files, or with someone else's history, is not pushed, even if a ref claims
// that the office pushed it before.
func TestPullRequestForged(t *testing.T) {
	r, host, work, w := published(t)
	pull := worktree.Pull{Remote: host.URL, Tree: r.deliver(w), Title: "Change"}
	private := r.git("commit-tree", "-m", "private", "main^{tree}")
	for name, forged := range map[string]string{
		"a": work.git("commit-tree", "-m", "other files", "-p", "main", "main^{tree}"),
		"b": work.git("commit-tree", "-m", "other history", "-p", "main", "-p", private, pull.Tree),
		"c": work.git("hash-object", "-w", "a.txt"),
	} {
		work.git("update-ref", "refs/bullpen/"+task.ID+"/pull-"+pull.Tree+"/"+name, forged)
	}
	done, err := w.PullRequest(t.Context(), pull)
	r.must(err)
	if got := r.git("rev-parse", done.Commit+"^{tree}", done.Commit+"^@"); got != pull.Tree+"\n"+w.Base {
		t.Errorf("pushed a commit with the tree and the parents\n%s", got)
	}
	if got := host.Show(task.Branch, "a.txt"); got != "changed" {
		t.Errorf("pushed %q", got)
	}
}

// A stranger's pull request from a fork, with a branch of the same name, is not mistaken for the
// office's own.
func TestPullRequestOfAFork(t *testing.T) {
	r, host, _, w := published(t)
	pull := worktree.Pull{Remote: host.URL, Tree: r.deliver(w), Title: "Change"}
	_, err := w.PullRequest(t.Context(), pull)
	r.must(err)
	host.Fork(1)
	if done, err := w.PullRequest(t.Context(), pull); err != nil || done.URL != "https://example.org/shop/pull/2" {
		t.Errorf("%+v, %v", done, err)
	}
}

// Nothing is pushed to an address that a person has not accepted, whichever setting an agent
// changes.
func TestPullRequestRedirected(t *testing.T) {
	r, host, work, w := published(t)
	elsewhere := filepath.Join(t.TempDir(), "elsewhere.git")
	r.git("clone", "--quiet", "--bare", host.URL, elsewhere)
	r.git("remote", "add", "other", elsewhere)
	pull := worktree.Pull{Remote: host.URL, Tree: r.deliver(w), Title: "Change"}
	refused := func(accepted string) {
		t.Helper()
		for _, pull.DryRun = range []bool{true, false} {
			_, err := w.PullRequest(t.Context(), pull)
			if !errors.Is(err, worktree.ErrRedirected) {
				t.Fatalf("dry run %v: %v", pull.DryRun, err)
			}
			for _, part := range []string{"accepted address is " + accepted + ",", "the current address is " + elsewhere + ";", "`bullpen repo add --remote " + elsewhere + "` in " + r.dir} {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("%q is not in: %v", part, err)
				}
			}
		}
		if got := r.git("ls-remote", elsewhere, "refs/heads/bullpen/*"); got != "" || host.Created() != 0 {
			t.Fatalf("pushed %s", got)
		}
	}
	for _, change := range []struct{ key, value, back string }{
		{"remote.origin.url", elsewhere, host.URL}, {"remote.origin.pushurl", elsewhere, ""}, {"branch.main.remote", "other", ""},
		{"url." + elsewhere + ".insteadOf", host.URL, ""}, {"url." + elsewhere + ".pushInsteadOf", host.URL, ""},
	} {
		work.git("config", change.key, change.value)
		refused(host.URL)
		if change.back == "" {
			work.git("config", "--unset", change.key)
		} else {
			work.git("config", change.key, change.back)
		}
	}
	pull.Remote = ""
	work.git("config", "remote.origin.url", elsewhere)
	refused("none")
	pull.Remote, pull.DryRun = elsewhere, true // a person accepted it
	if done, err := w.PullRequest(t.Context(), pull); err != nil || done.Remote != elsewhere {
		t.Errorf("%+v, %v", done, err)
	}
}

// A push does not run programs named in the repository's settings, but the user's settings apply.
func TestPullRequestHostile(t *testing.T) {
	r, host, _, w := published(t)
	ran := filepath.Join(t.TempDir(), "ran")
	script := filepath.Join(t.TempDir(), "attack")
	r.must(os.WriteFile(script, []byte("#!/bin/sh\necho \"$0 $*\" >>"+ran+"\n"), 0o700))
	hooks := t.TempDir()
	r.must(os.Symlink(script, filepath.Join(hooks, "pre-push")))
	tree := r.deliver(w)
	for key, value := range map[string]string{
		"core.hooksPath": hooks, "core.sshCommand": script, "core.askPass": script, "core.fsmonitor": script, "core.alternateRefsCommand": script, "credential.helper": "!" + script,
		"push.gpgSign": "true", "gpg.program": script, "remote.origin.receivepack": script, "remote." + host.URL + ".receivepack": script, "remote." + host.URL + ".vcs": "ext",
		"push.followTags": "true", "push.recurseSubmodules": "only",
	} {
		r.git("config", key, value)
	}
	own := filepath.Join(t.TempDir(), "gitconfig")
	elsewhere := filepath.Join(t.TempDir(), "elsewhere.git")
	r.git("clone", "--quiet", "--bare", host.URL, elsewhere)
	r.must(os.WriteFile(own, []byte("[url \""+elsewhere+"\"]\n\tpushInsteadOf = "+host.URL+"\n\tinsteadOf = "+host.URL+"\n"), 0o600))
	t.Setenv("GIT_CONFIG_GLOBAL", own)
	if _, err := w.PullRequest(t.Context(), worktree.Pull{Remote: host.URL, Tree: tree, Title: "Change"}); err == nil || !strings.Contains(err.Error(), "Head ref must be a branch") {
		t.Errorf("%v", err)
	}
	if got := r.git("ls-remote", elsewhere, "refs/heads/"+task.Branch); got == "" {
		t.Error("the user's settings did not apply")
	}
	if content, err := os.ReadFile(ran); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the repository ran a program:\n%s", content)
	}
}

// Programs that the repository's settings name are never run.
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
	r.must(r.store.Remove(t.Context(), w, later()))
	if content, err := os.ReadFile(ran); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the repository ran a program:\n%s", content)
	}
}
