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

// Restore creates a linked worktree at dir with everything in the snapshot. dir must be empty or
// not exist. The branch is not checked out, because another worktree may be using it: the worktree
// starts without a branch, at the commit that was checked out when the snapshot was taken.
func (r *Repo) Restore(ctx context.Context, s Snapshot, dir string) (*Repo, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	if entries, err := os.ReadDir(dir); err == nil && len(entries) > 0 {
		return nil, fmt.Errorf("%s is not empty: choose a new or empty directory", dir)
	} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if _, err := r.text(ctx, Call{Args: []string{"worktree", "add", "--no-checkout", "--detach", "--quiet", "--", dir, s.Commit + "^1"}}); err != nil {
		return nil, err
	}
	restored, err := Open(ctx, dir)
	if err != nil {
		return nil, err
	}
	if err := restored.Fill(ctx, s); err != nil {
		return nil, fmt.Errorf("the restored directory %s is incomplete (the snapshot is unchanged): %w", dir, err)
	}
	return restored, nil
}

// Fill writes a snapshot's files, its state and finally its index to this worktree, which must be
// new.
func (r *Repo) Fill(ctx context.Context, s Snapshot) error {
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
	out, err := r.Output(ctx, Call{Args: []string{"ls-tree", "-r", "-z", "--name-only", s.Commit + "^3"}})
	if err != nil {
		return err
	}
	index := false
	for _, name := range split(out) {
		switch {
		case name == stateIndex:
			index = true
		case strings.HasPrefix(name, "bullpen/"):
		case !isState(name):
			return fmt.Errorf("the snapshot contains an unexpected file: %q", name)
		default:
			if err := r.fillState(ctx, s, name, filepath.FromSlash(name)); err != nil {
				return err
			}
		}
	}
	if index {
		if err := r.fillState(ctx, s, stateIndex, "index"); err != nil {
			return err
		}
		if _, err := r.Output(ctx, Call{Args: []string{"ls-files", "-z"}}); err == nil { // fails for a split index, because its shared part was not saved
			return nil
		}
	}
	_, err = r.Output(ctx, Call{Args: []string{"read-tree", s.Commit + "^2"}})
	return err
}

// fillState writes a file of a snapshot's state to the git directory.
func (r *Repo) fillState(ctx context.Context, s Snapshot, name, file string) error {
	blob, err := r.Output(ctx, Call{Args: []string{"cat-file", "blob", s.Commit + "^3:" + name}})
	if err != nil {
		return err
	}
	target := filepath.Join(r.GitDir, file)
	if err := os.MkdirAll(filepath.Dir(target), 0o700); err != nil {
		return err
	}
	return os.WriteFile(target, blob, 0o600)
}

// isState reports whether readState reads a path. The check prevents a tampered snapshot from
// changing other files, such as the repository's configuration.
func isState(name string) bool {
	if !filepath.IsLocal(filepath.FromSlash(name)) {
		return false
	}
	first, _, _ := strings.Cut(name, "/")
	return slices.Contains(stateNames, first)
}
