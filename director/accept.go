package director

import (
	"slices"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/world"
)

// acceptRefusal returns a refusal if the acceptance checks of a request are not allowed. Acceptance
// checks require the operator credential, because the office runs commands and opens URLs for them.
func (a *act) acceptRefusal(c contracts.SubmitRequest) *contracts.Refusal {
	switch {
	case len(c.Accept) == 0:
		return nil
	case !a.caller.Permit:
		return contracts.RefuseWithoutOperator("adding acceptance checks")
	case c.Repo == "":
		return contracts.RefuseField("payload.data.accept", "acceptance checks apply to the files of a repository; set repo to its name")
	}
	return nil
}

// worktreeChecksRefusal returns a refusal unless a worktree's checks are the repository's checks followed
// by the project's acceptance checks. The repository's checks must all be commands.
func worktreeChecksRefusal(p *world.Project, checks []contracts.Check) *contracts.Refusal {
	accept, err := contracts.ParseAccept(p.Accept)
	if err != nil {
		return contracts.RefuseField("worktree.checks", "%v", err)
	}
	own := len(checks) - len(accept)
	if own < 0 || !slices.Equal(checks[own:], accept) || slices.ContainsFunc(checks[:own], func(c contracts.Check) bool { return c.Kind != contracts.CheckCommand }) {
		return contracts.RefuseField("worktree.checks", "the acceptance checks differ from those of the request %q", p.Title)
	}
	return nil
}

// needsReview reports whether a task's request requires a review by another agent.
func needsReview(t *world.Task) bool {
	return t != nil && t.Worktree != nil && slices.ContainsFunc(t.Worktree.Checks, func(c contracts.Check) bool { return c.Kind == contracts.CheckAgent })
}
