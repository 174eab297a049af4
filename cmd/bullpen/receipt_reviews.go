package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/model"
)

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
