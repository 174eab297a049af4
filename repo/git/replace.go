package git

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// ErrInTheWay means that an ignored file would be replaced.
var ErrInTheWay = errors.New("an ignored file would be overwritten: move or rename it, and try again")

// Replace replaces the files of one tree (from) with those of another (to). The index and the
// branch are not changed. If the working tree does not match the first tree, Replace returns
// ErrChanging; if an ignored file is in the way, it returns ErrInTheWay. In both cases it changes
// nothing.
func (r *Repo) Replace(ctx context.Context, from, to string) error {
	current, err := r.withCurrentSettings(ctx)
	if err != nil {
		return err
	}
	x, err := current.copyIndex()
	if err != nil {
		return err
	}
	defer x.remove()
	t, err := x.addAll(ctx)
	switch {
	case err != nil:
		return err
	case t.Hash != from || len(t.Skipped) > 0:
		return ErrChanging
	}
	if err := x.checkFree(ctx, from, to); err != nil {
		return err
	}
	// A file that was written at the same moment as the index counts as changed, so the index is
	// written last.
	if _, err := x.bytes(ctx, nil, "update-index", "--force-write-index"); err != nil {
		return err
	}
	// git compares each file that it is about to replace with the index.
	_, failed := x.bytes(ctx, nil, "read-tree", "-m", "-u", from, to)
	if failed == nil {
		return nil
	}
	if t, err = x.addAll(ctx); err == nil && t.Hash != from {
		return ErrChanging
	}
	return failed
}

// checkFree returns an error if a path that the new tree (to) adds to the old one (from) already
// exists on disk. Such a file can only be one that git ignores, because all other files on disk are
// in the old tree.
func (x *index) checkFree(ctx context.Context, from, to string) error {
	added, err := x.repo.List(ctx, "diff-tree", "-r", "-z", "--name-only", "--no-renames", "--diff-filter=A", from, to, "--")
	if err != nil {
		return err
	}
	for _, path := range added {
		if _, err := os.Lstat(filepath.Join(x.repo.Top, filepath.FromSlash(path))); !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("%s: %w", path, ErrInTheWay)
		}
	}
	return nil
}
