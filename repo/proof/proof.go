// Package proof decides what the results of checks prove about a working tree, and writes receipts
// that can be verified without the office. It is pure.
package proof

import (
	"time"

	"github.com/bullpen-office/bullpen/contracts"
)

// Check is a command that must succeed.
type Check struct {
	Name     string `json:"name"`
	Command  string `json:"command"` // a shell command
	Optional bool   `json:"optional,omitzero"`
	// Hosted checks were run by the git host of a pull request. They can make the verdict Failed, but
	// never Proven: the office did not see which files they ran on, and a host may merge newer commits
	// first.
	Hosted bool `json:"hosted,omitzero"`
}

// End is how a check ended.
type End = contracts.CheckEnd

// The ways in which a check can end.
const (
	EndExited  = contracts.EndExited
	EndTimeout = contracts.EndTimeout
	EndStopped = contracts.EndStopped
	EndOutput  = contracts.EndOutput
	EndNotRun  = contracts.EndNotRun
)

// Result is one run of a check.
type Result struct {
	Check      Check
	End        End
	ExitCode   int // -1 if the check did not exit on its own
	Started    time.Time
	Duration   time.Duration
	TreeBefore string // tree of the files before the check ran
	TreeAfter  string // tree of the files afterwards, or empty if it could not be read
	Output     string // SHA-256 of the output, in hex
	Reason     string // why the check did not run
}

// Passed reports whether the check succeeded and left the files unchanged.
func (r Result) Passed() bool {
	return r.End == EndExited && r.ExitCode == 0 && r.TreeBefore != "" && r.TreeBefore == r.TreeAfter
}

// Stale reports whether the check ran on a different tree.
func (r Result) Stale(tree string) bool { return r.TreeBefore != tree }

// Verdict is what the results of checks prove about a tree.
type Verdict = contracts.Verdict

// The verdicts.
const (
	Proven   = contracts.VerdictProven
	Partly   = contracts.VerdictPartly
	OnlySaid = contracts.VerdictOnlySaid
	Failed   = contracts.VerdictFailed
)

// Judge returns the verdict on a tree. If a check has several results on the tree, the last
// one counts. Results on other trees are ignored.
func Judge(tree string, checks []Check, results []Result) Verdict {
	required, passed := 0, 0
	for _, c := range checks {
		if c.Optional {
			continue
		}
		last, ran := newest(tree, c, results)
		if ran && !last.Passed() {
			return Failed
		}
		if c.Hosted {
			continue
		}
		required++
		if ran {
			passed++
		}
	}
	switch {
	case passed == 0:
		return OnlySaid
	case passed < required:
		return Partly
	}
	return Proven
}

// newest returns the last result of a check that ran on a tree. A check whose command has changed
// counts as a different check.
func newest(tree string, c Check, results []Result) (last Result, ran bool) {
	for _, r := range results {
		if r.Check.Name == c.Name && r.Check.Command == c.Command && !r.Stale(tree) && r.End != EndNotRun {
			last, ran = r, true
		}
	}
	return last, ran
}
