package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/model"
	"github.com/bullpen-office/bullpen/suggest"
)

// commanded is the --json output of verbs that send one command.
type commanded struct {
	Seq       uint64           `json:"seq"` // seq of the last record written
	Duplicate bool             `json:"duplicate,omitzero"`
	Result    contracts.Result `json:"result"`
}

// sendAndPrint sends a command and, if it succeeds, prints done. For an unknown id, the error lists
// the valid ids.
func (v *verb) sendAndPrint(ctx context.Context, data contracts.CommandData, done string) error {
	ack, err := v.command(ctx, data)
	if err != nil {
		return v.notFound(ctx, data, err)
	}
	return v.print(commanded{ack.Seq, ack.Duplicate, ack.Result}, done)
}

// notFound replaces err with an error that lists the valid ids, if the office did not find the id or
// the id is not valid. It returns other errors unchanged.
func (v *verb) notFound(ctx context.Context, data contracts.CommandData, err error) error {
	var coded *exitError
	if !errors.As(err, &coded) || coded.reason != contracts.CodeNotFound && coded.reason != contracts.CodeValidationFailed {
		return err
	}
	rows, failed := v.rows(ctx)
	if failed != nil {
		return err
	}
	return cmp.Or(unknownID(rows, data), err) // the row may have been created after the refusal
}

// unknownID returns an error that lists the ids that are valid for the command, or nil if the
// command's id is among the rows.
func unknownID(rows *model.Rows, data contracts.CommandData) error {
	switch d := data.(type) {
	case contracts.ResolveDecision:
		if rows.Decision(d.DecisionID) == nil {
			return noRow("question", d.DecisionID, "open", openDecisions(rows))
		}
	case contracts.ApproveArtifact:
		return unknownArtifact(rows, d.ArtifactID)
	case contracts.RequestChanges:
		return unknownArtifact(rows, d.ArtifactID)
	case contracts.AutoAssign:
		return knownProject(rows, d.ProjectID)
	case contracts.RemoveRepo:
		if names := repoNames(rows); !slices.Contains(names, d.Repo) {
			return noRow("repository", d.Repo, "known", names)
		}
	}
	return nil
}

func unknownArtifact(rows *model.Rows, id string) error {
	if rows.Artifact(id) != nil {
		return nil
	}
	return noRow("deliverable", id, "in review", inReview(rows))
}

func openDecisions(rows *model.Rows) (ids []string) {
	for _, d := range rows.Decisions {
		if d.Status == contracts.DecisionOpen {
			ids = append(ids, d.DecisionID)
		}
	}
	return ids
}

func inReview(rows *model.Rows) (ids []string) {
	for _, a := range rows.Artifacts {
		if a.Status == contracts.ArtifactInReview {
			ids = append(ids, a.ArtifactID)
		}
	}
	return ids
}

func newDecideCommand() *cobra.Command {
	var note string
	c := &cobra.Command{
		Use: "decide DECISION|PROJECT CHOICE...", Short: "Answer a question or a permission request, or start a plan",
		Long:    "Answer a question or a permission request; `bullpen status` lists them.\n\nFor a project with a waiting plan, the only choice is Start: the office then assigns its tasks.",
		Example: "  bullpen status\n  bullpen decide dec_k7x3 \"Allow once\"\n  bullpen decide dec_k7x4 Auth Export\n  bullpen decide proj_p1 Start",
		Args:    betweenArgs(2, 2+contracts.LimitOptions, "DECISION|PROJECT", "CHOICE"), ValidArgsFunction: completeChoice,
	}
	newVerb(c, func(ctx context.Context, v *verb, args []string) error {
		if contracts.HasPrefix(args[0], contracts.PrefixProject) {
			return v.startPlan(ctx, args[0], args[1])
		}
		data := contracts.ResolveDecision{DecisionID: args[0], Choice: args[1], Note: note}
		if len(args) > 2 {
			data.Choices = args[1:]
		}
		rows, failed := v.rows(ctx) // needed only for the note below
		done := fmt.Sprintf("answered %s: %s", printable(args[0]), printable(strings.Join(args[1:], ", ")))
		if err := v.sendAndPrint(ctx, data, done); err != nil {
			return err
		}
		if failed != nil || len(args) > 2 {
			return nil
		}
		choice := strings.TrimSpace(args[1]) // as the office compares it
		if d := rows.Decision(args[0]); d != nil && !slices.Contains(d.Options, choice) {
			if near := suggest.Nearest(choice, d.Options); len(near) > 0 {
				v.note("%q is not an option, so it was sent as text; the nearest option is %q", choice, near[0])
			}
		}
		return nil
	})
	c.Flags().StringVar(&note, "note", "", "additional information for the agent that asked")
	onlyTyped(c.Flags(), "note")
	return c
}

// optionStart is the only answer to a waiting plan.
const optionStart = "Start"

// startPlan assigns a project's tasks. Any choice other than optionStart is a usage error.
func (v *verb) startPlan(ctx context.Context, project, choice string) error {
	if !strings.EqualFold(choice, optionStart) {
		return usageError("the only answer to a waiting plan is %[2]s: run `bullpen decide %[1]s %[2]s`", printable(project), optionStart)
	}
	return v.sendAndPrint(ctx, contracts.AutoAssign{ProjectID: project}, "started "+printable(project))
}

func newApproveCommand() *cobra.Command {
	c := &cobra.Command{
		Use: "approve ARTIFACT", Short: "Approve a deliverable",
		Args: exactArgs("ARTIFACT"), ValidArgsFunction: completeFirst(artifactWords),
	}
	return newVerb(c, func(ctx context.Context, v *verb, args []string) error {
		return v.sendAndPrint(ctx, contracts.ApproveArtifact{ArtifactID: args[0]}, "approved "+printable(args[0]))
	})
}

func newChangesCommand() *cobra.Command {
	var findings bool
	c := &cobra.Command{
		Use: "changes ARTIFACT INSTRUCTIONS|-", Short: "Request changes to a deliverable",
		Args: exactArgs("ARTIFACT", "INSTRUCTIONS"), ValidArgsFunction: completeFirst(artifactWords),
	}
	newVerb(c, func(ctx context.Context, v *verb, args []string) error {
		text, err := readText(c.InOrStdin(), args[1:], "the instruction text", contracts.LimitInstructions)
		if err != nil {
			return err
		}
		return v.sendAndPrint(ctx, contracts.RequestChanges{ArtifactID: args[0], Instructions: text, WithFindings: findings}, "requested changes to "+printable(args[0]))
	})
	c.Flags().BoolVar(&findings, "with-findings", false, "also send the findings of reviewing agents")
	onlyTyped(c.Flags(), "with-findings")
	return c
}
