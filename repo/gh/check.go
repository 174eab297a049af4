package gh

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/hud"
)

// Check is a finished check on a pull request.
type Check struct {
	Name     string
	End      contracts.CheckEnd
	Passed   bool
	Started  time.Time
	Duration time.Duration // 0 if unknown
	Details  string        // the address of a page about the check; may be empty
}

// checkJSON is a check as gh prints it: a CheckRun has a name, a status and a conclusion; a
// StatusContext has a context and a state.
type checkJSON struct {
	Name         string    `json:"name"`
	WorkflowName string    `json:"workflowName"`
	Status       string    `json:"status"`
	Conclusion   string    `json:"conclusion"`
	Context      string    `json:"context"`
	State        string    `json:"state"`
	StartedAt    time.Time `json:"startedAt"`
	CompletedAt  time.Time `json:"completedAt"`
	DetailsURL   string    `json:"detailsUrl"`
	TargetURL    string    `json:"targetUrl"`
}

func (c checkJSON) name() string {
	if c.Context != "" {
		return hud.Line(c.Context, contracts.LimitName)
	}
	return hud.Line(strings.TrimPrefix(c.WorkflowName+" / "+c.Name, " / "), contracts.LimitName)
}

// outcome returns how a check ended; ok is false if it is still running or its result
// is inconclusive.
func (c checkJSON) outcome() (end contracts.CheckEnd, passed, ok bool) {
	word := c.State
	if word == "" && c.Status == "COMPLETED" {
		word = c.Conclusion
	}
	switch word {
	case "SUCCESS":
		return contracts.EndExited, true, true
	case "FAILURE", "ERROR", "STARTUP_FAILURE":
		return contracts.EndExited, false, true
	case "TIMED_OUT":
		return contracts.EndTimeout, false, true
	case "CANCELLED":
		return contracts.EndStopped, false, true
	}
	return "", false, false // running, skipped, neutral, stale, or waiting for a person
}

// running reports whether a check has not finished.
func (c checkJSON) running() bool {
	return c.State == "PENDING" || c.State == "EXPECTED" || c.State == "" && c.Status != "COMPLETED"
}

// details returns the address of a page about the check, if it is safe to show.
func (c checkJSON) details() string {
	if address := cmp.Or(c.DetailsURL, c.TargetURL); checkURL(address) == nil {
		return address
	}
	return ""
}

// finished returns the checks whose newest run has a result, and reports whether other checks are
// still running.
func finished(list []checkJSON) (checks []Check, running bool) {
	newest := map[string]checkJSON{}
	for _, c := range list {
		if old, ok := newest[c.name()]; c.name() != "" && (!ok || c.StartedAt.After(old.StartedAt)) {
			newest[c.name()] = c
		}
	}
	for name, c := range newest {
		end, passed, ok := c.outcome()
		running = running || c.running()
		if !ok {
			continue
		}
		check := Check{Name: name, End: end, Passed: passed, Started: c.StartedAt, Details: c.details()}
		if !c.StartedAt.IsZero() {
			check.Duration = max(0, c.CompletedAt.Sub(c.StartedAt))
		}
		checks = append(checks, check)
	}
	slices.SortFunc(checks, func(a, b Check) int { return cmp.Compare(a.Name, b.Name) })
	return checks[:min(len(checks), contracts.LimitChecks)], running
}
