package worktree

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/bullpen-office/bullpen/repo/git"
)

// Reasons why a repository cannot be used for a task.
var (
	ErrDetached     = errors.New("no branch is checked out, so the target branch must be named")
	ErrNoCommit     = errors.New("the target branch does not exist or has no commits yet: make a first commit")
	ErrBranchExists = errors.New("the branch already exists and does not belong to this task: rename it, and try again")
	ErrBase         = errors.New("the task's recorded starting commit was changed: restore it with `git update-ref`, and try again")
	ErrOccupied     = errors.New("the directory already exists and is not the worktree of this task: move or rename it, and try again")
)

// Add returns the worktree of a task. If there is none, Add creates it on its own branch, which
// starts at the target branch's commit. An existing worktree is returned unchanged. A worktree
// whose directory was deleted by hand is recreated with the files of its last snapshot, unless the
// branch is newer.
func (s *Store) Add(ctx context.Context, source string, t Task) (*Worktree, error) {
	main, err := git.Open(ctx, source)
	if err != nil {
		return nil, err
	}
	w := &Worktree{Task: t.ID, Source: main.Top, Branch: t.Branch, Target: t.Target, main: main}
	if w.Dir, err = s.dir(t.ID); err != nil {
		return nil, err
	}
	if w.Target == "" {
		if w.Target, err = main.Run(ctx, "symbolic-ref", "--quiet", "--short", "HEAD"); err != nil {
			return nil, fmt.Errorf("%s: %w", main.Top, ErrDetached)
		}
	}
	if err := w.register(ctx); err != nil {
		return nil, fmt.Errorf("prepare a worktree of %s: %w", main.Top, err)
	}
	if w.repo, err = git.Open(ctx, w.Dir); err != nil {
		return nil, err
	}
	if err := w.fill(ctx); err != nil {
		return nil, fmt.Errorf("check out the files of %s: %w", w.Branch, err)
	}
	return w, nil
}

// CheckBase checks that the base is either the recorded one or a later commit on the target branch,
// because Update moves the base along that branch. Agents can change refs, and a base chosen by an
// agent could hide changes from the patch and define different checks. If recorded is empty, any
// commit on the target branch is accepted.
func (w *Worktree) CheckBase(ctx context.Context, recorded string) error {
	if w.Base == recorded {
		return nil
	}
	order := []string{recorded, w.Base, w.targetRef()}
	for i := range order[1:] {
		if order[i] == "" {
			continue
		}
		_, err := w.main.Run(ctx, "merge-base", "--is-ancestor", order[i], order[i+1])
		if isGitError(err) {
			return fmt.Errorf("%s is %s, but the task started from %s: %w", w.baseRef(), w.Base, cmp.Or(recorded, "a commit of "+w.Target), ErrBase)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// baseRef returns the name of the ref for the commit that the task started from.
func (w *Worktree) baseRef() string { return "refs/bullpen/" + w.Task + "/base" }

func (w *Worktree) branchRef() string { return "refs/heads/" + w.Branch }

// commitOf returns the commit that a ref points to; ok is false if there is none.
func commitOf(ctx context.Context, repo *git.Repo, ref string) (commit string, ok bool, err error) {
	commit, err = repo.Run(ctx, "rev-parse", "--verify", "--quiet", ref+"^{commit}")
	var failed *git.Error
	if errors.As(err, &failed) && failed.Code == 1 {
		return "", false, nil
	}
	return commit, err == nil, err
}

// register creates the branch and the worktree, without files.
func (w *Worktree) register(ctx context.Context) error {
	ctx, unlock, err := lock(ctx, w.main)
	if err != nil {
		return err
	}
	defer unlock()
	if err := w.start(ctx); err != nil {
		return err
	}
	list, err := entries(ctx, w.main)
	if err != nil {
		return err
	}
	known := slices.ContainsFunc(list, func(e entry) bool { return e.dir == w.Dir })
	content, err := os.ReadDir(w.Dir)
	switch {
	case err != nil && !errors.Is(err, os.ErrNotExist):
		return err
	case len(content) > 0:
		return w.adopt(ctx)
	case known:
		if err := w.forgetDeleted(ctx); err != nil {
			return err
		}
	}
	_, err = w.main.Run(ctx, "worktree", "add", "--quiet", "--no-checkout", "--lock", "--reason", "used by a Bullpen task", "--", w.Dir, w.Branch)
	return err
}

// start records the base of the task and creates its branch.
func (w *Worktree) start(ctx context.Context) error {
	base, recorded, err := commitOf(ctx, w.main, w.baseRef())
	if err != nil {
		return err
	}
	_, exists, err := commitOf(ctx, w.main, w.branchRef())
	if err != nil {
		return err
	}
	switch {
	case recorded && exists:
		w.Base = base
		return nil
	case recorded: // the branch was deleted by hand
		w.Base = base
		tip := base
		if last, ok := w.main.Last(ctx, w.Task, w.Dir); ok {
			if tip, err = w.main.Run(ctx, "rev-parse", last.Commit+"^1"); err != nil {
				return err
			}
		}
		_, err = w.main.Run(ctx, "update-ref", w.branchRef(), tip, "")
		return err
	case exists:
		return fmt.Errorf("%s: %w", w.Branch, ErrBranchExists)
	}
	if w.Base, exists, err = commitOf(ctx, w.main, w.targetRef()); err != nil {
		return err
	}
	if !exists {
		return fmt.Errorf("%s: %w", w.Target, ErrNoCommit)
	}
	create := fmt.Appendf(nil, "create %s %s\ncreate %s %s\n", w.baseRef(), w.Base, w.branchRef(), w.Base)
	_, err = w.main.Output(ctx, git.Call{Args: []string{"update-ref", "--stdin"}, In: create})
	return err
}

// adopt checks that the directory is the task's worktree. If the repository was moved, it first
// repairs the links between the repository and the worktree.
func (w *Worktree) adopt(ctx context.Context) error {
	if w.linked(ctx) {
		return nil
	}
	if _, err := w.main.Run(ctx, "worktree", "repair", w.Dir); err != nil && !isGitError(err) {
		return err
	}
	if !w.linked(ctx) {
		return fmt.Errorf("%s: %w", w.Dir, ErrOccupied)
	}
	return nil
}

func isGitError(err error) bool {
	var failed *git.Error
	return errors.As(err, &failed)
}

// linked reports whether the directory is a worktree of the repository.
func (w *Worktree) linked(ctx context.Context) bool {
	repo, err := git.Open(ctx, w.Dir)
	if err != nil || repo.Top != w.Dir {
		return false
	}
	own, err := repo.CommonDir(ctx)
	if err != nil {
		return false
	}
	common, err := w.main.CommonDir(ctx)
	return err == nil && own == common
}

// fill checks out the files of a worktree that has no index. A worktree with an index is complete,
// because git writes the index last. fill saves existing files first: they usually come from a
// checkout that was killed, but an agent may have deleted the index.
func (w *Worktree) fill(ctx context.Context) error {
	index := filepath.Join(w.repo.GitDir, "index")
	missing := func() (bool, error) {
		_, err := os.Stat(index)
		if errors.Is(err, os.ErrNotExist) {
			return true, nil
		}
		return false, err
	}
	if empty, err := missing(); !empty {
		return err
	}
	_, unlock, err := hold(ctx, w.Dir)
	if err != nil {
		return err
	}
	defer unlock()
	if empty, err := missing(); !empty {
		return err // filled in the meantime
	}
	content, err := os.ReadDir(w.Dir)
	if err != nil {
		return err
	}
	if len(content) > 1 { // more than .git
		if _, err := w.repo.Snapshot(ctx, w.Task+"-found", "files without an index, before a checkout"); err != nil {
			return err
		}
	}
	if err := os.Remove(index + ".lock"); err != nil && !errors.Is(err, os.ErrNotExist) { // left by a checkout that was killed
		return err
	}
	head, err := w.repo.Run(ctx, "rev-parse", "HEAD^{commit}")
	if err != nil {
		return err
	}
	if last, ok := w.repo.Last(ctx, w.Task, w.Dir); ok {
		saved, err := w.repo.Run(ctx, "rev-parse", last.Commit+"^1")
		if err != nil {
			return err
		}
		if saved == head {
			return w.repo.Fill(ctx, last)
		}
	}
	_, err = w.repo.Run(ctx, "reset", "--quiet", "--hard")
	return err
}
