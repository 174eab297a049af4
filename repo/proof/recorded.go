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

// Record returns a result as the office records it.
func (r Result) Record(outputBytes int64, by string) contracts.CheckResult {
	return contracts.CheckResult{
		Name: r.Check.Name, Command: r.Check.Command, Optional: r.Check.Optional, End: r.End, ExitCode: r.ExitCode,
		Tree: r.TreeBefore, TreeAfter: r.TreeAfter, Started: r.Started.UnixMilli(), DurationMS: r.Duration.Milliseconds(),
		OutputSHA256: r.Output, OutputBytes: outputBytes, By: by,
	}
}
