package worktree

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// forgetDeleted saves the commit, the index and the state of a worktree whose directory was deleted by
// hand, and then calls forget.
func (w *Worktree) forgetDeleted(ctx context.Context) error {
	if err := w.keepEntry(ctx); err != nil {
		return fmt.Errorf("save what is left of %s: %w", w.Dir, err)
	}
	return w.forget(ctx)
}

// forget removes git's entry for the worktree, whose directory does not exist. It does not use
// `git worktree prune`, which would also remove the entries of worktrees on unmounted disks.
func (w *Worktree) forget(ctx context.Context) error {
	_, err := w.main.Run(ctx, "worktree", "remove", "--force", "--force", "--", w.Dir)
	return err
}

// keepEntry saves the commit, the index and the state of a worktree whose files are gone.
func (w *Worktree) keepEntry(ctx context.Context) error {
	common, err := w.main.CommonDir(ctx)
	if err != nil {
		return err
	}
	gitDir, err := entryDir(common, w.Dir)
	if err != nil || gitDir == "" {
		return err
	}
	empty, err := os.MkdirTemp("", "bullpen-deleted-*")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(empty) }() // a failure leaves an empty directory
	gone := w.main.At(empty, gitDir)
	if _, err := gone.Snapshot(ctx, w.Task, "commit and index of "+w.Dir+", whose files were deleted"); err != nil {
		return err
	}
	return keepReflog(ctx, gone, w.Task)
}

// entryDir returns git's directory for the worktree in dir, or "".
func entryDir(common, dir string) (string, error) {
	list, err := filepath.Glob(filepath.Join(common, "worktrees", "*", "gitdir"))
	if err != nil {
		return "", err
	}
	for _, file := range list {
		link, err := os.ReadFile(file)
		if err != nil {
			return "", err
		}
		if filepath.Clean(filepath.FromSlash(strings.TrimSuffix(string(link), "\n"))) == filepath.Join(dir, ".git") {
			return filepath.Dir(file), nil
		}
	}
	return "", nil
}
