package contracts

import "time"

// Limits for git repositories that the office works in.
const (
	LimitGitOutput          = 256 << 20 // bytes of one git command's output
	LimitGitMessage         = 64 << 10  // bytes of one git command's error messages
	LimitGitState           = 64 << 20  // bytes of the files that describe an unfinished merge or rebase
	LimitGitStateFiles      = 2_000     // files that describe an unfinished merge or rebase
	LimitSnapshots          = 10_000    // snapshots that are listed
	LimitSnapshotReason     = 200       // characters of a snapshot's reason
	LimitReceipt            = 1 << 20   // bytes of a receipt
	LimitChecks             = 50        // checks of a repository
	LimitCheckCommand       = 4096      // bytes of a check's command
	LimitAccept             = 10        // acceptance checks of a request
	LimitAcceptLine         = 500       // bytes of an acceptance check
	LimitAcceptBody         = 64 << 10  // bytes read from an acceptance check's URL
	LimitCheckOutput        = 64 << 20  // bytes that a check may print
	LimitReflog             = 1_000     // reflog commits that are kept when a worktree is removed
	LimitSetupCommands      = 20        // setup commands of a repository
	LimitSetupOutput        = 1 << 20   // bytes that a setup command may print
	LimitCheckRounds        = 3         // how many times an agent is asked to fix failed checks before a person is asked; counted separately for checks of pull requests
	LimitChecksAtOnce       = 4         // checks that run at the same time in an office
	LimitCheckShown         = 64 << 10  // bytes of a check's output that are shown while it runs
	LimitCheckTail          = 8 << 10   // bytes from the end of a check's output that are sent to the agent
	LimitCheckLog           = 256 << 10 // bytes stored from the end of a check's output
	LimitOfficeMark         = 6         // characters of the office's id in branch names
	WorktreeScanPauseFactor = 20        // after scanning the worktrees, the office waits this many times the duration of the scan
	PercentChecking         = 90        // progress of a task while its checks run
	LimitCheckResults       = 100       // check results that the office keeps for a task; at least the sum of LimitChecks and LimitAccept
	LimitRepos              = 200       // repositories of the office
	LimitRepoName           = 64        // bytes of a repository's name
	LimitBranch             = 250       // bytes of a branch name
	LimitCollisions         = 100       // sets of colliding tasks
	LimitChangedPaths       = 50        // paths that a collision or a failed landing lists
	LimitComparisons        = 2         // comparisons of patch versions that run at the same time
	LimitReviews            = 5         // agents' reviews of one version of a patch
	LimitFindings           = 30        // findings of a review
	LimitFindingText        = 600       // characters of a finding
	LimitReviewSummary      = 1_000     // characters of a review's summary
	LimitReviewDiff         = 128 << 10 // bytes of a patch that are sent to a reviewer
	LimitReviewOutput       = 4 << 10   // bytes of a check's output that are sent to a reviewer
	LimitPullOutput         = 4 << 20   // bytes that gh may print about pull requests
	LimitPullURL            = 500       // bytes of a pull request's address
	LimitPullLogs           = 3         // a pull request's failed checks whose output is sent to the agent
	LimitPullLog            = 4 << 10   // bytes that the agent receives from the end of each failed check's output
	LimitRemote             = 500       // bytes of a remote's address

	GitLongTimeout  = 10 * time.Minute   // timeout of one git command that reads or writes a whole working tree
	CheckTimeout    = 10 * time.Minute   // how long a check may run, unless the repository sets a timeout
	AcceptTimeout   = 10 * time.Second   // how long an acceptance check's URL may take to respond
	SetupTimeout    = 10 * time.Minute   // how long a setup command may run
	PushTimeout     = 2 * time.Minute    // how long a push or a gh command may take
	CompareTimeout  = 30 * time.Second   // how long a comparison of two patch versions may take
	TrashAge        = 7 * 24 * time.Hour // how long the directory of a removed worktree is kept
	CheckMaxTimeout = 2 * time.Hour      // the longest timeout that a repository can set for a check
	LandingWait     = 7 * 24 * time.Hour // how long a completed project stays in the office if approved work has not been landed
	TreeAttempts    = 5                  // how many times a working tree that keeps changing is reread before it is rejected
	WorktreeWatch   = 5 * time.Second    // how often worktrees are checked for changes
	WorktreeKeep    = 10 * time.Minute   // how long the worktree of a cancelled or landed task is kept
	PullWatch       = 15 * time.Second   // the shortest time between two reads of an open pull request; used again after each change
	PullMaxWatch    = 5 * time.Minute    // the longest time between two reads of an open pull request
	PullSettle      = 10 * time.Minute   // how long the office waits for a pull request's other checks after one has failed
)
