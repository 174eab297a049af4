package contracts

import "fmt"

// RepoSeen is a repository in the configuration, or the repository that the office was started in.
// It is recorded only if it is new or has changed. If Repo.Name is empty, the office chooses one.
type RepoSeen struct {
	Repo Repo `json:"repo"`
}

// TaskPrepared reports the worktree of an attempt. It is recorded only if the worktree is new or
// has changed.
type TaskPrepared struct {
	TaskID   string   `json:"task_id,omitzero"`
	Attempt  int      `json:"attempt,omitzero"`
	Worktree Worktree `json:"worktree"`
}

// CheckRan is the result of a check in the task's worktree. The same run is recorded only once.
type CheckRan struct {
	TaskID  string      `json:"task_id,omitzero"`
	Attempt int         `json:"attempt,omitzero"`
	Result  CheckResult `json:"result"`
}

// TreeSeen is the tree of files in the worktree of a task that is not being worked on. It is
// recorded only if the files have changed.
type TreeSeen struct {
	TaskID string `json:"task_id,omitzero"`
	Tree   string `json:"tree,omitzero"`
	Base   string `json:"base,omitzero"` // set if the office made the tree by merging this commit of the target branch into the files to land
}

// Landed ends a landing: the work is in the target branch or, for a dry run, could be landed.
type Landed struct {
	TaskID string `json:"task_id,omitzero"`
	Number int    `json:"number,omitzero"` // number of the landing
	Commit string `json:"commit,omitzero"` // the commit on the target branch; empty for a dry run
	Target string `json:"target,omitzero"` // the target branch
}

// PullOpened reports that a landing has an open pull request or, for a dry run, that one could be
// opened.
type PullOpened struct {
	TaskID string      `json:"task_id,omitzero"`
	Number int         `json:"number,omitzero"` // number of the landing
	Pull   PullRequest `json:"pull_request"`
}

// PullFailed reports that checks of an open pull request failed on the pushed files, and that the
// other checks have finished or are taking too long.
type PullFailed struct {
	TaskID string   `json:"task_id,omitzero"`
	Number int      `json:"number,omitzero"` // number of the landing
	Checks []string `json:"checks,omitzero"` // names of the failed checks
	Report string   `json:"report,omitzero"` // for the agent: the failed checks, with the end of their output
}

// LandingFailed ends a landing that failed. If Conflicts is set, the agent receives a task to
// resolve them. If Patch is set, it is a new version of the task's patch, which a person has to
// approve.
type LandingFailed struct {
	TaskID    string   `json:"task_id,omitzero"`
	Number    int      `json:"number,omitzero"` // number of the landing
	Reason    string   `json:"reason,omitzero"`
	Conflicts []string `json:"conflicts,omitzero"` // paths that could not be merged

	// Patch contains the files to land, into which new commits from the target branch have been
	// merged.
	Patch *ArtifactDraft `json:"patch,omitzero"`
}

// CollisionSeen reports the paths that several unfinished tasks have changed. The same paths are
// recorded only once; an empty list means that the tasks no longer collide.
type CollisionSeen struct {
	TaskIDs []string `json:"task_ids,omitzero"`
	Paths   []string `json:"paths,omitzero"`
}

func (f CheckRan) key() string {
	key := fmt.Sprintf("check/%s/%d/%d/%s", f.TaskID, f.Attempt, f.Result.Started, f.Result.Name)
	if f.Result.Hosted() { // the git host can change the result of a run
		key += fmt.Sprintf("/%d/%s", f.Result.ExitCode, f.Result.Command)
	}
	return key
}

func (RepoSeen) FactName() string      { return "repo_seen" }
func (TaskPrepared) FactName() string  { return "task_prepared" }
func (CheckRan) FactName() string      { return "check_ran" }
func (TreeSeen) FactName() string      { return "tree_seen" }
func (Landed) FactName() string        { return "landed" }
func (PullOpened) FactName() string    { return "pull_opened" }
func (PullFailed) FactName() string    { return "pull_failed" }
func (LandingFailed) FactName() string { return "landing_failed" }
func (CollisionSeen) FactName() string { return "collision_seen" }
