package contracts

import (
	"fmt"
	"net/url"
)

// Outcome describes how a check ended, such as "failed: exit code 1", and whether it ran on files
// other than those of tree. web/src/overlay/proof/check_words.ts follows the same rules;
// contracts/vectors/outcomes.json tests both.
func (r CheckResult) Outcome(tree string) string {
	if r.End == EndNotRun {
		if r.Tree == tree {
			return fmt.Sprintf(SayCheckUnproven, r.Reason)
		}
		return SayCheckNotRun
	}
	words := r.describeEnd()
	if r.Tree == tree || words == SayCheckEdited {
		return words
	}
	return fmt.Sprintf(SayCheckStale, words)
}

func (r CheckResult) describeEnd() string {
	switch {
	case r.Hosted() && r.Passed():
		return SayHostPassed
	case r.Hosted():
		return SayHostFailed
	case r.End == EndTimeout:
		return fmt.Sprintf(SayCheckTimeout, FormatDuration(r.DurationMS))
	case r.End == EndStopped:
		return SayCheckStopped
	case r.End == EndOutput:
		return fmt.Sprintf(SayCheckFlooded, LimitCheckOutput>>20)
	case r.ExitCode != 0 && r.Kind != CheckCommand:
		return SayCheckFailed
	case r.ExitCode != 0:
		return fmt.Sprintf(SayCheckExit, r.ExitCode)
	case r.TreeAfter == "":
		return SayCheckUnread
	case r.TreeAfter != r.Tree:
		return SayCheckEdited
	}
	return SayCheckPassed
}

// CheckOutputPath returns the URL path at which the office serves the end of a check's output.
func CheckOutputPath(taskID, check string) string {
	return "/v1/tasks/" + url.PathEscape(taskID) + "/checks/" + url.PathEscape(check) + "/output"
}

// FormatDuration formats a duration in milliseconds for a badge: 210 ms, 4.5 s, 2 m 05 s.
func FormatDuration(ms int64) string {
	switch seconds := (ms + 500) / 1000; {
	case ms < 1000:
		return fmt.Sprintf("%d ms", ms)
	case ms < 59_950:
		return fmt.Sprintf("%.1f s", float64(ms)/1000)
	case seconds < 3600:
		return fmt.Sprintf("%d m %02d s", seconds/60, seconds%60)
	default:
		return fmt.Sprintf("%d h %02d m", seconds/3600, seconds/60%60)
	}
}
