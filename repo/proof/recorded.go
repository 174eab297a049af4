package proof

import (
	"slices"
	"time"

	"github.com/bullpen-office/bullpen/contracts"
)

// RecordedChecks returns the checks of a task's worktree, and those run by the host of its pull
// request.
func RecordedChecks(list []contracts.Check, results []contracts.CheckResult) (checks []Check) {
	for _, c := range list {
		checks = append(checks, Check{Name: c.Name, Command: c.Command, Optional: c.Optional})
	}
	for _, r := range results {
		if c := recordedCheck(r); c.Hosted && !slices.Contains(checks, c) {
			checks = append(checks, c)
		}
	}
	return checks
}

func recordedCheck(r contracts.CheckResult) Check {
	return Check{Name: r.Name, Command: r.Command, Optional: r.Optional, Hosted: r.Hosted()}
}

// Recorded converts a result to the form in which the office records it.
func (r Result) Recorded() contracts.CheckResult {
	return contracts.CheckResult{
		Name: r.Check.Name, Command: r.Check.Command, Optional: r.Check.Optional, End: r.End, ExitCode: r.ExitCode, Tree: r.TreeBefore, TreeAfter: r.TreeAfter,
		Started: r.Started.UnixMilli(), DurationMS: r.Duration.Milliseconds(), OutputSHA256: r.Output, Reason: r.Reason,
	}
}

// RecordedResults converts the recorded results of a task's checks.
func RecordedResults(list []contracts.CheckResult) (results []Result) {
	for _, r := range list {
		results = append(results, Result{
			Check: recordedCheck(r), End: r.End, ExitCode: r.ExitCode,
			Started: time.UnixMilli(r.Started).UTC(), Duration: time.Duration(r.DurationMS) * time.Millisecond,
			TreeBefore: r.Tree, TreeAfter: r.TreeAfter, Output: r.OutputSHA256, Reason: r.Reason,
		})
	}
	return results
}
