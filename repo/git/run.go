package git

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Run runs git in the working tree and returns its output without the final line break.
func (r *Repo) Run(ctx context.Context, args ...string) (string, error) {
	return r.text(ctx, Call{Args: args})
}

// List runs git and splits its output into entries. Each entry must end with a zero byte.
func (r *Repo) List(ctx context.Context, args ...string) ([]string, error) {
	out, err := r.Output(ctx, Call{Args: args})
	return split(out), err
}

// CommonDir returns the directory that all worktrees of the repository share.
func (r *Repo) CommonDir(ctx context.Context) (string, error) {
	dir, err := r.Run(ctx, "rev-parse", "--path-format=absolute", "--git-common-dir")
	return filepath.FromSlash(dir), err
}

// At returns the working tree with its files in top and its git directory at gitDir, even though
// nothing in top points to gitDir. It is for worktrees whose files were deleted by hand.
func (r *Repo) At(top, gitDir string) *Repo {
	other := *r
	other.Top, other.GitDir = top, gitDir
	other.at = []string{"GIT_DIR=" + gitDir, "GIT_WORK_TREE=" + top}
	return &other
}

// Scratch returns the same working tree, but objects that git writes go to a temporary directory,
// which done deletes. Use it for commands whose results are not kept.
func (r *Repo) Scratch(ctx context.Context) (scratch *Repo, done func(), err error) {
	alternates, err := r.alternates(ctx)
	if err != nil {
		return nil, nil, err
	}
	dir, err := os.MkdirTemp("", "bullpen-objects-*")
	if err != nil {
		return nil, nil, err
	}
	done = func() { _ = os.RemoveAll(dir) } // a failure costs only disk space
	return r.With("GIT_OBJECT_DIRECTORY="+dir, alternates), done, nil
}

// alternates returns the environment variable that lets another repository use the objects of this
// one. The path is quoted, because git splits the variable's value at colons.
func (r *Repo) alternates(ctx context.Context) (variable string, err error) {
	path, err := r.Run(ctx, "rev-parse", "--path-format=absolute", "--git-path", "objects")
	return `GIT_ALTERNATE_OBJECT_DIRECTORIES="` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(path) + `"`, err
}

// With returns the same working tree, with more variables in git's environment.
func (r *Repo) With(env ...string) *Repo {
	other := *r
	other.at = slices.Concat(r.at, env)
	return &other
}
