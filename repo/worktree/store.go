// Package worktree gives each task its own git worktree, and lands the task's changes.
//
// Nothing is lost: before a worktree is updated, recreated or removed, everything in it except
// ignored files is reachable from a hidden ref, and removed directories are kept in a trash
// directory for a while. The user's own working trees are not touched, with one exception: landing
// moves a checked-out target branch forward if this affects no file with uncommitted changes.
// Programs named in a repository's settings are never run; see repo/git.
package worktree

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/repo/git"
)

// Store keeps the worktrees of tasks in one directory.
type Store struct {
	Dir string   // a directory that only the office uses
	Env []string // environment of setup commands; see process.Environment
}

// Task describes the worktree of a task.
type Task struct {
	ID     string // lower-case letters, digits, - and _; also names the group of the task's snapshots
	Branch string // without refs/heads/
	Target string // branch that the changes will land in; empty means the one that is checked out
}

// Worktree is the worktree of a task.
type Worktree struct {
	Task   string // id of the task
	Source string // top directory of the user's working tree
	Dir    string
	Branch string
	Target string
	Base   string // commit of the target branch when the worktree was first created

	repo *git.Repo // the worktree
	main *git.Repo // the user's working tree
}

// Repo returns the worktree's files as a git working tree.
func (w *Worktree) Repo() *git.Repo { return w.repo }

// locks contains a lock for each repository on this machine, because git's commands on worktrees fail
// if several of them run at the same time. It also contains a lock for each worktree, which is held
// while the worktree is being filled.
var locks sync.Map // common directory or directory of a worktree → chan struct{} of capacity 1

// lock waits until no other command is changing the worktrees of the repository. Commands that run
// before unlock must use the returned context: it is never cancelled, because a git process that is
// stopped may leave lock files behind.
func lock(ctx context.Context, repo *git.Repo) (locked context.Context, unlock func(), err error) {
	common, err := repo.CommonDir(ctx)
	if err != nil {
		return nil, nil, err
	}
	return hold(ctx, common)
}

// hold is like lock, but for a directory.
func hold(ctx context.Context, dir string) (locked context.Context, unlock func(), err error) {
	value, _ := locks.LoadOrStore(dir, make(chan struct{}, 1))
	held := value.(chan struct{})
	select {
	case held <- struct{}{}:
		return context.WithoutCancel(ctx), func() { <-held }, nil
	case <-ctx.Done():
		return nil, nil, ctx.Err()
	}
}

// entry is a worktree registered with git.
type entry struct {
	dir    string
	branch string // full name, or empty
}

// entries lists the worktrees of the repository, the main one first.
func entries(ctx context.Context, repo *git.Repo) ([]entry, error) {
	rows, err := repo.Output(ctx, git.Call{Args: []string{"worktree", "list", "--porcelain", "-z"}})
	if err != nil {
		return nil, err
	}
	var list []entry
	for row := range strings.SplitSeq(string(rows), "\x00") {
		if dir, ok := strings.CutPrefix(row, "worktree "); ok {
			list = append(list, entry{dir: filepath.FromSlash(dir)})
		} else if branch, ok := strings.CutPrefix(row, "branch "); ok && len(list) > 0 {
			list[len(list)-1].branch = branch
		}
	}
	return list, nil
}

// dir returns the directory of a task's worktree.
func (s *Store) dir(task string) (string, error) {
	if err := os.MkdirAll(s.Dir, 0o700); err != nil {
		return "", err
	}
	home, err := filepath.EvalSymlinks(s.Dir) // git reports the paths of worktrees with symbolic links resolved
	if err == nil {
		home, err = filepath.Abs(home)
	}
	return filepath.Join(home, task), err
}

// trash returns the directory for removed worktrees.
func (s *Store) trash() string { return filepath.Join(s.Dir, ".trash") }

// Sweep deletes worktrees that were removed more than contracts.TrashAge ago. failed holds the
// errors for directories in the trash that cannot be deleted, by directory name.
func (s *Store) Sweep(now time.Time) (failed map[string]error, err error) {
	list, err := os.ReadDir(s.trash())
	if os.IsNotExist(err) {
		return nil, nil
	}
	failed = map[string]error{}
	for _, e := range list {
		info, err := e.Info()
		if err != nil || now.Sub(info.ModTime()) < contracts.TrashAge {
			continue
		}
		if err := removeAll(filepath.Join(s.trash(), e.Name())); err != nil {
			failed[e.Name()] = err
		}
	}
	return failed, err
}

// removeAll deletes a directory, including read-only directories in it, such as those in Go's
// module cache.
func removeAll(dir string) error {
	if os.RemoveAll(dir) == nil {
		return nil
	}
	_ = filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error { // called before a directory is read
		if err == nil && e.IsDir() {
			_ = os.Chmod(path, 0o700) // if this fails, RemoveAll reports why
		}
		return nil
	})
	return os.RemoveAll(dir)
}
