package registry_test

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/repo/registry"
)

func gitIn(t *testing.T, dir string, args ...string) {
	t.Helper()
	c := exec.Command("git", append([]string{"-C", dir, "-c", "user.name=Ada", "-c", "user.email=ada@example.com"}, args...)...)
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("git %q: %v\n%s", args, err, out)
	}
}

// newRepo returns a repository with one commit on main, and a directory that is not one.
func newRepo(t *testing.T) (repo, other string) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	repo, other = filepath.Join(dir, "shop"), filepath.Join(dir, "other")
	for _, d := range []string{filepath.Join(repo, "api"), other} {
		if err := os.MkdirAll(d, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	gitIn(t, repo, "init", "-q", "-b", "main")
	gitIn(t, repo, "commit", "-q", "--allow-empty", "-m", "first")
	return repo, other
}

func command(path, target string) contracts.Command {
	return contracts.Command{Caller: contracts.Caller{Permit: true}, Data: contracts.AddRepo{Path: path, Target: target, Node: "made up"}}
}

// A directory in a repository, even in a linked worktree, resolves to the main working tree.
func TestCheckFindsTheRepository(t *testing.T) {
	repo, other := newRepo(t)
	linked := filepath.Join(other, "linked")
	gitIn(t, repo, "worktree", "add", "-q", "--detach", linked)
	r := &registry.Registry{Node: "a", Shared: true}
	for _, dir := range []string{repo, filepath.Join(repo, "api"), linked} {
		got, refusal := r.Check(t.Context(), command(dir, "main"))
		if refusal != nil {
			t.Errorf("%s: %v", dir, refusal)
			continue
		}
		if diff := cmp.Diff(contracts.AddRepo{Path: repo, Target: "main", Node: "a"}, got.Data); diff != "" {
			t.Error(diff)
		}
	}
}

// The address of the remote is found without its credentials. A person can accept only the address
// that the remote has.
func TestCheckFindsTheRemote(t *testing.T) {
	repo, _ := newRepo(t)
	gitIn(t, repo, "remote", "add", "origin", "https://ada:secret@example.org/shop.git")
	gitIn(t, repo, "remote", "add", "upstream", "ssh://git@example.org/team/shop.git")
	r := &registry.Registry{}
	check := func(accept, found string) {
		t.Helper()
		c := command(repo, "main")
		c.Data = contracts.AddRepo{Path: repo, Target: "main", Remote: accept, Found: "made up"}
		got, refusal := r.Check(t.Context(), c)
		if refusal != nil {
			t.Fatal(refusal)
		}
		add := got.Data.(contracts.AddRepo)
		if want := (contracts.AddRepo{Path: repo, Target: "main", Remote: add.Remote, Found: found}); add != want || strings.Contains(add.Remote, "secret") {
			t.Errorf("got %+v, want %+v", add, want)
		}
	}
	check("", "https://example.org/shop.git")
	check("https://ada:secret@example.org/shop.git", "https://example.org/shop.git")
	gitIn(t, repo, "config", "branch.main.remote", "upstream")
	check("ssh://git@example.org/team/shop.git", "ssh://git@example.org/team/shop.git")
	gitIn(t, repo, "config", "remote.upstream.pushurl", "https://example.org/$(id).git")
	check("", "")
	wrong := command(repo, "")
	wrong.Data = contracts.AddRepo{Path: repo, Remote: "https://example.org/shop.git"}
	if _, refusal := r.Check(t.Context(), wrong); refusal == nil || refusal.Field != "payload.data.remote" {
		t.Errorf("%+v", refusal)
	}
}

// damageObjects overwrites every object in a repository.
func damageObjects(t *testing.T, repo string) {
	t.Helper()
	objects, err := filepath.Glob(filepath.Join(repo, ".git", "objects", "??", "*"))
	if err != nil || len(objects) == 0 {
		t.Fatalf("no objects in %s: %v", repo, err)
	}
	for _, path := range objects {
		if err := errors.Join(os.Chmod(path, 0o600), os.WriteFile(path, []byte("damaged"), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
}

func TestCheckRefuses(t *testing.T) {
	repo, other := newRepo(t)
	bare := filepath.Join(other, "bare.git")
	gitIn(t, repo, "clone", "-q", "--bare", repo, bare)
	empty := filepath.Join(other, "empty")
	gitIn(t, repo, "init", "-q", empty)
	damaged, _ := newRepo(t)
	damageObjects(t, damaged)
	r := &registry.Registry{}
	for want, c := range map[string]contracts.Command{
		"not a git repository": command(other, ""),
		"no directory":         command(filepath.Join(other, "missing"), ""),
		"bare":                 command(bare, ""),
		"must be absolute":     command("shop", ""),
		"no branch next":       command(repo, "next"),
		"no branch -x":         command(repo, "-x"),
		"empty has no commits yet; make a first commit": command(empty, ""),
		"git rev-parse failed with exit code 128":       command(damaged, ""),
	} {
		if _, refusal := r.Check(t.Context(), c); refusal == nil || !strings.Contains(refusal.Message, want) {
			t.Errorf("got %v, want %q", refusal, want)
		}
	}
	memory := registry.Registry{Ephemeral: true}
	if _, refusal := memory.Check(t.Context(), command(repo, "")); refusal == nil || refusal.Code != contracts.CodeConflict || !strings.Contains(refusal.Message, "in memory") {
		t.Errorf("in an office whose ledger is in memory: %+v", refusal)
	}
	stranger := command(other, "")
	stranger.Caller.Permit = false
	if got, refusal := r.Check(t.Context(), stranger); refusal != nil || cmp.Diff(stranger, got) != "" {
		t.Errorf("the file system was read for a caller without the credential: %v", refusal)
	}
}

type recorder []contracts.Fact

func (r *recorder) Record(_ context.Context, f contracts.Fact) error {
	*r = append(*r, f)
	return nil
}

// A repository that cannot be used does not prevent others from being added.
func TestRun(t *testing.T) {
	repo, other := newRepo(t)
	var log strings.Builder
	var got recorder
	r := &registry.Registry{Office: &got, Repos: []contracts.Repo{{Path: other}, {Path: repo, Name: "store"}}, Log: slog.New(slog.NewTextHandler(&log, nil))}
	if err := r.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	want := recorder{contracts.RepoSeen{Repo: contracts.Repo{Name: "store", Path: repo}}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if !strings.Contains(log.String(), "could not add a repository") {
		t.Errorf("the other directory is not in the log: %s", log.String())
	}
}
