package keeper

import (
	"context"
	"path/filepath"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/world"
)

// tidy removes worktrees that are no longer needed: those of tasks that the office does not know, for
// example because their project was archived; and, after contracts.WorktreeKeep, those of tasks that
// were cancelled, or that landed and have not been edited since. Snapshots keep their contents.
func (k *Keeper) tidy(ctx context.Context) {
	if err := k.store.Sweep(k.cfg.Now()); err != nil {
		k.warn(ctx, "trash of removed worktrees could not be emptied", k.cfg.Dir, err)
	}
	names, err := k.store.List() // before the tasks: a worktree that is new has a task
	if err != nil {
		k.warn(ctx, "worktrees could not be listed", k.cfg.Dir, err)
		return
	}
	needed, sources := k.needed()
	if k.searched {
		sources = nil
	}
	k.searched = true
	for _, name := range names {
		if needed[name] || k.bad[name] != "" {
			continue
		}
		source, err := k.store.Source(ctx, name)
		if err != nil {
			k.warn(ctx, "worktree of a finished task could not be removed", name, err)
			continue
		}
		sources = append(sources, source)
	}
	for _, source := range sources {
		k.removeFrom(ctx, source, needed)
	}
}

// removeFrom removes the worktrees of a repository that are not needed. A removal that fails is not
// retried until the next start.
func (k *Keeper) removeFrom(ctx context.Context, source string, needed map[string]bool) {
	left, err := k.store.Left(ctx, source)
	if err != nil {
		k.warn(ctx, "worktrees of a repository could not be listed", source, err)
	}
	for _, w := range left {
		if needed[w.Task] || k.bad[w.Task] != "" || ctx.Err() != nil {
			continue
		}
		if err := k.store.Remove(ctx, w); err != nil {
			k.warn(ctx, "worktree of a finished task could not be removed", w.Task, err)
			continue
		}
		k.cfg.Log.Info("worktree of a finished task removed; its files are in a snapshot", "worktree", w.Task, "repository", w.Source)
	}
}

// needed returns the names of the worktrees that tasks need, and the repositories on this node.
func (k *Keeper) needed() (names map[string]bool, sources []string) {
	names = map[string]bool{}
	k.cfg.View.Glance(func(w *world.World) {
		for _, t := range w.Tasks() {
			if k.finished(t) && !k.edited[t.TaskID] {
				continue
			}
			names[k.name(t.TaskID)] = true
			if t.Worktree != nil {
				names[filepath.Base(t.Worktree.Dir)] = true
			}
		}
		for _, repo := range w.Repos() {
			if !k.elsewhere(repo) {
				sources = append(sources, repo.Path)
			}
		}
	})
	return names, sources
}

// finished reports whether the worktree of a task is no longer needed.
func (k *Keeper) finished(t *world.Task) bool {
	cancelled, landed := t.Status == contracts.TaskCancelled, t.Landed() && t.Tree == t.Landing.Tree
	return (cancelled || landed) && k.cfg.Now().UnixMilli()-t.UpdatedAt >= contracts.WorktreeKeep.Milliseconds()
}
