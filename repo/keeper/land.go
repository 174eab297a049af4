package keeper

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/hud"
	"github.com/bullpen-office/bullpen/repo/worktree"
	"github.com/bullpen-office/bullpen/turn"
)

// landAll starts landing the work of every task whose landing has been requested but is not running
// yet. Landings run concurrently, because checks may have to run first.
func (k *Keeper) landAll(ctx context.Context, running *sync.WaitGroup) {
	for _, t := range k.localTasks() {
		if t.Landing == nil || t.Landing.Status != contracts.LandRequested || ctx.Err() != nil || !k.claim(t.TaskID) {
			continue
		}
		running.Go(func() {
			defer k.release(t.TaskID)
			outcome := k.land(ctx, t)
			if ctx.Err() != nil {
				return // retried after the next start
			}
			if err := k.cfg.Office.Record(ctx, outcome); err != nil {
				k.cfg.Log.Warn("could not record a landing", "task", t.TaskID, "error", err)
			}
		})
	}
}

// claim marks a task's landing as running. It returns false if one is running already.
func (k *Keeper) claim(taskID string) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.landing[taskID] {
		return false
	}
	k.landing[taskID] = true
	return true
}

func (k *Keeper) release(taskID string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	delete(k.landing, taskID)
}

func (k *Keeper) isLanding(taskID string) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.landing[taskID]
}

// land brings a task's work into the target branch, and returns a fact that reports the outcome.
func (k *Keeper) land(ctx context.Context, t task) contracts.Fact {
	l := *t.Landing
	var patch *contracts.ArtifactDraft
	failed := func(err error) contracts.Fact {
		f := contracts.LandingFailed{TaskID: t.TaskID, Number: l.Number, Reason: hud.Shorten(err.Error(), contracts.LimitNote), Patch: patch}
		var conflict *worktree.ConflictError
		if errors.As(err, &conflict) {
			f.Conflicts = conflict.Paths[:min(len(conflict.Paths), contracts.LimitChangedPaths)]
		}
		return f
	}
	w, err := k.open(ctx, t.Task, t.Repo)
	if err != nil {
		return failed(err)
	}
	var done worktree.Landed
	var pulled contracts.Fact
	switch err = checkCurrent(ctx, t, w); {
	case err != nil:
	case l.How == contracts.LandPull:
		pulled, err = openPull(ctx, t, w)
	default:
		done, err = w.Land(ctx, worktree.Landing{Tree: l.Tree, How: string(l.How), Title: t.Title, AllowMoved: l.Unproven, DryRun: l.DryRun})
	}
	switch moved := errors.Is(err, worktree.ErrMoved); {
	case moved && l.DryRun:
		err = fmt.Errorf("%s has new commits: landing would merge them into the task's files, run the checks again, and ask for your approval again", w.Target)
	case moved:
		if patch, err = k.update(ctx, t, w); err == nil {
			err = fmt.Errorf("%s had new commits; they are now merged into the task's files, and the checks ran again: approve the new version, then land the task again", w.Target)
		}
	}
	if err != nil {
		return failed(err)
	}
	if pulled != nil {
		return pulled
	}
	landed := contracts.Landed{TaskID: t.TaskID, Number: l.Number, Target: done.Target}
	if !l.DryRun {
		landed.Commit = done.Commit
	}
	return landed
}

// checkCurrent returns worktree.ErrMoved if the worktree has been updated since the tree being
// landed was delivered. This can happen if an update was interrupted; landing that tree would undo
// the commits that the update merged.
func checkCurrent(ctx context.Context, t task, w *worktree.Worktree) error {
	if w.Base == t.Worktree.Base && (t.updatedTree == "" || t.updatedTree == t.Landing.Tree) {
		return nil
	}
	based, err := w.Based(ctx, t.Landing.Tree)
	if err == nil && !based {
		err = worktree.ErrMoved
	}
	return err
}

// update merges the target branch's new commits into a task's worktree, and runs the task's checks
// again. It returns the updated patch, even if a check could not be run.
func (k *Keeper) update(ctx context.Context, t task, w *worktree.Worktree) (*contracts.ArtifactDraft, error) {
	if err := w.Update(ctx, t.Title, t.Landing.Tree); err != nil {
		return nil, err
	}
	saved, err := w.Snapshot(ctx, "updated from "+w.Target)
	if err != nil {
		return nil, err
	}
	seen := contracts.TreeSeen{TaskID: t.TaskID, Tree: saved.Tree}
	if saved.Tree != t.updatedTree { // if equal, it was recorded before this landing was interrupted
		made, err := w.UpdatedTree(ctx, t.Worktree.Base, t.Landing.Tree)
		if err != nil {
			return nil, err
		}
		if made != saved.Tree { // the files were edited after an interrupted update
			return nil, cmp.Or(k.cfg.Office.Record(ctx, seen), worktree.ErrChanged)
		}
	}
	patch, err := k.updatedPatch(ctx, t, w, saved.Tree)
	if err != nil {
		return nil, err
	}
	seen.Base = w.Base
	if err := k.cfg.Office.Record(ctx, seen); err != nil {
		return nil, err
	}
	return patch, k.checkAgain(ctx, t)
}

// updatedPatch stores the difference between the worktree's base and a tree, as a new version of
// the task's patch.
func (k *Keeper) updatedPatch(ctx context.Context, t task, w *worktree.Worktree, tree string) (*contracts.ArtifactDraft, error) {
	p, err := patchOf(ctx, w, tree)
	if err != nil {
		return nil, err
	}
	draft := &contracts.ArtifactDraft{
		Type: contracts.ArtifactPatch, Title: t.Title, MIME: contracts.MIMEPatch, Bytes: len(p.Content),
		Tree: tree, Base: w.Base, Stat: &p.Stat,
	}
	err = turn.RetryUntilRefused(ctx, k.cfg.Log, "patch", func(ctx context.Context) (err error) {
		draft.SHA256, err = k.cfg.Blobs.PutBlob(ctx, p.Content)
		return err
	})
	return draft, err
}

// checkAgain runs the checks of a task and records their results.
func (k *Keeper) checkAgain(ctx context.Context, t task) error {
	var unchecked []string
	for _, c := range t.Worktree.Runnable() {
		r, err := k.Check(ctx, *t.Worktree, c, io.Discard)
		if err != nil {
			unchecked = append(unchecked, fmt.Sprintf("%s could not be run: %v", c.Name, err))
			continue
		}
		if err := k.cfg.Office.Record(ctx, contracts.CheckRan{TaskID: t.TaskID, Attempt: t.Attempt, Result: r}); err != nil {
			return err
		}
		if r.End == contracts.EndNotRun {
			unchecked = append(unchecked, fmt.Sprintf("%s was not run: %s", c.Name, r.Reason))
		}
	}
	if len(unchecked) > 0 {
		return errors.New(strings.Join(unchecked, "; "))
	}
	return nil
}
