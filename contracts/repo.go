package contracts

import (
	"cmp"
	"slices"
	"strings"
)

// Repo is a git repository that the office works in.
type Repo struct {
	Name   string `json:"name"`            // unique in the office; never changes
	Path   string `json:"path"`            // top-level directory of the main working tree
	Target string `json:"target,omitzero"` // target branch of landings; empty means the branch that is checked out
	Node   string `json:"node,omitzero"`   // the node that has the repository, if there are several nodes
	Remote string `json:"remote,omitzero"` // the only address that pull requests are pushed to, without credentials; empty if none was recorded
}

// RepoName returns the name for a repository in a directory with the given base name: letters,
// digits, dots, underscores and hyphens, at most LimitRepoName bytes.
func RepoName(base string) string {
	name := strings.Map(func(r rune) rune {
		if r == '.' || r == '_' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' {
			return r
		}
		return '-'
	}, base)
	name = strings.Trim(name, "-._")
	return cmp.Or(strings.TrimRight(name[:min(len(name), LimitRepoName)], "-._"), "repository")
}

// Check is a check that must pass before the work in a repository counts as proven.
type Check struct {
	Name      string    `json:"name"`
	Kind      CheckKind `json:"kind,omitzero"`
	Command   string    `json:"command"` // a shell line if Kind is CheckCommand; otherwise the acceptance line of the request
	Optional  bool      `json:"optional,omitzero"`
	TimeoutMS int64     `json:"timeout_ms,omitzero"` // 0 means CheckTimeout
}

// Worktree is a task's own working tree. Its checks come from the base commit and from the request,
// so an agent cannot change which checks its work must pass.
type Worktree struct {
	Repo   string  `json:"repo"` // name of the repository
	Dir    string  `json:"dir"`
	Branch string  `json:"branch"`
	Base   string  `json:"base"`            // commit that the work started from
	Target string  `json:"target,omitzero"` // target branch for landings
	Checks []Check `json:"checks,omitzero"`
}

// Equal reports whether all fields of two worktrees are equal.
func (w Worktree) Equal(o Worktree) bool {
	return w.Repo == o.Repo && w.Dir == o.Dir && w.Branch == o.Branch && w.Base == o.Base && w.Target == o.Target && slices.Equal(w.Checks, o.Checks)
}

// Has reports whether the worktree has the check that a result belongs to. A check whose command
// has changed is a different check.
func (w Worktree) Has(r CheckResult) bool {
	return slices.ContainsFunc(w.Checks, func(c Check) bool { return c.Name == r.Name && c.Command == r.Command })
}

// Runnable returns the checks that the office runs in the worktree; see CheckKind.Runs.
func (w Worktree) Runnable() []Check {
	return slices.DeleteFunc(slices.Clone(w.Checks), func(c Check) bool { return !c.Kind.Runs() })
}

// CheckEnd is how a check ended.
type CheckEnd string

// The ways in which a check can end.
const (
	EndExited  CheckEnd = "exited"
	EndTimeout CheckEnd = "timeout"
	EndStopped CheckEnd = "stopped" // a person stopped it
	EndOutput  CheckEnd = "output"  // the check printed too much output
	EndNotRun  CheckEnd = "not_run" // the check did not run, because nothing could be proven about the files
)

// CheckResult is one run of a check, or the review or approval that a check requires.
type CheckResult struct {
	Name         string    `json:"name"`
	Kind         CheckKind `json:"kind,omitzero"`
	Command      string    `json:"command"`
	Optional     bool      `json:"optional,omitzero"`
	End          CheckEnd  `json:"end"`
	ExitCode     int       `json:"exit_code"`           // -1 if the check did not exit on its own; 1 for a failed check that is not a command
	Tree         string    `json:"tree"`                // git tree of the files before the check ran
	TreeAfter    string    `json:"tree_after,omitzero"` // git tree afterwards; empty if it could not be read
	Started      int64     `json:"started"`             // Unix milliseconds
	DurationMS   int64     `json:"duration_ms"`
	OutputSHA256 string    `json:"output_sha256,omitzero"`
	OutputBytes  int64     `json:"output_bytes,omitzero"`
	LogSHA256    string    `json:"log_sha256,omitzero"` // hash of the stored end of the output, with credentials redacted; empty if none is stored
	Reason       string    `json:"reason,omitzero"`     // why the check did not run
	By           string    `json:"by,omitzero"`         // who requested the check, or who gave the review or approval; empty if the office requested the check
}

// ByPullRequest is the value of By for a check that the git host ran for a pull request. The
// command of such a check is the pull request's address.
const ByPullRequest = "pull_request"

// Passed reports whether the check passed and did not change the files, as proof.Result.Passed
// does.
func (r CheckResult) Passed() bool {
	return r.End == EndExited && r.ExitCode == 0 && r.Tree != "" && r.Tree == r.TreeAfter
}

// Hosted reports whether the git host ran the check for a pull request.
func (r CheckResult) Hosted() bool { return r.By == ByPullRequest }

// Verdict is what the results of checks prove about the files that a task delivered.
type Verdict string

// The verdicts.
const (
	VerdictProven   Verdict = "proven"    // all required checks passed on these files
	VerdictPartly   Verdict = "partly"    // some required checks passed on these files, and none failed
	VerdictOnlySaid Verdict = "only_said" // no required check ran on these files
	VerdictFailed   Verdict = "failed"    // at least one required check failed on these files
)

// DiffStat is the size of a patch.
type DiffStat struct {
	Files   int `json:"files"`
	Added   int `json:"added"`   // lines
	Deleted int `json:"deleted"` // lines
}

// LandHow is a way to bring a task's work into the target branch.
type LandHow string

// The ways to land.
const (
	LandMerge  LandHow = "merge"
	LandSquash LandHow = "squash"
	LandRebase LandHow = "rebase"
	LandPull   LandHow = "pull_request" // people merge a pull request on the git host
)

// LandHows lists the ways to land.
var LandHows = []LandHow{LandMerge, LandSquash, LandRebase, LandPull}

// LandingStatus is the state of a landing.
type LandingStatus string

// The states of a landing.
const (
	LandRequested LandingStatus = "requested"
	LandChecked   LandingStatus = "checked" // a dry run found no obstacle
	LandOpen      LandingStatus = "open"    // the pull request is open
	LandDone      LandingStatus = "landed"
	LandFailed    LandingStatus = "failed"
)

// Landing is the newest request to land a task's work, and its outcome.
type Landing struct {
	Number    int           `json:"number"` // number of the landing within the task, from 1
	How       LandHow       `json:"how"`
	DryRun    bool          `json:"dry_run,omitzero"`
	Unproven  bool          `json:"unproven,omitzero"` // a person accepted that the files are not proven
	Tree      string        `json:"tree"`              // git tree of the files to land
	Status    LandingStatus `json:"status"`
	By        string        `json:"by,omitzero"`        // the principal that requested the landing
	Target    string        `json:"target,omitzero"`    // the target branch
	Commit    string        `json:"commit,omitzero"`    // the commit on the target branch, once landed
	Reason    string        `json:"reason,omitzero"`    // why it failed, or which checks of the open pull request failed
	Conflicts []string      `json:"conflicts,omitzero"` // paths that could not be merged
	Pull      *PullRequest  `json:"pull_request,omitzero"`
}

// PullRequest is a request on a git host, such as GitHub, to merge a task's branch.
type PullRequest struct {
	Remote string `json:"remote"`        // remote that the branch is pushed to
	URL    string `json:"url,omitzero"`  // empty if a dry run found no pull request to update
	Head   string `json:"head,omitzero"` // the pushed commit; empty for a dry run
}

// Collision is a set of paths that several unfinished tasks have changed.
type Collision struct {
	TaskIDs []string `json:"task_ids"` // sorted
	Paths   []string `json:"paths"`    // sorted; empty means that the tasks no longer collide
}

// Equal reports whether two collisions are the same.
func (c Collision) Equal(o Collision) bool {
	return slices.Equal(c.TaskIDs, o.TaskIDs) && slices.Equal(c.Paths, o.Paths)
}

// MIMEPatch is the MIME type of a patch.
const MIMEPatch = "text/x-diff; charset=utf-8"

// ArtifactPatch is the type of an artifact that is a patch.
const ArtifactPatch = "patch"

// IsObjectID reports whether id is a git object id: 40 or 64 lower-case hexadecimal digits.
func IsObjectID(id string) bool {
	return (len(id) == 40 || len(id) == 64) && strings.Trim(id, "0123456789abcdef") == ""
}
