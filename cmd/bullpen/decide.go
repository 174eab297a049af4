package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/bullpen-office/bullpen/contracts"
)

// commanded is what verbs that give a command print with --json.
type commanded struct {
	Seq       uint64           `json:"seq"` // the last record that it caused
	Duplicate bool             `json:"duplicate,omitzero"`
	Result    contracts.Result `json:"result"`
}

// order has a command carried out and says what it did.
func (v *verb) order(ctx context.Context, data contracts.CommandData, done string) error {
	ack, err := v.command(ctx, data)
	if err != nil {
		return err
	}
	return v.print(commanded{ack.Seq, ack.Duplicate, ack.Result}, done)
}

func newDecideCommand() *cobra.Command {
	var note string
	c := &cobra.Command{
		Use: "decide DECISION|PROJECT CHOICE...", Short: "Answer a question or a permission request, or start a plan",
		Long:    "Answer a question or a permission request; `bullpen status` lists them.\n\nFor a project with a waiting plan, the only choice is Start: the office then assigns its tasks.",
		Example: "  bullpen status\n  bullpen decide dec_k7x3 \"Allow once\"\n  bullpen decide dec_k7x4 Auth Export\n  bullpen decide proj_p1 Start",
		Args:    betweenArgs(2, 2+contracts.LimitOptions, "DECISION", "CHOICE..."), ValidArgsFunction: completeChoice,
	}
	newVerb(c, func(ctx context.Context, v *verb, args []string) error {
		if contracts.HasPrefix(args[0], contracts.PrefixProject) {
			return v.startPlan(ctx, args[0], args[1])
		}
		data := contracts.ResolveDecision{DecisionID: args[0], Choice: args[1], Note: note}
		if len(args) > 2 {
			data.Choices = args[1:]
		}
		return v.order(ctx, data, fmt.Sprintf("%s is answered: %s", printable(args[0]), printable(strings.Join(args[1:], ", "))))
	})
	c.Flags().StringVar(&note, "note", "", "what else the one who asked should know")
	onlyTyped(c.Flags(), "note")
	return c
}

// optionStart is the one answer to a plan that waits.
const optionStart = "Start"

// startPlan has the office hand out the tasks of a project.
func (v *verb) startPlan(ctx context.Context, project, choice string) error {
	if !strings.EqualFold(choice, optionStart) {
		return usageError("a waiting plan takes one answer: bullpen decide %s %s", printable(project), optionStart)
	}
	return v.order(ctx, contracts.AutoAssign{ProjectID: project}, printable(project)+" is started")
}

func newApproveCommand() *cobra.Command {
	c := &cobra.Command{
		Use: "approve ARTIFACT", Short: "Approve what was delivered for review",
		Args: exactArgs("ARTIFACT"), ValidArgsFunction: completeFirst(artifactWords),
	}
	return newVerb(c, func(ctx context.Context, v *verb, args []string) error {
		return v.order(ctx, contracts.ApproveArtifact{ArtifactID: args[0]}, printable(args[0])+" is approved")
	})
}

func newChangesCommand() *cobra.Command {
	c := &cobra.Command{
		Use: "changes ARTIFACT INSTRUCTIONS|-", Short: "Send what was delivered back, with what to change",
		Args: exactArgs("ARTIFACT", "INSTRUCTIONS"), ValidArgsFunction: completeFirst(artifactWords),
	}
	return newVerb(c, func(ctx context.Context, v *verb, args []string) error {
		text, err := readText(c.InOrStdin(), args[1:], "what to change", contracts.LimitInstructions)
		if err != nil {
			return err
		}
		return v.order(ctx, contracts.RequestChanges{ArtifactID: args[0], Instructions: text}, printable(args[0])+" goes back for changes")
	})
}
