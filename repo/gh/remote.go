package gh

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"

	"github.com/bullpen-office/bullpen/repo/git"
)

// Remote is a repository that commits are pushed to. The caller must close it.
type Remote struct {
	*programs
	url string // where commits are pushed
}

// Open returns the remote with the given address, prepared for commits from repo. The caller must
// have checked the address; see Address.
func Open(ctx context.Context, repo *git.Repo, url string) (*Remote, error) {
	format, err := repo.Run(ctx, "rev-parse", "--show-object-format")
	if err != nil {
		return nil, err
	}
	p, err := start(ctx, format)
	if err != nil {
		return nil, err
	}
	if isLocal(url) { // only for local addresses, so that no other address can give access to files on this machine
		p.protocols += ":file"
	}
	r := &Remote{p, url}
	if err := r.connect(ctx, repo); err != nil {
		_ = r.Close()
		return nil, err
	}
	return r, nil
}

// connect adds the remote to the scratch repository, and makes the objects of repo available there.
func (r *Remote) connect(ctx context.Context, repo *git.Repo) error {
	for _, args := range [][]string{
		{"config", "remote.origin.url", r.url},
		{"config", "remote.origin.gh-resolved", "base"}, // gh opens pull requests in this repository without asking
	} {
		if _, err := r.runGit(ctx, args...); err != nil {
			return err
		}
	}
	common, err := repo.CommonDir(ctx)
	if err != nil {
		return err
	}
	objects := filepath.ToSlash(filepath.Join(common, "objects")) + "\n"
	if err := os.WriteFile(filepath.Join(r.dir, ".git", "objects", "info", "alternates"), []byte(objects), 0o600); err != nil {
		return err
	}
	shallow, err := os.ReadFile(filepath.Join(common, "shallow"))
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(r.dir, ".git", "shallow"), shallow, 0o600)
}

// refPrefix is the prefix of a branch's full name.
const refPrefix = "refs/heads/"

// Heads returns the head commits of the given branches, by branch name. Branches that the remote
// does not have are left out.
func (r *Remote) Heads(ctx context.Context, branches ...string) (map[string]string, error) {
	args := []string{"--quiet", "--refs", "--", r.url}
	for _, b := range branches {
		args = append(args, refPrefix+b)
	}
	out, err := r.network(ctx, "ls-remote", args...)
	if err != nil {
		return nil, err
	}
	found := map[string]string{}
	for line := range strings.Lines(out) {
		if commit, ref, ok := strings.Cut(strings.TrimSpace(line), "\t"); ok {
			found[strings.TrimPrefix(ref, refPrefix)] = commit
		}
	}
	return found, nil
}

// Push makes a commit the head of a branch on the remote. It fails unless the branch is still at
// commit old; if old is empty, the branch must not exist.
func (r *Remote) Push(ctx context.Context, branch, commit, old string) error {
	_, err := r.network(ctx, "push", "--quiet", "--no-verify", "--no-follow-tags", "--recurse-submodules=no", "--no-signed",
		"--force-with-lease="+refPrefix+branch+":"+old, "--", r.url, commit+":"+refPrefix+branch)
	return err
}

// network runs a git command that uses the network. If the user's settings have no credentials for
// the remote, gh provides them.
func (r *Remote) network(ctx context.Context, command string, args ...string) (string, error) {
	options := []string{"-c", "core.hooksPath=" + os.DevNull, "-c", "core.askPass=", "-c", "credential.helper=!gh auth git-credential"}
	if own, _ := r.runGit(ctx, "config", "--get", "core.sshCommand"); own == "" { // GIT_SSH_COMMAND takes precedence
		options = append(options, "-c", "core.sshCommand=ssh -o BatchMode=yes") // otherwise ssh would ask in the office's terminal
	}
	return r.run(ctx, call{name: "git " + command, program: r.git, args: append(append(options, command), args...)})
}
