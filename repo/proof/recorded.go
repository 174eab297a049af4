package proof

import (
	"time"

	"github.com/bullpen-office/bullpen/contracts"
)

// RecordedChecks returns the checks of a task's worktree.
func RecordedChecks(list []contracts.Check) (checks []Check) {
	for _, c := range list {
		checks = append(checks, Check{Name: c.Name, Command: c.Command, Optional: c.Optional})
	}
	return checks
}

// RecordedResults returns results of a task's checks.
func RecordedResults(list []contracts.CheckResult) (results []Result) {
	for _, r := range list {
		results = append(results, Result{
			Check: Check{Name: r.Name, Command: r.Command, Optional: r.Optional}, End: r.End, ExitCode: r.ExitCode,
			Started: time.UnixMilli(r.Started).UTC(), Duration: time.Duration(r.DurationMS) * time.Millisecond,
			TreeBefore: r.Tree, TreeAfter: r.TreeAfter, Output: r.OutputSHA256,
		})
	}
	return results
}
