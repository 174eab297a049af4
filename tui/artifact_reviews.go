package tui

import (
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/hud/work"
	"github.com/bullpen-office/bullpen/model"
)

// remark is an agent's finding or a person's comment, shown below the patch line that it is about.
type remark struct {
	spot  work.Spot
	text  string
	sign  string
	style lipgloss.Style
}

// findings returns the agents' findings on a patch.
func (a *app) findings(art *contracts.Artifact) (list []remark) {
	for _, v := range art.Reviews {
		who := model.Line(a.office.Rows().Name(v.AgentID))
		for _, f := range v.Findings {
			text := fmt.Sprintf("%s, %s: %s", who, f.Severity, f.Text)
			list = append(list, remark{work.Spot{Path: f.Path, Line: f.Line, Removed: f.Removed}, text, "◆", a.look.info})
		}
	}
	return list
}

// commented returns the user's comments on a patch.
func (a *app) commented(art *contracts.Artifact) (list []remark) {
	for _, c := range a.comments[art.ArtifactID] {
		list = append(list, remark{c.Spot, c.Text, "▌", a.look.need})
	}
	return list
}

// rows returns the remark as rows of a document.
func (r remark) rows() (rows []workRow) {
	for line := range strings.SplitSeq(model.Plain(r.text), "\n") {
		rows = append(rows, workRow{gutter: "   " + r.sign + " ", tone: r.style, spans: []workSpan{{line, r.style}}})
	}
	return rows
}

// remark adds remarks below the lines that they are about, and returns the remarks about lines that
// are not in the document.
func (d *workDoc) remark(list []remark) (stray []remark) {
	if len(list) == 0 {
		return nil
	}
	below := map[work.Spot][]workRow{}
	for _, r := range list {
		below[r.spot] = append(below[r.spot], r.rows()...)
	}
	placed := map[work.Spot]bool{}
	var rows []workRow
	for _, row := range d.rows {
		rows = append(rows, row)
		if row.spot == nil {
			continue
		}
		placed[*row.spot] = true
		for _, r := range below[*row.spot] {
			r.folded = row.folded
			rows = append(rows, r)
		}
	}
	d.rows = rows
	return slices.DeleteFunc(slices.Clone(list), func(r remark) bool { return placed[r.spot] })
}

// reviewLines returns one line per review of a patch: the agent that reviewed it, and the result.
func (a *app) reviewLines(art *contracts.Artifact) (lines []string) {
	for _, v := range art.Reviews {
		lines = append(lines, a.office.Rows().ReviewLine(art, v))
	}
	return lines
}

// reviewHead adds a header to a patch: its reviewers, what they said about it as a whole, and the
// remarks about lines that the patch does not show.
func (d *workDoc) reviewHead(a *app, art *contracts.Artifact, stray []remark) {
	var head workDoc
	for i, line := range a.reviewLines(art) {
		head.add(workRow{gutter: " ", spans: []workSpan{{"◆ ", a.look.info}, {line, a.look.strong}}})
		if summary := art.Reviews[i].Summary; summary != "" {
			head.text(summary, a.look.soft)
		}
	}
	for _, r := range stray {
		r.text = model.Line(r.spot.String()) + ": " + r.text
		head.add(r.rows()...)
	}
	if len(head.rows) > 0 {
		head.add(workRow{})
		d.rows = append(head.rows, d.rows...)
	}
}

// askReview asks the office to have a patch reviewed by another agent.
func (a *app) askReview(art *contracts.Artifact) tea.Cmd {
	return a.act(contracts.AskReview{ArtifactID: art.ArtifactID}, contracts.SayReviewAsked, nil)
}

// findingCount returns the number of findings in all reviews of a version.
func findingCount(art *contracts.Artifact) (n int) {
	for _, v := range art.Reviews {
		n += len(v.Findings)
	}
	return n
}
