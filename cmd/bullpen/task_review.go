package main

import (
	"context"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/model"
)

func newTaskReviewCommand() *cobra.Command {
	var agent string
	c := &cobra.Command{
		Use: "review TASK", Short: "Ask an agent to review a task's patch",
		Long: "Ask an agent to review a task's newest patch. The office chooses an agent of another vendor or\n" +
			"model, unless you name one with --by. `bullpen receipt TASK` shows the review.",
		Args: exactArgs("TASK"), ValidArgsFunction: completeFirst(taskWords),
	}
	newVerb(c, func(ctx context.Context, v *verb, args []string) error {
		if _, err := v.task(ctx, args[0]); err != nil {
			return err
		}
		rows, err := v.rows(ctx)
		if err != nil {
			return err
		}
		patch := patchOf(rows, args[0])
		if patch == nil {
			return &exitError{code: exitRefused, err: fmt.Errorf("%s has not delivered a patch, and agents review only patches", printable(args[0]))}
		}
		return v.sendAndPrint(ctx, contracts.AskReview{ArtifactID: patch.ArtifactID, AgentID: agent}, "requested a review of "+patch.ArtifactID)
	})
	c.Flags().StringVar(&agent, "by", "", "id of the agent that reviews the task's patch (default: the office chooses)")
	onlyTyped(c.Flags(), "by")
	return c
}

// patchOf returns the newest patch of a task, or nil if there is none.
func patchOf(rows *model.Rows, taskID string) *contracts.Artifact {
	for i := range slices.Backward(rows.Artifacts) {
		if a := &rows.Artifacts[i]; a.TaskID == taskID && a.Type == contracts.ArtifactPatch {
			return a
		}
	}
	return nil
}
