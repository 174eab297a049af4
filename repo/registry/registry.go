// Package registry checks directories with git before they become repositories of the office. It
// changes nothing in them.
package registry

import (
	"context"
	"errors"
	"log/slog"
	"path/filepath"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/repo/git"
	"github.com/bullpen-office/bullpen/repo/root"
)

// Registry adds repositories on this machine. Check needs only Node and Shared.
type Registry struct {
	Office Office
	Repos  []contracts.Repo // repositories of the configuration
	Node   string           // name of this node
	Shared bool             // the office has several nodes
	Log    *slog.Logger
}

// Office records facts; see crew.Office for the contract of Record.
type Office interface {
	Record(ctx context.Context, f contracts.Fact) error
}

// Check returns the command to execute in place of the caller's command. In a command that adds a
// repository, the path becomes the top directory of the repository's main working tree; the command
// is refused if git cannot work there. Other commands are returned unchanged. So are commands from
// callers that may not add repositories, because the office refuses them.
func (r *Registry) Check(ctx context.Context, c contracts.Command) (contracts.Command, *contracts.Refusal) {
	add, ok := c.Data.(contracts.AddRepo)
	if !ok || !c.Caller.Permit {
		return c, nil
	}
	repo, err := r.open(ctx, contracts.Repo{Name: add.Name, Path: add.Path, Target: add.Target})
	if err != nil {
		return c, contracts.RefuseField("payload.data.path", "%v", err)
	}
	add.Path, add.Node = repo.Path, repo.Node
	c.Data = add
	return c, nil
}

// Run records the repositories of the configuration that are new or have changed, and returns. A
// repository that cannot be used is logged and left out.
func (r *Registry) Run(ctx context.Context) error {
	for _, repo := range r.Repos {
		found, err := r.open(ctx, repo)
		if err == nil {
			err = r.Office.Record(ctx, contracts.RepoSeen{Repo: found})
		}
		if err != nil && ctx.Err() == nil {
			r.Log.Warn("repository not added", "path", repo.Path, "error", err)
		}
	}
	return nil
}

// open checks a repository and returns it with the top directory of its main working tree.
func (r *Registry) open(ctx context.Context, repo contracts.Repo) (contracts.Repo, error) {
	if !filepath.IsAbs(repo.Path) {
		return repo, errors.New("the path of a repository must be absolute")
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
	if main, ok := root.Of(at.Top, ""); ok {
		repo.Path = main
	}
	if repo.Target == "" {
		return repo, nil
	}
	if _, err := at.Run(ctx, "rev-parse", "--verify", "--quiet", "refs/heads/"+repo.Target+"^{commit}"); err != nil {
		return repo, errors.New("there is no branch " + repo.Target + " in " + repo.Path)
	}
	return repo, nil
}
