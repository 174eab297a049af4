// Package root finds the repository that a directory belongs to.
package root

import (
	"io"
	"os"
	"path/filepath"
	"strings"
)

const (
	limitLevels  = 64   // parent directories that are searched
	limitGitFile = 4096 // bytes read from a .git file
)

// Of returns the repository that dir is in: the nearest directory with a .git entry, or, for a
// linked worktree, the main worktree. A repository whose root is the home directory does not count,
// because it would contain everything else. ok is false if there is no repository.
func Of(dir, home string) (path string, ok bool) {
	if !filepath.IsAbs(dir) {
		return "", false
	}
	dir = filepath.Clean(dir)
	for range limitLevels {
		if dir == home {
			return "", false
		}
		git := filepath.Join(dir, ".git")
		if info, err := os.Stat(git); err == nil {
			if info.Mode().IsRegular() {
				return mainWorktree(dir, git), true
			}
			return dir, info.IsDir()
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return "", false
		}
		dir = parent
	}
	return "", false
}

// mainWorktree returns the main worktree of the linked worktree dir. It returns dir itself if the .git
// file does not belong to a linked worktree, as in a submodule.
func mainWorktree(dir, gitFile string) string {
	f, err := os.Open(gitFile)
	if err != nil {
		return dir
	}
	defer f.Close()
	content, err := io.ReadAll(io.LimitReader(f, limitGitFile))
	if err != nil {
		return dir
	}
	target, found := strings.CutPrefix(string(content), "gitdir:")
	if !found {
		return dir
	}
	target = strings.TrimSpace(target)
	if !filepath.IsAbs(target) {
		target = filepath.Join(dir, target)
	}
	worktrees := filepath.Dir(filepath.Clean(target))
	if filepath.Base(worktrees) != "worktrees" {
		return dir
	}
	repository := filepath.Dir(worktrees)
	if filepath.Base(repository) == ".git" {
		return filepath.Dir(repository)
	}
	return repository
}
