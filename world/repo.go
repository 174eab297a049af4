package world

import (
	"errors"
	"fmt"
	"slices"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/repo/proof"
)

// Repos returns the repositories in the order they were added.
func (w *World) Repos() []contracts.Repo { return w.s.Repos }

// Repo returns the repository with the given name, or nil if there is none.
func (w *World) Repo(name string) *contracts.Repo {
	i := slices.IndexFunc(w.s.Repos, func(r contracts.Repo) bool { return r.Name == name })
	if i < 0 {
		return nil
	}
	return &w.s.Repos[i]
}

// Collisions returns the sets of unfinished tasks that have changed the same paths.
func (w *World) Collisions() []contracts.Collision { return w.s.Collisions }

// Verdict returns what the recorded checks prove about the task's files; empty if no files are
// known.
func (t *Task) Verdict() contracts.Verdict {
	if t.Worktree == nil || t.Tree == "" {
		return ""
	}
	return proof.Judge(t.Tree, proof.RecordedChecks(t.Worktree.Checks, t.Results), proof.RecordedResults(t.Results))
}

// Unlanded reports whether the task has approved work that is not in its target branch.
func (t *Task) Unlanded() bool {
	return t.Status == contracts.TaskDone && t.Worktree != nil && t.Tree != "" && !t.Landed()
}

// Landed reports whether the task's work is in its target branch.
func (t *Task) Landed() bool { return t.Landing != nil && t.Landing.Status == contracts.LandDone }

// TaskRow returns a task with everything that is derived from its records.
func (w *World) TaskRow(t *Task) contracts.Task {
	row := t.Task
	row.Verdict, row.Checks = t.Verdict(), t.shown()
	for _, c := range w.s.Collisions {
		if slices.Contains(c.TaskIDs, t.TaskID) {
			row.Collisions = append(row.Collisions, c)
		}
	}
	return row
}

// shown returns one result per check: the result for the task's files if there is one, otherwise
// the newest result. The checks of the task's pull request come last.
func (t *Task) shown() (rows []contracts.CheckResult) {
	if t.Worktree == nil {
		return nil
	}
	for _, c := range proof.RecordedChecks(t.Worktree.Checks, t.Results) {
		best := -1
		for i, r := range t.Results {
			if r.Name == c.Name && r.Command == c.Command && (best < 0 || r.Tree == t.Tree || t.Results[best].Tree != t.Tree) {
				best = i
			}
		}
		if best >= 0 {
			rows = append(rows, t.Results[best])
		}
	}
	return rows
}

func (w *World) foldRepo(e *contracts.Event) error {
	if e.Repo == nil {
		return fmt.Errorf("%s has no repository", e.Name)
	}
	i := slices.IndexFunc(w.s.Repos, func(r contracts.Repo) bool { return r.Name == e.Repo.Name })
	switch {
	case e.Name == contracts.EventRepoRemoved && i < 0:
		return fmt.Errorf("unknown repository %q", e.Repo.Name)
	case e.Name == contracts.EventRepoRemoved:
		w.s.Repos = slices.Concat(w.s.Repos[:i], w.s.Repos[i+1:])
	case i >= 0:
		w.s.Repos = slices.Clone(w.s.Repos)
		w.s.Repos[i] = *e.Repo
	default:
		w.s.Repos = append(slices.Clip(w.s.Repos), *e.Repo)
	}
	return nil
}

// foldProof folds an event about the files of a task.
func (w *World) foldProof(e *contracts.Event, seq uint64, ts int64) error {
	t, err := find(w.tasks, e.TaskID)
	if err != nil {
		return err
	}
	t.UpdatedAt = ts
	switch e.Name {
	case contracts.EventTaskPrepared:
		if e.Worktree == nil {
			return errors.New("task_prepared has no worktree")
		}
		t.Worktree = e.Worktree
		t.Results = slices.DeleteFunc(slices.Clone(t.Results), func(r contracts.CheckResult) bool { return !t.Worktree.Has(r) })
	case contracts.EventCheckFinished:
		if e.Check == nil {
			return errors.New("check_finished has no result")
		}
		if !e.Check.Hosted() { // the pull request's git host checked the pushed files; the task's files may have changed since
			t.Tree = e.Check.Tree
		}
		t.addResult(*e.Check)
		w.foldCheck(e, seq, ts)
	case contracts.EventTaskTreeChanged:
		t.Tree = e.Tree
		if e.Worktree != nil {
			t.Worktree, t.UpdatedTree = e.Worktree, e.Tree
		}
	default:
		if e.Landing == nil {
			return fmt.Errorf("%s has no landing", e.Name)
		}
		if t.Landing = e.Landing; t.Landed() {
			w.dropCollisions(t.TaskID)
		}
	}
	return nil
}

// addResult adds a check's result to the task, replacing the check's earlier result for the same
// tree. A check that did not run does not replace the result of a check that ran. If there are too
// many results, addResult drops the oldest ones, but keeps those for the task's current files.
func (t *Task) addResult(r contracts.CheckResult) {
	same := func(o contracts.CheckResult) bool {
		return o.Name == r.Name && o.Command == r.Command && o.Tree == r.Tree
	}
	if r.End == contracts.EndNotRun && slices.ContainsFunc(t.Results, func(o contracts.CheckResult) bool { return same(o) && o.End != contracts.EndNotRun }) {
		return
	}
	t.Results = slices.DeleteFunc(slices.Clone(t.Results), same)
	t.Results = append(t.Results, r)
	for i := 0; i < len(t.Results) && len(t.Results) > contracts.LimitCheckResults; {
		if t.Results[i].Tree == t.Tree {
			i++
			continue
		}
		t.Results = slices.Delete(t.Results, i, i+1)
	}
}

// foldCollision replaces the recorded collision of a set of tasks.
func (w *World) foldCollision(e *contracts.Event) error {
	if e.Collision == nil {
		return errors.New("collision_seen has no collision")
	}
	w.s.Collisions = slices.DeleteFunc(slices.Clone(w.s.Collisions), func(c contracts.Collision) bool {
		return slices.Equal(c.TaskIDs, e.Collision.TaskIDs)
	})
	if len(e.Collision.Paths) > 0 {
		w.s.Collisions = append(w.s.Collisions, *e.Collision)
	}
	return nil
}

// dropCollisions forgets the collisions of a task that is landed, cancelled or archived.
func (w *World) dropCollisions(taskID string) {
	w.s.Collisions = slices.DeleteFunc(slices.Clone(w.s.Collisions), func(c contracts.Collision) bool {
		return slices.Contains(c.TaskIDs, taskID)
	})
}
