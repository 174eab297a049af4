package crew

import (
	"context"
	"io"

	"github.com/bullpen-office/bullpen/contracts"
)

// Repos provides the worktrees of tasks in a repository. The crew itself does not use git.
type Repos interface {
	// Prepare returns the worktree of a task, creating it if necessary.
	Prepare(ctx context.Context, w contracts.Work) (contracts.Worktree, error)
	// SavePatch saves everything in the worktree of a task and returns the difference from its base.
	SavePatch(ctx context.Context, w contracts.Work) (Patch, error)
	// Check runs a check in the worktree and streams its output to out. The error is nil if the check
	// ran, whatever its result, or was skipped because it could not prove anything about the files.
	Check(ctx context.Context, w contracts.Worktree, c contracts.Check, out io.Writer) (contracts.CheckResult, error)
}

// Patch is the difference between a worktree's base and its files.
type Patch struct {
	Tree    string // git tree of the files
	Content []byte // a unified diff
	Stat    contracts.DiffStat
}

// Empty reports whether no file has changed.
func (p Patch) Empty() bool { return p.Stat.Files == 0 }
