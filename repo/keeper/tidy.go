package keeper

import (
	"context"
	"errors"
	"path/filepath"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/repo/worktree"
	"github.com/bullpen-office/bullpen/world"
)

// tidy removes the worktrees of tasks that are no longer in the office, for example because their
// project was archived. After contracts.WorktreeKeep, it also removes the worktrees of cancelled
// tasks, and of landed tasks whose files have not been edited since they landed. A worktree stays
// until its files have been unchanged for contracts.WorktreeKeep, because a person may be working
// in it. Snapshots keep the files of removed worktrees.
func (k *Keeper) tidy(ctx context.Context) {
	failed, err := k.store.Sweep(k.cfg.Now())
	if err != nil {
		k.warn(ctx, "trash of removed worktrees could not be listed", k.cfg.Dir+" trash", err)
	}
	for name, err := range failed {
		k.warn(ctx, "removed worktree could not be deleted", name, err)
	}
	names, err := k.store.List() // read before the tasks, so that the task of every listed worktree is found
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
		if needed[name] || k.isKept(name) {
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

// removeFrom removes a repository's unneeded worktrees. A removal that fails is not retried until
// the next start.
func (k *Keeper) removeFrom(ctx context.Context, source string, needed map[string]bool) {
	list, err := k.store.WorktreesOf(ctx, source)
	if err != nil {
		k.warn(ctx, "worktrees of a repository could not be listed", source, err)
	}
	for _, w := range list {
		if needed[w.Task] || k.isKept(w.Task) || ctx.Err() != nil {
			continue
		}
		err := k.store.Remove(ctx, w, k.cfg.Now().Add(-contracts.WorktreeKeep))
		if errors.Is(err, worktree.ErrRecent) {
			k.retryAt[w.Task] = k.cfg.Now().Add(contracts.WorktreeKeep)
			continue
		}
		if err != nil {
			k.warn(ctx, "worktree of a finished task could not be removed", w.Task, err)
			continue
		}
		delete(k.retryAt, w.Task)
		k.cfg.Log.Info("worktree of a finished task removed; its files are in a snapshot", "worktree", w.Task, "repository", w.Source)
	}
}

// isKept reports whether a worktree stays although no task needs it, because its removal failed or
// its files changed recently.
func (k *Keeper) isKept(name string) bool {
	return k.lastWarning[name] != "" || k.cfg.Now().Before(k.retryAt[name])
}

// needed returns the names of the worktrees that tasks need, and the repositories on this node.
func (k *Keeper) needed() (names map[string]bool, sources []string) {
	names = map[string]bool{}
	k.cfg.View.Peek(func(w *world.World) {
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
			if !k.onOtherNode(repo) {
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
