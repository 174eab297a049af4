package worktree

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/bullpen-office/bullpen/repo/git"
)

// BranchPrefix is the name prefix of the branches that Remove deletes.
const BranchPrefix = "bullpen/"

// List returns the ids of the tasks whose worktrees have a directory in the store.
func (s *Store) List() (tasks []string, err error) {
	list, err := os.ReadDir(s.Dir)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	for _, e := range list {
		if e.IsDir() && !strings.HasPrefix(e.Name(), ".") {
			tasks = append(tasks, e.Name())
		}
	}
	return tasks, err
}

// Source returns the main working tree of the repository that a task's worktree belongs to.
func (s *Store) Source(ctx context.Context, task string) (string, error) {
	dir, err := s.dir(task)
	if err != nil {
		return "", err
	}
	repo, err := git.Open(ctx, dir)
	if err != nil {
		return "", err
	}
	if repo.Top != dir {
		return "", fmt.Errorf("%s: %w", dir, ErrOccupied)
	}
	list, err := entries(ctx, repo)
	if err != nil {
		return "", err
	}
	return list[0].dir, nil
}

// WorktreesOf returns the worktrees of a repository that belong to the store, so that they can be
// passed to Remove. They include worktrees whose directory is gone, for example after a removal
// that was interrupted.
func (s *Store) WorktreesOf(ctx context.Context, source string) (worktrees []*Worktree, err error) {
	main, err := git.Open(ctx, source)
	if err != nil {
		return nil, err
	}
	list, err := entries(ctx, main)
	if err != nil {
		return nil, err
	}
	for _, e := range list {
		task := filepath.Base(e.dir)
		if dir, err := s.dir(task); err != nil {
			return nil, err
		} else if dir != e.dir {
			continue
		}
		w := &Worktree{Task: task, Source: main.Top, Dir: e.dir, main: main}
		if branch := strings.TrimPrefix(e.branch, "refs/heads/"); strings.HasPrefix(branch, BranchPrefix) {
			w.Branch = branch
		}
		w.repo, _ = git.Open(ctx, e.dir) // Remove refuses a worktree that cannot be opened
		worktrees = append(worktrees, w)
	}
	return worktrees, nil
}
