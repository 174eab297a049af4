package git

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Restore creates a linked worktree at dir with everything in the snapshot. dir must be empty or not
// exist. The branch is not checked out, because another worktree may use it: the worktree starts at
// the snapshot's commit, without a branch.
func (r *Repo) Restore(ctx context.Context, s Snapshot, dir string) (*Repo, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	if entries, err := os.ReadDir(dir); err == nil && len(entries) > 0 {
		return nil, fmt.Errorf("%s is not empty: choose a directory that does not exist", dir)
	} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if _, err := r.text(ctx, call{args: []string{"worktree", "add", "--no-checkout", "--detach", "--quiet", "--", dir, s.Commit + "^1"}}); err != nil {
		return nil, err
	}
	restored, err := Open(ctx, dir)
	if err != nil {
		return nil, err
	}
	if err := restored.fill(ctx, s); err != nil {
		return nil, fmt.Errorf("%s is incomplete, and the snapshot is unchanged: %w", dir, err)
	}
	return restored, nil
}

// fill writes the files, the index and the state of a snapshot to a new worktree.
func (r *Repo) fill(ctx context.Context, s Snapshot) error {
	x, err := r.newIndex()
	if err != nil {
		return err
	}
	defer x.remove()
	if _, err := x.bytes(ctx, nil, "read-tree", s.Commit); err != nil {
		return err
	}
	if _, err := x.bytes(ctx, nil, "checkout-index", "--all", "--force"); err != nil {
		return err
	}
	out, err := r.bytes(ctx, call{args: []string{"ls-tree", "-r", "-z", "--name-only", s.Commit + "^3"}})
	if err != nil {
		return err
	}
	for _, name := range split(out) {
		target := ""
		switch {
		case name == stateIndex:
			target = filepath.Join(r.GitDir, "index")
		case strings.HasPrefix(name, "bullpen/"):
			continue
		case isState(name):
			target = filepath.Join(r.GitDir, filepath.FromSlash(name))
		default:
			return fmt.Errorf("the snapshot contains an unexpected file: %q", name)
		}
		blob, err := r.bytes(ctx, call{args: []string{"cat-file", "blob", s.Commit + "^3:" + name}})
		if err != nil {
			return err
		}
		if err := os.MkdirAll(filepath.Dir(target), 0o700); err != nil {
			return err
		}
		if err := os.WriteFile(target, blob, 0o600); err != nil {
			return err
		}
	}
	if _, err := r.bytes(ctx, call{args: []string{"ls-files", "-z"}}); err != nil { // fails for a split index, whose other part was not saved
		_, err = r.bytes(ctx, call{args: []string{"read-tree", s.Commit + "^2"}})
		return err
	}
	return nil
}

// isState reports whether a path is one that readState stores, so that a changed snapshot cannot
// write other files, such as the configuration of the repository.
func isState(name string) bool {
	if !filepath.IsLocal(filepath.FromSlash(name)) {
		return false
	}
	first, _, _ := strings.Cut(name, "/")
	return slices.Contains(stateNames, first)
}
