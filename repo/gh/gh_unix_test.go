//go:build unix

package gh_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/repo/gh"
	"github.com/bullpen-office/bullpen/repo/git"
)

const pullURL = "https://example.org/shop/pull/1"

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// path is the PATH in which the stand-ins for gh find other programs.
var path = os.Getenv("PATH")

// install makes script the only gh in PATH, next to git.
func install(t *testing.T, script string) {
	t.Helper()
	program, err := exec.LookPath("git")
	must(t, err)
	bin := t.TempDir()
	must(t, os.Symlink(program, filepath.Join(bin, "git")))
	if script != "" {
		must(t, os.WriteFile(filepath.Join(bin, "gh"), []byte("#!/bin/sh\nPATH="+path+"\n"+script), 0o700))
	}
	t.Setenv("PATH", bin)
}

// newRepo returns a repository with one commit, and a function that runs git there.
func newRepo(t *testing.T) (*git.Repo, func(args ...string)) {
	t.Helper()
	dir := t.TempDir()
	run := func(args ...string) {
		t.Helper()
		out, err := exec.Command("git", append([]string{"-C", dir, "-c", "user.name=a", "-c", "user.email=a@example.org"}, args...)...).CombinedOutput()
		if err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	run("init", "--quiet", "--initial-branch=main")
	run("commit", "--quiet", "--allow-empty", "-m", "first")
	repo, err := git.Open(t.Context(), dir)
	must(t, err)
	return repo, run
}

// everyCall calls each function that runs gh, and returns their errors by name.
func everyCall(t *testing.T, address string) map[string]error {
	t.Helper()
	ctx := t.Context()
	_, view := gh.View(ctx, pullURL)
	failed := map[string]error{"View": view, "WriteLog": gh.WriteLog(ctx, pullURL, gh.Check{Details: "https://example.org/shop/actions/runs/1/job/2"}, &strings.Builder{})}
	repo, _ := newRepo(t)
	remote, err := gh.Open(ctx, repo, address)
	if err != nil {
		failed["Open"] = err
		return failed
	}
	defer func() { must(t, remote.Close()) }()
	_, failed["Find"] = remote.Find(ctx, "main", "")
	_, failed["Create"] = remote.Create(ctx, gh.Draft{Branch: "work", Base: "main", Title: "Work"})
	return failed
}

func TestStripCredentials(t *testing.T) {
	for address, want := range map[string]string{
		"https://example.org/shop.git":                  "https://example.org/shop.git",
		"https://ghp_token@example.org/shop.git":        "https://example.org/shop.git",
		"https://ada:pa%ss w@rd@example.org:x/shop.git": "https://example.org:x/shop.git",
		"https://ada:secret@example.org":                "https://example.org",
		"https://example.org/@scope/shop.git":           "https://example.org/@scope/shop.git",
		"ssh://git@example.org:22/shop.git":             "ssh://git@example.org:22/shop.git",
		"ssh://git:secret@example.org/shop.git":         "ssh://git@example.org/shop.git",
		"git@example.org:ada/shop.git":                  "git@example.org:ada/shop.git",
		"/srv/shop.git":                                 "/srv/shop.git",
	} {
		if got := gh.StripCredentials(address); got != want {
			t.Errorf("StripCredentials(%s) = %s, want %s", address, got, want)
		}
	}
}

// The address is the one that git would push the branch to.
func TestAddress(t *testing.T) {
	repo, run := newRepo(t)
	is := func(branch, wantName, wantURL string) {
		t.Helper()
		name, url, err := gh.Address(t.Context(), repo, branch)
		if err != nil || name != wantName || url != wantURL {
			t.Errorf("%s %s, %v; want %s %s", name, url, err, wantName, wantURL)
		}
	}
	fails := func(want error) {
		t.Helper()
		_, _, err := gh.Address(t.Context(), repo, "")
		if !errors.Is(err, want) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%v, want %v", err, want)
		}
	}
	fails(gh.ErrNoRemote)
	run("config", "branch.main.remote", "https://ada:secret@example.org/shop.git")
	fails(gh.ErrNoRemote)
	run("remote", "add", "origin", "https://example.org/shop.git")
	run("remote", "add", "other", "ssh://git@example.com/shop.git")
	run("config", "branch.main.remote", "other")
	is("", "other", "ssh://git@example.com/shop.git")
	is("main", "other", "ssh://git@example.com/shop.git")
	is("next", "origin", "https://example.org/shop.git")
	run("config", "url.https://example.net/.pushInsteadOf", "https://example.org/")
	is("next", "origin", "https://example.net/shop.git")
	for _, odd := range []string{"https://example.org/`id`.git", "https://example.org/a b", "https://exаmple.org/cyrillic", "-oProxyCommand=x", "https://example.org/" + strings.Repeat("x", contracts.LimitRemote)} {
		run("config", "remote.other.pushurl", odd)
		fails(gh.ErrAddress)
	}
}

func TestNoPrograms(t *testing.T) {
	install(t, "")
	for name, err := range everyCall(t, "https://example.org/shop.git") {
		if !errors.Is(err, gh.ErrNoGH) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestNotLoggedIn(t *testing.T) {
	install(t, "echo 'To get started with GitHub CLI, please run:  gh auth login' >&2; exit 4")
	failed := everyCall(t, "https://example.org/shop.git")
	for name, err := range failed {
		if !errors.Is(err, gh.ErrNotLoggedIn) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if len(failed) != 4 {
		t.Errorf("%d calls: %v", len(failed), failed)
	}
}

// Messages from git and gh do not contain a remote's credentials.
func TestCredentials(t *testing.T) {
	const address = "https://ada:secret-password@127.0.0.1:1/shop.git"
	t.Setenv("no_proxy", "*")
	for _, said := range []string{address, "https://secret-token@example.org/shop.git", "ssh://git:secret-password@example.org/shop.git", "two\nlines 'https://a:secret@b/'"} {
		install(t, fmt.Sprintf("echo %q >&2; exit 1", "cannot use "+said+" now"))
		for name, err := range everyCall(t, address) {
			if err == nil || strings.Contains(err.Error(), "secret") || !strings.Contains(err.Error(), "now") {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
	repo, _ := newRepo(t)
	remote, err := gh.Open(t.Context(), repo, address)
	must(t, err)
	defer func() { must(t, remote.Close()) }()
	_, heads := remote.Heads(t.Context(), "main")
	for name, err := range map[string]error{"Heads": heads, "Push": remote.Push(t.Context(), "work", "HEAD", "")} {
		if err == nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Only an address that is a local path leads to local files.
func TestProtocols(t *testing.T) {
	install(t, "exit 1")
	repo, run := newRepo(t)
	bare := filepath.Join(t.TempDir(), "bare.git")
	run("clone", "--quiet", "--bare", ".", bare)
	own := filepath.Join(t.TempDir(), "gitconfig")
	must(t, os.WriteFile(own, []byte("[url \""+bare+"\"]\n\tinsteadOf = https://example.org/shop.git\n"), 0o600))
	t.Setenv("GIT_CONFIG_GLOBAL", own)
	for address, ok := range map[string]bool{bare: true, "file://" + bare: true, "https://example.org/shop.git": false, "ext::git upload-pack " + bare: false} {
		remote, err := gh.Open(t.Context(), repo, address)
		must(t, err)
		heads, err := remote.Heads(t.Context(), "main")
		must(t, remote.Close())
		if (err == nil && heads["main"] != "") != ok || !ok && !strings.Contains(err.Error(), "not allowed") {
			t.Errorf("%s: %v, %v", address, heads, err)
		}
	}
}

// Output that does not match the gh manual is an error.
func TestUnexpectedOutput(t *testing.T) {
	for _, out := range []string{
		"", "not JSON", "{", "[{]", "null", `{"url":5,"state":"OPEN"}`, `[{"url":5,"state":"OPEN"}]`,
		`{"url":"javascript:alert(1)","state":"OPEN"}`, `[{"url":"javascript:alert(1)","state":"OPEN"}]`, `[{"url":"https://a:b@example.org/1","state":"OPEN"}]`,
	} {
		install(t, "cat <<'END'\n"+out+"\nEND\n")
		failed := everyCall(t, "https://example.org/shop.git")
		for _, name := range []string{"View", "Create"} {
			if failed[name] == nil {
				t.Errorf("%s accepted %q", name, out)
			}
		}
		if strings.HasPrefix(out, "[{") && failed["Find"] == nil {
			t.Errorf("Find accepted %q", out)
		}
	}
	install(t, fmt.Sprintf("head -c %d /dev/zero", contracts.LimitPullOutput+1))
	for name, err := range everyCall(t, "https://example.org/shop.git") {
		if name != "WriteLog" && (err == nil || !strings.Contains(err.Error(), "printed more than")) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A call returns once its context is done, even if a child of the program keeps the output open,
// and the call leaves nothing behind.
func TestStopped(t *testing.T) {
	temp, started, block := t.TempDir(), filepath.Join(t.TempDir(), "started"), filepath.Join(t.TempDir(), "block")
	must(t, syscall.Mkfifo(block, 0o600))
	t.Cleanup(func() { // ends the child
		if f, err := os.OpenFile(block, os.O_WRONLY|syscall.O_NONBLOCK, 0); err == nil {
			_ = f.Close()
		}
	})
	t.Setenv("TMPDIR", temp)
	install(t, "cat "+block+" &\n: >"+started+"\nwait")
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error)
	go func() {
		_, err := gh.View(ctx, pullURL)
		done <- err
	}()
	for {
		if _, err := os.Stat(started); err == nil {
			break
		}
		time.Sleep(time.Millisecond)
	}
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if left, err := os.ReadDir(temp); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// The output of a check is read only from a job of the pull request's repository.
func TestWriteLog(t *testing.T) {
	install(t, `echo "$*"`)
	for details, want := range map[string]string{
		"https://example.org/shop/actions/runs/1/job/2":       "run view --repo=example.org/shop --job=2 --log-failed\n",
		"https://example.org/shop2/actions/runs/1/job/2":      "",
		"https://evil.example/shop/actions/runs/1/job/2":      "",
		"https://example.org/shop/actions/runs/1/job/2/--web": "",
		"https://ci.example.org/2":                            "",
		"":                                                    "",
	} {
		var out strings.Builder
		err := gh.WriteLog(t.Context(), pullURL, gh.Check{Details: details}, &out)
		if err != nil || out.String() != want {
			t.Errorf("%s: %q, %v", details, out.String(), err)
		}
	}
}
