package worktree

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// ErrRecent means that files in a worktree changed recently.
var ErrRecent = errors.New("files changed recently, so the worktree is kept for now")

// Remove saves everything in the worktree and moves its directory to the trash. It also deletes the
// task's branch, if the branch is known and another ref contains its commits. If the first snapshot
// with the worktree's current files was taken after since, Remove returns ErrRecent and removes
// nothing.
func (s *Store) Remove(ctx context.Context, w *Worktree, since time.Time) error {
	_, err := os.Lstat(w.Dir)
	gone := errors.Is(err, os.ErrNotExist)
	if err != nil && !gone {
		return err
	}
	if !gone {
		if w.repo == nil || !w.linked(ctx) { // a snapshot would not contain the files in the directory
			return fmt.Errorf("%s: %w", w.Dir, ErrOccupied)
		}
		saved, err := w.save(ctx, "before its removal")
		switch {
		case err != nil:
			return err
		case saved.Made.After(since):
			return fmt.Errorf("%s: %w", w.Dir, ErrRecent)
		}
	}
	ctx, unlock, err := lock(ctx, w.main)
	if err != nil {
		return err
	}
	defer unlock()
	if gone {
		err = w.forgetDeleted(ctx)
	} else if err = s.discard(w); err == nil {
		err = w.forget(ctx)
	}
	if err != nil {
		return fmt.Errorf("remove the worktree of %s: %w", w.Task, err)
	}
	return w.dropBranch(ctx)
}

// discard moves the directory of a worktree to the trash.
func (s *Store) discard(w *Worktree) error {
	if err := os.MkdirAll(s.trash(), 0o700); err != nil {
		return err
	}
	now := time.Now()
	removed := filepath.Join(s.trash(), fmt.Sprintf("%s-%d", w.Task, now.UnixMilli()))
	if err := os.Rename(w.Dir, removed); err != nil {
		return err
	}
	return os.Chtimes(removed, now, now) // Sweep counts from now
}

// dropBranch deletes the branch if another ref contains its commits and no other worktree has it
// checked out.
func (w *Worktree) dropBranch(ctx context.Context) error {
	if w.Branch == "" {
		return nil
	}
	list, err := entries(ctx, w.main)
	if err != nil || slices.ContainsFunc(list, func(e entry) bool { return e.branch == w.branchRef() }) {
		return err
	}
	tip, ok, err := commitOf(ctx, w.main, w.branchRef())
	if err != nil || !ok {
		return err
	}
	containing, err := w.main.Run(ctx, "for-each-ref", "--count=2", "--contains="+tip, "--format=%(refname)", "refs/")
	if err != nil || containing == w.branchRef() {
		return err
	}
	_, err = w.main.Run(ctx, "update-ref", "-d", w.branchRef(), tip)
	return err
}
