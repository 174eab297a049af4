package keeper

import (
	"context"
	"errors"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/repo/worktree"
	"github.com/bullpen-office/bullpen/world"
)

// Run lands requested work, follows open pull requests, watches the worktrees of unfinished tasks,
// and removes worktrees that are no longer needed. It returns once ctx is done.
func (k *Keeper) Run(ctx context.Context) error {
	var running sync.WaitGroup
	defer running.Wait()
	running.Go(func() { k.followPulls(ctx) })
	tick := time.NewTimer(k.cfg.Watch)
	defer tick.Stop()
	for {
		changed := k.cfg.View.Changed()
		k.landAll(ctx, &running)
		select {
		case <-ctx.Done():
			return nil
		case <-changed:
		case <-tick.C:
			began := time.Now()
			k.watch(ctx)
			k.tidy(ctx) // after watch, which finds edits made while the office was not running
			// Watching uses only a small share of the time, even in large repositories.
			tick.Reset(max(k.cfg.Watch, contracts.WorktreeScanPauseFactor*time.Since(began)))
		}
	}
}

// localTasks returns the tasks that have a worktree on this node.
func (k *Keeper) localTasks() (list []task) {
	k.cfg.View.Peek(func(w *world.World) {
		for _, t := range w.Tasks() {
			if t.Worktree == nil {
				continue
			}
			if repo := w.Repo(t.Worktree.Repo); repo != nil && !k.onOtherNode(*repo) {
				list = append(list, task{w.TaskRow(t), *repo, t.UpdatedTree})
			}
		}
	})
	return list
}

// watch records files that changed after they were delivered, and tasks that edit the same files.
func (k *Keeper) watch(ctx context.Context) {
	edited := map[string]map[string][]string{} // paths by task and repository
	clear(k.edited)
	for _, t := range k.localTasks() {
		if t.Status == contracts.TaskCancelled || k.isLanding(t.TaskID) || ctx.Err() != nil {
			continue
		}
		paths, err := k.scan(ctx, t)
		if err != nil {
			k.warn(ctx, "worktree could not be read", t.TaskID, err)
			continue
		}
		delete(k.lastWarning, t.TaskID)
		if !t.Status.Final() {
			if edited[t.Repo.Name] == nil {
				edited[t.Repo.Name] = map[string][]string{}
			}
			edited[t.Repo.Name][t.TaskID] = paths
		}
	}
	if ctx.Err() == nil {
		k.recordCollisions(ctx, edited)
	}
}

// warn logs an error about a task, worktree, repository or directory. It skips an error that
// repeats the last one for the same name.
func (k *Keeper) warn(ctx context.Context, message, name string, err error) {
	if ctx.Err() == nil && k.lastWarning[name] != err.Error() {
		k.lastWarning[name] = err.Error()
		k.cfg.Log.Warn(message, "name", name, "error", err)
	}
}

// scan returns the paths that a task has changed. If the files have changed even though the task is
// not in progress, scan saves the files and records their new tree.
func (k *Keeper) scan(ctx context.Context, t task) ([]string, error) {
	if _, err := os.Stat(t.Worktree.Dir); errors.Is(err, os.ErrNotExist) {
		return nil, nil // removed
	}
	w, err := k.open(ctx, t.Task, t.Repo)
	if err != nil {
		return nil, err
	}
	tree, paths, err := w.Changes(ctx)
	if err != nil {
		return nil, err
	}
	if t.Status != contracts.TaskInProgress && t.Tree != "" && tree != t.Tree {
		k.edited[t.TaskID] = true
		saved, err := w.Snapshot(ctx, "changed after delivery")
		if err != nil {
			return nil, err
		}
		if err := k.cfg.Office.Record(ctx, contracts.TreeSeen{TaskID: t.TaskID, Tree: saved.Tree}); err != nil {
			return nil, err
		}
	}
	return paths, nil
}

// recordCollisions records which tasks edit the same files, and which no longer do.
func (k *Keeper) recordCollisions(ctx context.Context, edited map[string]map[string][]string) {
	now, known := map[string]string{}, k.collisions()
	for _, tasks := range edited {
		for _, c := range worktree.Collisions(tasks) {
			c.Paths = c.Paths[:min(len(c.Paths), contracts.LimitChangedPaths)]
			now[joined(c.Tasks)] = joined(c.Paths)
		}
	}
	for tasks, paths := range now {
		if known[tasks] != paths {
			k.recordCollision(ctx, tasks, strings.Split(paths, separator))
		}
	}
	for tasks := range known {
		if now[tasks] == "" {
			k.recordCollision(ctx, tasks, nil)
		}
	}
}

// separator joins ids or paths into a string that can be compared.
const separator = "\x00"

func joined(list []string) string { return strings.Join(list, separator) }

// collisions returns the recorded collisions of tasks on this node, as a map from tasks to paths.
func (k *Keeper) collisions() map[string]string {
	local := map[string]bool{}
	for _, t := range k.localTasks() {
		local[t.TaskID] = true
	}
	known := map[string]string{}
	k.cfg.View.Peek(func(w *world.World) {
		for _, c := range w.Collisions() {
			if !slices.ContainsFunc(c.TaskIDs, func(id string) bool { return !local[id] }) {
				known[joined(c.TaskIDs)] = joined(c.Paths)
			}
		}
	})
	return known
}

// recordCollision records the paths that several tasks edit. Without paths, it records that the
// collision has ended.
func (k *Keeper) recordCollision(ctx context.Context, tasks string, paths []string) {
	err := k.cfg.Office.Record(ctx, contracts.CollisionSeen{TaskIDs: strings.Split(tasks, separator), Paths: paths})
	var refusal *contracts.Refusal
	if err != nil && !errors.As(err, &refusal) {
		k.cfg.Log.Warn("could not record a collision", "error", err) // retried at the next tick
	}
}
