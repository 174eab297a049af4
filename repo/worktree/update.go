package worktree

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/repo/git"
)

// Update merges the target branch's commits since the task's base into the worktree, and makes the
// newest of them the new base. It returns a *ConflictError if there are conflicts, and
// ErrChanged if tree is not empty and differs from the worktree's files; in both cases it changes
// nothing. Edits made during the update are merged too, or left unchanged. If an update is
// interrupted after it has merged the files, it can be repeated.
func (w *Worktree) Update(ctx context.Context, title, tree string) error {
	for range contracts.TreeAttempts {
		err := w.update(ctx, title, tree)
		if !errors.Is(err, git.ErrChanging) {
			return err
		}
	}
	return git.ErrChanging
}

func (w *Worktree) update(ctx context.Context, title, tree string) error {
	saved, err := w.save(ctx, "before an update from "+w.Target)
	if err != nil {
		return err
	}
	target, ok, err := commitOf(ctx, w.main, w.targetRef())
	switch {
	case err != nil:
		return err
	case !ok:
		return fmt.Errorf("%s: %w", w.Target, ErrNoCommit)
	case target == w.Base:
		return nil
	}
	from := cmp.Or(tree, saved.Tree)
	c := commits{Worktree: w, Landing: Landing{Tree: from, Title: title}, old: target}
	merged := ""
	whole, err := c.commit(ctx, from, w.Base)
	if err == nil {
		merged, err = c.merged(ctx, target, whole)
	}
	switch {
	case saved.Tree != from && saved.Tree != merged: // checked before err, because a conflict would concern tree, not the current files
		return fmt.Errorf("%s: %w", w.Dir, ErrChanged)
	case err != nil:
		return err
	}
	updated, err := c.commit(ctx, merged, target)
	if err != nil {
		return err
	}
	if err := w.repo.Replace(ctx, saved.Tree, merged); err != nil {
		return err
	}
	if err := w.moveTo(ctx, updated); err != nil {
		return err
	}
	if _, err := w.main.Run(ctx, "update-ref", w.baseRef(), target); err != nil {
		return err
	}
	w.Base = target
	return nil
}

// moveTo makes commit, whose files are already in the worktree, the tip of the task's branch, and
// checks out the branch. The branch's old commits stay reachable, and files do not change.
func (w *Worktree) moveTo(ctx context.Context, commit string) error {
	tip, ok, err := commitOf(ctx, w.main, w.branchRef())
	if err != nil {
		return err
	}
	if ok {
		if err := keep(ctx, w.main, w.Task, []string{tip}, w.branchRef()); err != nil {
			return err
		}
	}
	_, _ = w.repo.Run(ctx, "rebase", "--quit") // fails if there is no unfinished rebase
	if _, err := w.repo.Run(ctx, "symbolic-ref", "HEAD", w.branchRef()); err != nil {
		return err
	}
	_, err = w.repo.Run(ctx, "reset", "--quiet", "--mixed", commit)
	return err
}

// UpdatedTree returns the tree that Update produces from tree, a delivered tree that was made on
// top of base.
func (w *Worktree) UpdatedTree(ctx context.Context, base, tree string) (string, error) {
	c := commits{Worktree: w, Landing: Landing{Tree: tree}}
	whole, err := c.commit(ctx, tree, base)
	if err != nil {
		return "", err
	}
	return c.merged(ctx, w.Base, whole)
}

// Based reports whether a delivered tree was made on top of the worktree's base. It is false after an
// update: landing that tree would undo the commits that the update merged.
func (w *Worktree) Based(ctx context.Context, tree string) (bool, error) {
	head, err := commits{Worktree: w, Landing: Landing{Tree: tree}}.delivered(ctx)
	if err != nil {
		return false, err
	}
	_, err = w.main.Run(ctx, "merge-base", "--is-ancestor", w.Base, head)
	if isGitError(err) {
		return false, nil
	}
	return err == nil, err
}
