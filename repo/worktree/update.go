package worktree

import (
	"context"
	"fmt"
)

// Update brings the commits that the target branch got since the task's base into the worktree, and
// makes the target branch's commit the new base. If that conflicts, it returns a *ConflictError and
// changes nothing.
func (w *Worktree) Update(ctx context.Context, title string) error {
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
	c := commits{Worktree: w, Landing: Landing{Tree: saved.Tree, Title: title}, old: target}
	whole, err := c.commit(ctx, saved.Tree, w.Base)
	if err != nil {
		return err
	}
	tree, err := c.merged(ctx, target, whole)
	if err != nil {
		return err
	}
	updated, err := c.commit(ctx, tree, target)
	if err != nil {
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
