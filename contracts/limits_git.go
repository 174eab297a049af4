package contracts

import "time"

// Limits for git repositories that the office works in.
const (
	LimitGitOutput      = 256 << 20 // bytes of one git command's output
	LimitGitMessage     = 64 << 10  // bytes of one git command's error messages
	LimitGitState       = 64 << 20  // bytes of the files that describe an unfinished merge or rebase
	LimitGitStateFiles  = 2_000     // files that describe an unfinished merge or rebase
	LimitSnapshots      = 10_000    // snapshots that are listed
	LimitSnapshotReason = 200       // characters of a snapshot's reason
	LimitReceipt        = 1 << 20   // bytes of a receipt
	LimitChecks         = 50        // checks of a repository
	LimitCheckCommand   = 4096      // bytes of a check's command
	LimitCheckOutput    = 64 << 20  // bytes that a check may print

	GitLongTimeout  = 10 * time.Minute // timeout of one git command that reads or writes a whole working tree
	CheckTimeout    = 10 * time.Minute // how long a check may run, unless the repository says otherwise
	CheckMaxTimeout = 2 * time.Hour    // the longest time that a repository can set
	TreeAttempts    = 5                // how often a working tree that keeps changing is read again before it is rejected
)
