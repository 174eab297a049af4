package crew

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/bullpen-office/bullpen/contracts"
)

// kinds lists the valid kinds of a task. A task may also have no kind.
var kinds = []contracts.TaskKind{
	"", contracts.KindResearch, contracts.KindPlan, contracts.KindCopy, contracts.KindDesign, contracts.KindCode, contracts.KindReview,
}

// CheckPlan returns an error that says why the office would reject a plan, or nil if it would
// accept the plan.
func CheckPlan(p Plan) error {
	if len(p.Tasks) == 0 {
		return malformed("the plan has no tasks")
	}
	if err := checkText("the plan's summary", p.Summary, 0, contracts.LimitText); err != nil {
		return err
	}
	return checkDrafts("the plan", p.Tasks, contracts.LimitTurnFollowUps)
}

func checkDrafts(what string, drafts []contracts.TaskDraft, limit int) error {
	if len(drafts) > limit {
		return malformed("%s has %d tasks (limit %d)", what, len(drafts), limit)
	}
	for i, d := range drafts {
		name := fmt.Sprintf("task %d of %s", i+1, what)
		if err := checkText("the title of "+name, d.Title, 1, contracts.LimitTaskTitle); err != nil {
			return err
		}
		if err := checkText("the description of "+name, d.Description, 0, contracts.LimitText); err != nil {
			return err
		}
		if !slices.Contains(kinds, d.Kind) {
			return malformed("%s has an unknown kind: %q", name, d.Kind)
		}
	}
	return nil
}

// CheckResult returns an error that says why the office would reject a result, or nil if it would
// accept the result.
func CheckResult(r Result) error {
	if r.Ask != nil {
		if len(r.Artifacts) > 0 {
			return malformed("the result has both a question and artifacts; a question ends the turn")
		}
		return checkAsk(*r.Ask)
	}
	if len(r.Artifacts) == 0 {
		return malformed("the result has neither a question nor an artifact")
	}
	if n := len(r.Artifacts); n > contracts.LimitTurnArtifacts {
		return malformed("the result has %d artifacts (limit %d)", n, contracts.LimitTurnArtifacts)
	}
	for i, a := range r.Artifacts {
		if err := checkArtifact(fmt.Sprintf("artifact %d", i+1), a); err != nil {
			return err
		}
	}
	return checkDrafts("the follow-up list", r.FollowUps, contracts.LimitTurnFollowUps)
}

// checkInWorktree is like CheckResult, for a task in a repository. The changed files are delivered as
// an additional artifact, so a result without artifacts is valid, and the limit is one lower.
func checkInWorktree(r Result) error {
	switch n := len(r.Artifacts); {
	case r.Ask == nil && n == 0:
		return checkDrafts("the follow-up list", r.FollowUps, contracts.LimitTurnFollowUps)
	case n >= contracts.LimitTurnArtifacts:
		return malformed("the result has %d artifacts (limit %d, not counting the changed files)", n, contracts.LimitTurnArtifacts-1)
	}
	return CheckResult(r)
}

func checkArtifact(name string, a Artifact) error {
	if a.Content == "" {
		return malformed("%s is empty", name)
	}
	if n := len(a.Content); n > contracts.LimitArtifactBytes {
		return malformed("%s has %d bytes (limit %d)", name, n, contracts.LimitArtifactBytes)
	}
	if strings.HasPrefix(a.MIME, "text/") && !utf8.ValidString(a.Content) {
		return malformed("%s is declared as text but is not valid UTF-8", name)
	}
	for _, f := range []struct{ what, value string }{{"type", a.Type}, {"title", a.Title}, {"MIME type", a.MIME}} {
		if err := checkText("the "+f.what+" of "+name, f.value, 1, contracts.LimitTaskTitle); err != nil {
			return err
		}
	}
	return nil
}

func checkAsk(a Ask) error {
	if err := checkText("the question", a.Prompt, 1, contracts.LimitNote); err != nil {
		return err
	}
	if n := len(a.Options); n > contracts.LimitOptions {
		return malformed("the question has %d options (limit %d)", n, contracts.LimitOptions)
	}
	if len(a.Options) < 2 && !a.AllowFreeText {
		return malformed("a question that does not allow free text needs at least two options")
	}
	for i, o := range a.Options {
		if err := checkText(fmt.Sprintf("option %d", i+1), o, 1, contracts.LimitChoice); err != nil {
			return err
		}
		if slices.Contains(a.Options[:i], o) {
			return malformed("the question offers %q twice", o)
		}
	}
	return nil
}

// CheckReply returns an error that says why the office would reject a reply, or nil if it would
// accept the reply.
func CheckReply(r Reply) error {
	if err := checkText("the reply", r.Text, 1, contracts.LimitChatText); err != nil {
		return err
	}
	if n := len(r.SuggestedActions); n > contracts.LimitOptions {
		return malformed("the reply has %d suggested actions (limit %d)", n, contracts.LimitOptions)
	}
	for i, a := range r.SuggestedActions {
		if a.Action == "" || a.Label == "" {
			return malformed("suggested action %d is missing an action or a label", i+1)
		}
	}
	return nil
}

func checkText(what, text string, least, most int) error {
	if !utf8.ValidString(text) {
		return malformed("%s is not valid UTF-8", what)
	}
	n := utf8.RuneCountInString(strings.TrimSpace(text))
	if n < least {
		return malformed("%s is empty", what)
	}
	if n > most {
		return malformed("%s has %d characters (limit %d)", what, n, most)
	}
	return nil
}

func malformed(format string, args ...any) error {
	return fmt.Errorf(unusablePrefix+format, args...)
}

const unusablePrefix = "invalid answer: "
