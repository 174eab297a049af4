package world

import (
	"slices"

	"github.com/bullpen-office/bullpen/contracts"
)

// addAcceptResult adds the result of a check that requires a patch's files to be reviewed or
// approved. It does nothing if the task has no such check.
func (w *World) addAcceptResult(art *contracts.Artifact, kind contracts.CheckKind, by string, ts int64, passed bool) {
	t := w.tasks[art.TaskID]
	if t == nil || t.Worktree == nil || art.Tree == "" {
		return
	}
	i := slices.IndexFunc(t.Worktree.Checks, func(c contracts.Check) bool { return c.Kind == kind })
	if i < 0 {
		return
	}
	c := t.Worktree.Checks[i]
	r := contracts.CheckResult{Name: c.Name, Kind: c.Kind, Command: c.Command, Optional: c.Optional, End: contracts.EndExited, Tree: art.Tree, TreeAfter: art.Tree, Started: ts, By: by}
	if !passed {
		r.ExitCode = 1
	}
	t.addResult(r)
}

// addReviewResult adds the result of a check that requires a review. The check fails if any review
// of this version found a problem, so a second reviewer cannot outvote the first. Rehearsed reviews of
// real work are ignored.
func (w *World) addReviewResult(art *contracts.Artifact, r *contracts.Review, ts int64) {
	if r.Status != contracts.ReviewCommented || r.Rehearsal && !art.Rehearsal {
		return
	}
	problem := slices.ContainsFunc(art.Reviews, func(r contracts.Review) bool {
		return slices.ContainsFunc(r.Findings, func(f contracts.Finding) bool { return f.Severity == contracts.SeverityProblem })
	})
	w.addAcceptResult(art, contracts.CheckAgent, r.AgentID, ts, !problem)
}
