package worktree

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/repo/git"
)

// ErrIncomplete means that a worktree has files that a snapshot cannot contain.
var ErrIncomplete = errors.New("not everything can be saved, so nothing was removed")

// Snapshot saves everything in the worktree except ignored files. It also keeps the commits that
// only this worktree refers to.
func (w *Worktree) Snapshot(ctx context.Context, reason string) (git.Snapshot, error) {
	s, err := w.repo.Snapshot(ctx, w.Task, reason)
	if err != nil {
		return git.Snapshot{}, err
	}
	return s, keepReflog(ctx, w.repo, w.Task)
}

// save takes a snapshot of everything, and checks that it can be read back.
func (w *Worktree) save(ctx context.Context, reason string) (git.Snapshot, error) {
	s, err := w.Snapshot(ctx, reason)
	if err != nil {
		return git.Snapshot{}, err
	}
	missing := slices.Clone(s.Skipped)
	for _, path := range s.Nested { // a submodule that was never checked out is an empty directory
		content, err := os.ReadDir(filepath.Join(w.Dir, filepath.FromSlash(path)))
		if err != nil && !errors.Is(err, os.ErrNotExist) || len(content) > 0 {
			missing = append(missing, path)
		}
	}
	if len(missing) > 0 {
		return git.Snapshot{}, fmt.Errorf("%s: %w: %s", w.Dir, ErrIncomplete, strings.Join(missing, ", "))
	}
	kept, ok, err := commitOf(ctx, w.main, "refs/bullpen/"+s.ID)
	if err != nil {
		return git.Snapshot{}, err
	}
	if !ok || kept != s.Commit {
		return git.Snapshot{}, fmt.Errorf("the snapshot %s of %s cannot be read back: %w", s.ID, w.Dir, ErrIncomplete)
	}
	return s, nil
}

// keepReflog creates a hidden ref for commits that the worktree once had checked out and that no
// ref contains.
func keepReflog(ctx context.Context, repo *git.Repo, task string) error {
	out, err := repo.Run(ctx, "rev-list", "--walk-reflogs", fmt.Sprintf("--max-count=%d", contracts.LimitReflog), "HEAD", "--")
	if isGitError(err) {
		return nil // HEAD has no commit yet
	}
	if err != nil {
		return err
	}
	return keep(ctx, repo, task, strings.Fields(out), "")
}

// keep creates one hidden ref for those of the given commits that no other ref contains. The ref
// named by except does not count.
func keep(ctx context.Context, repo *git.Repo, task string, commits []string, except string) error {
	if len(commits) == 0 {
		return nil
	}
	args := append([]string{"rev-list"}, commits...)
	args = append(args, "--not")
	if except != "" {
		args = append(args, "--exclude="+except)
	}
	out, err := repo.Run(ctx, append(args, "--glob=refs/*", "--")...) // --all would include HEAD, which disappears with the worktree
	if err != nil {
		return err
	}
	lost := strings.Fields(out)
	args = []string{"commit-tree", "-m", "commits that only " + task + " had checked out"}
	seen := map[string]bool{}
	for _, c := range commits {
		if !seen[c] && slices.Contains(lost, c) {
			seen[c] = true
			args = append(args, "-p", c)
		}
	}
	if len(seen) == 0 {
		return nil
	}
	commit, err := repo.Run(ctx, append(args, commits[0]+"^{tree}")...)
	if err != nil {
		return err
	}
	_, err = repo.Run(ctx, "update-ref", hiddenRef(task, "commits"), commit, "")
	return err
}

// hiddenRef returns a new name for a hidden ref. Each hidden ref has its own name, because a
// process that is killed while changing a ref leaves that ref locked.
func hiddenRef(task, kind string) string {
	suffix := make([]byte, 4)
	_, _ = rand.Read(suffix) // never fails
	return fmt.Sprintf("refs/bullpen/%s/%s/%d-%s", task, kind, time.Now().UnixMilli(), hex.EncodeToString(suffix))
}
