// Package registry uses git to check directories before they are added to the office as
// repositories. It changes nothing in them.
package registry

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/repo/gh"
	"github.com/bullpen-office/bullpen/repo/git"
	"github.com/bullpen-office/bullpen/repo/root"
)

// Registry adds repositories on this machine. Check uses only Node, Shared and Ephemeral.
type Registry struct {
	Office    Office
	Repos     []contracts.Repo // repositories from the configuration
	Node      string           // name of this node
	Shared    bool             // the office has several nodes
	Ephemeral bool             // the ledger is in memory, so there is no place for worktrees
	Log       *slog.Logger
}

var errEphemeral = errors.New("an office whose ledger is in memory cannot work in repositories; start it without --ephemeral")

// Office records facts; see crew.Office for the contract of Record.
type Office interface {
	Record(ctx context.Context, f contracts.Fact) error
}

// Check returns the command to execute in place of the caller's command. In a command that adds a
// repository, the path becomes the top-level directory of the repository's main working tree. Check
// refuses the command in an ephemeral office, if git cannot work in that directory, if there is no
// commit to start from, or if the command names a remote address that the repository does not have.
// All other commands are returned unchanged. Commands from callers that may not add repositories are
// returned unchanged too, because the office refuses them.
func (r *Registry) Check(ctx context.Context, c contracts.Command) (contracts.Command, *contracts.Refusal) {
	add, ok := c.Data.(contracts.AddRepo)
	if !ok || !c.Caller.Permit {
		return c, nil
	}
	repo, err := r.open(ctx, contracts.Repo{Name: add.Name, Path: add.Path, Target: add.Target})
	switch {
	case errors.Is(err, errEphemeral):
		return c, contracts.Refuse(contracts.CodeConflict, "%v", err)
	case err != nil:
		return c, contracts.RefuseField("payload.data.path", "%v", err)
	}
	switch add.Remote = gh.StripCredentials(add.Remote); {
	case add.Remote == "" || add.Remote == repo.Remote:
	case repo.Remote == "":
		return c, contracts.RefuseField("payload.data.remote", "%s has no remote with a usable address; add %s with git first", repo.Path, add.Remote)
	default:
		return c, contracts.RefuseField("payload.data.remote", "the address of the remote is %s, not %s", repo.Remote, add.Remote)
	}
	add.Path, add.Node, add.Found = repo.Path, repo.Node, repo.Remote
	c.Data = add
	return c, nil
}

// Run reports the configured repositories to the office, and returns. A repository that cannot be
// used is logged and left out.
func (r *Registry) Run(ctx context.Context) error {
	for _, repo := range r.Repos {
		found, err := r.open(ctx, repo)
		if err == nil {
			err = r.Office.Record(ctx, contracts.RepoSeen{Repo: found})
		}
		if err != nil && ctx.Err() == nil {
			r.Log.Warn("could not add a repository", "path", repo.Path, "error", err)
		}
	}
	return nil
}

// open checks a repository and returns it with the top-level directory of its main working tree,
// and with the address of its remote, if it has one.
func (r *Registry) open(ctx context.Context, repo contracts.Repo) (contracts.Repo, error) {
	if r.Ephemeral {
		return repo, errEphemeral
	}
	if !filepath.IsAbs(repo.Path) {
		return repo, errors.New("the repository path must be absolute")
	}
	ctx, cancel := context.WithTimeout(ctx, contracts.GitTimeout)
	defer cancel()
	at, err := git.Open(ctx, repo.Path)
	if err != nil {
		return repo, err
	}
	if repo.Path = at.Top; r.Shared {
		repo.Node = r.Node
	}
	if main, ok := root.Of(at.Top, ""); ok && main != at.Top {
		repo.Path = main
		if at, err = git.Open(ctx, main); err != nil {
			return repo, err
		}
	}
	ref, missing := "HEAD", fmt.Errorf("the checked-out branch of %s has no commits yet; make a first commit", repo.Path)
	if repo.Target != "" {
		ref, missing = "refs/heads/"+repo.Target, fmt.Errorf("there is no branch %s in %s", repo.Target, repo.Path)
	}
	if _, err := at.Run(ctx, "rev-parse", "--verify", "--quiet", ref+"^{commit}"); err != nil {
		if failed := (*git.Error)(nil); errors.As(err, &failed) && failed.Code == 1 {
			return repo, missing
		}
		return repo, err
	}
	_, url, err := gh.Address(ctx, at, repo.Target)
	if errors.Is(err, gh.ErrNoRemote) || errors.Is(err, gh.ErrAddress) {
		return repo, nil // the repository is usable, but without pull requests
	}
	repo.Remote = gh.StripCredentials(url)
	return repo, err
}
