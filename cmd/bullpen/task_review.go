package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/model"
)

func newTaskReviewCommand() *cobra.Command {
	var agent string
	c := &cobra.Command{
		Use: "review TASK", Short: "Ask an agent to review the patch of a task",
		Long: "Ask an agent to review the newest patch of a task. The office chooses an agent of another vendor or\n" +
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
			return &exitError{code: exitRefused, err: fmt.Errorf("task %s has not delivered a patch", printable(args[0]))}
		}
		return v.order(ctx, contracts.AskReview{ArtifactID: patch.ArtifactID, AgentID: agent}, "requested a review of "+patch.ArtifactID)
	})
	c.Flags().StringVar(&agent, "by", "", "id of the agent that reviews it (default: the office chooses)")
	onlyTyped(c.Flags(), "by")
	return c
}

// patchOf returns the newest patch of a task; nil if there is none.
func patchOf(rows *model.Rows, taskID string) *contracts.Artifact {
	for i := range slices.Backward(rows.Artifacts) {
		if a := &rows.Artifacts[i]; a.TaskID == taskID && a.Type == contracts.ArtifactPatch {
			return a
		}
	}
	return nil
}

// printReviews prints what agents said about a patch, each finding with its file and line.
func printReviews(w io.Writer, rows *model.Rows, art *contracts.Artifact) error {
	var b strings.Builder
	for _, r := range art.Reviews {
		fmt.Fprintln(&b, rows.ReviewLine(art, r))
		for line := range strings.Lines(model.Plain(r.Summary)) {
			fmt.Fprintln(&b, "  "+strings.TrimRight(line, "\n"))
		}
		for _, f := range r.Findings {
			fmt.Fprintln(&b, "  "+printable(f.String()))
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// reviewReport is a review in the JSON output.
type reviewReport struct {
	contracts.Review
	Name       string `json:"name,omitzero"`
	Runner     string `json:"runner,omitzero"`
	Model      string `json:"model,omitzero"`
	ArtifactID string `json:"artifact_id"`
	Tree       string `json:"tree"`
	Stale      bool   `json:"stale"`
}

func reviewReports(rows *model.Rows, art *contracts.Artifact) []reviewReport {
	list := []reviewReport{}
	if art == nil {
		return list
	}
	for _, r := range art.Reviews {
		report := reviewReport{Review: r, ArtifactID: art.ArtifactID, Tree: art.Tree, Stale: rows.ReviewStale(art)}
		if a := rows.Agent(r.AgentID); a != nil {
			report.Name, report.Runner, report.Model = a.Name, a.Runner, a.Model
		}
		list = append(list, report)
	}
	return list
}
