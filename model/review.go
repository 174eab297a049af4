package model

import (
	"fmt"
	"strings"

	"github.com/bullpen-office/bullpen/contracts"
)

const findings contracts.Counted = "1 finding|%d findings"

// ReviewLine says in one line who reviewed a patch, what the reviewer runs on, and with what result, such
// as "Rae (codex, model-b, another vendor) reviewed it: 2 findings". If the task's files have changed since,
// it says so.
func (r *Rows) ReviewLine(art *contracts.Artifact, v contracts.Review) string {
	if v.AgentID == "" {
		return fmt.Sprintf("Not reviewed by an agent: %s", Line(v.Reason))
	}
	who := r.reviewer(v)
	switch v.Status {
	case contracts.ReviewAsked:
		return fmt.Sprintf("%s is reviewing it", who)
	case contracts.ReviewFailed:
		return fmt.Sprintf("%s could not review it: %s", who, Line(v.Reason))
	}
	found := "no findings"
	if n := len(v.Findings); n > 0 {
		found = findings.Of(n)
	}
	if r.ReviewStale(art) {
		found += " · stale: the files changed later"
	}
	return fmt.Sprintf("%s reviewed it: %s", who, found)
}

// ReviewStale reports whether the files of a patch are no longer the files of its task, so that its
// reviews are about older files.
func (r *Rows) ReviewStale(art *contracts.Artifact) bool {
	t := r.Task(art.TaskID)
	return t != nil && t.Tree != "" && art.Tree != "" && t.Tree != art.Tree
}

// reviewer returns the name of the agent that made a review, and what it runs on.
func (r *Rows) reviewer(v contracts.Review) string {
	var on []string
	if a := r.Agent(v.AgentID); a != nil {
		for _, word := range []string{a.Runner, a.Model} {
			if word != "" {
				on = append(on, Line(word))
			}
		}
	}
	switch v.Differs {
	case contracts.DiffersVendor:
		on = append(on, "another vendor")
	case contracts.DiffersModel:
		on = append(on, "another model")
	}
	name := Line(r.Name(v.AgentID))
	if len(on) == 0 {
		return name
	}
	return fmt.Sprintf("%s (%s)", name, strings.Join(on, ", "))
}
