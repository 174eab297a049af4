package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	office "github.com/bullpen-office/bullpen/client"
	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/hud/work"
	"github.com/bullpen-office/bullpen/model"
)

// diffContext is the number of unchanged lines shown around a change.
const diffContext = 3

func newArtifactCommand() *cobra.Command {
	return groupCommand("artifact", "List, print and compare deliverables", newArtifactListCommand(), newArtifactShowCommand(), newArtifactDiffCommand())
}

func newArtifactListCommand() *cobra.Command {
	var project string
	c := &cobra.Command{Use: "list", Short: "List deliverables, except those of archived projects", Args: noArgs}
	newVerb(c, func(ctx context.Context, v *verb, _ []string) error {
		rows, err := v.rows(ctx)
		if err != nil {
			return err
		}
		if project != "" {
			if err := knownProject(rows, project); err != nil {
				return err
			}
		}
		list := []contracts.Artifact{}
		for _, a := range rows.Artifacts {
			if project == "" || a.ProjectID == project {
				list = append(list, a)
			}
		}
		if v.asJSON {
			return printJSON(v.out, map[string]any{"artifacts": list})
		}
		return printArtifacts(v, rows, list)
	})
	projectFlag(c, &project, "only deliverables of this project")
	return c
}

func printArtifacts(v *verb, rows *model.Rows, list []contracts.Artifact) error {
	if len(list) == 0 {
		return v.print(nil, "No deliverables yet.")
	}
	var table columns
	table.add("ID", "VERSION", "STATUS", "BY", "TITLE")
	for _, a := range list {
		table.add(a.ArtifactID, fmt.Sprint(a.Version), caption(a.Status), printable(rows.Name(a.CreatedBy)), shortLine(a.Title))
	}
	return table.print(v.out)
}

func newArtifactShowCommand() *cobra.Command {
	var reviews bool
	c := &cobra.Command{
		Use: "show ARTIFACT", Short: "Print the content of a deliverable",
		Long: "Print the content of a deliverable. In a file or a pipe, the output is the exact bytes;\nin a terminal, it is text without escape sequences, followed by the agents' reviews. With --json,\nprint the deliverable's metadata; with --reviews, print only the reviews.",
		Args: exactArgs("ARTIFACT"), ValidArgsFunction: completeFirst(deliverableWords),
		Annotations: map[string]string{asItIs: "true"},
	}
	newVerb(c, func(ctx context.Context, v *verb, args []string) error {
		a, err := v.artifact(ctx, args[0])
		if err != nil {
			return err
		}
		if v.asJSON {
			return printJSON(v.out, a)
		}
		if !reviews {
			content, err := v.content(ctx, a.ArtifactID)
			if err != nil {
				return err
			}
			if err := writeContent(v.out, &a, content); err != nil || !isTerminal(v.out) {
				return err
			}
		}
		return v.printReviewsOf(ctx, &a, reviews)
	})
	c.Flags().BoolVar(&reviews, "reviews", false, "print only the agents' reviews")
	onlyTyped(c.Flags(), "reviews")
	return c
}

// printReviewsOf prints the reviews of a deliverable. If there are none and asked is set, it prints a
// note.
func (v *verb) printReviewsOf(ctx context.Context, a *contracts.Artifact, asked bool) error {
	if len(a.Reviews) == 0 {
		switch {
		case asked && a.Type == contracts.ArtifactPatch:
			v.note("no agent has reviewed %s; request a review with `bullpen task review %s`", a.ArtifactID, a.TaskID)
		case asked:
			v.note("no agent has reviewed %s; agents review only patches", a.ArtifactID)
		}
		return nil
	}
	rows, err := v.rows(ctx)
	if err != nil {
		return err
	}
	return printReviews(v.out, rows, a)
}

// writeContent writes a deliverable's exact bytes. On a terminal, it writes only text, without
// control characters; other content is an error.
func writeContent(w io.Writer, a *contracts.Artifact, content []byte) error {
	if !isTerminal(w) {
		_, err := w.Write(content)
		return err
	}
	if !isText(content) {
		return &exitError{code: exitFailed, err: fmt.Errorf("%s is not text (%s, %d bytes); redirect it to a file: `bullpen artifact show %s > FILE`", a.ArtifactID, printable(a.MIME), len(content), a.ArtifactID)}
	}
	return writeText(w, content)
}

// writeText writes text unchanged or, on a terminal, as whole lines without control characters.
func writeText(w io.Writer, content []byte) error {
	if isTerminal(w) {
		content = []byte(model.Plain(strings.TrimRight(string(content), "\n")) + "\n")
	}
	_, err := w.Write(content)
	return err
}

func isText(content []byte) bool { return utf8.Valid(content) && !bytes.ContainsRune(content, 0) }

func newArtifactDiffCommand() *cobra.Command {
	c := &cobra.Command{
		Use: "diff ARTIFACT [OLDER]", Short: "Show what changed since the previous version, or since another deliverable",
		Long: "Show what changed since the previous version, or since another deliverable. Two versions of a\npatch are compared by the files that they produce; other deliverables are compared line by line.",
		Args: betweenArgs(1, 2, "ARTIFACT", "OLDER"), ValidArgsFunction: completeArgs(2, deliverableWords),
	}
	return newVerb(c, func(ctx context.Context, v *verb, args []string) error {
		newer, err := v.artifact(ctx, args[0])
		if err != nil {
			return err
		}
		before := newer.Parent
		if len(args) == 2 {
			before = args[1]
		}
		if before == "" {
			return &exitError{code: exitRefused, err: fmt.Errorf("%s is the first version; specify another deliverable to compare it with", newer.ArtifactID)}
		}
		older, err := v.artifact(ctx, before)
		if err != nil {
			return err
		}
		compare := v.compareLines
		if older.Tree != "" && newer.Tree != "" && older.TaskID == newer.TaskID {
			compare = v.compareFiles
		}
		d, err := compare(ctx, &older, &newer)
		if err != nil {
			return err
		}
		return v.printDiff(d)
	})
}

// artifactDiff is the JSON output of `bullpen artifact diff`.
type artifactDiff struct {
	Before  string `json:"before"`
	After   string `json:"after"`
	Added   int    `json:"added"`
	Removed int    `json:"removed"`
	Diff    string `json:"diff"` // a unified diff
}

// compareFiles compares the files that two versions of a patch produce.
func (v *verb) compareFiles(ctx context.Context, older, newer *contracts.Artifact) (artifactDiff, error) {
	d := artifactDiff{Before: older.ArtifactID, After: newer.ArtifactID}
	content, err := v.read(ctx, newer.ArtifactID, "/changes?since="+url.QueryEscape(older.ArtifactID))
	if err != nil {
		return d, err
	}
	if older.Base != newer.Base {
		v.note("%s", contracts.SayOtherBase)
	}
	d.Diff = string(content)
	for _, f := range work.Unified(d.Diff, "", work.ChangeEdit) {
		d.Added += f.Added
		d.Removed += f.Removed
	}
	return d, nil
}

// compareLines compares two texts line by line.
func (v *verb) compareLines(ctx context.Context, older, newer *contracts.Artifact) (artifactDiff, error) {
	d := artifactDiff{Before: older.ArtifactID, After: newer.ArtifactID}
	var texts [2]string
	for i, a := range []*contracts.Artifact{older, newer} {
		content, err := v.content(ctx, a.ArtifactID)
		if err != nil {
			return d, err
		}
		if !isText(content) {
			return d, &exitError{code: exitRefused, err: fmt.Errorf("cannot compare %s: not text (%s)", a.ArtifactID, printable(a.MIME))}
		}
		texts[i] = string(content)
	}
	lines := work.Lines(texts[0], texts[1], 1)
	if d.Added, d.Removed = work.Count(lines); d.Added+d.Removed > 0 {
		d.Diff = unifiedDiff(older, newer, lines)
	}
	return d, nil
}

func (v *verb) printDiff(d artifactDiff) error {
	if isTerminal(v.out) {
		d.Diff = model.Plain(d.Diff)
	}
	if v.asJSON {
		return printJSON(v.out, d)
	}
	_, err := io.WriteString(v.out, paintDiff(d.Diff, paintFor(v.out)))
	return err
}

// paintDiff colours the lines of a unified diff.
func paintDiff(text string, p paint) string {
	var out strings.Builder
	inHunk := false
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		switch {
		case strings.HasPrefix(line, "diff "):
			inHunk, line = false, p.strong(line)
		case strings.HasPrefix(line, "@@ "):
			inHunk, line = true, p.wrap("36", line)
		case inHunk && strings.HasPrefix(line, "+"):
			line = p.wrap("32", line)
		case inHunk && strings.HasPrefix(line, "-"):
			line = p.wrap("31", line)
		}
		fmt.Fprintln(&out, line)
	}
	return out.String()
}

func unifiedDiff(older, newer *contracts.Artifact, lines []work.Line) string {
	var out strings.Builder
	fmt.Fprintf(&out, "--- %s (version %d)\n+++ %s (version %d)\n", older.ArtifactID, older.Version, newer.ArtifactID, newer.Version)
	for _, h := range work.Hunks(lines, diffContext) {
		hunk := lines[h.From:h.To]
		fmt.Fprintln(&out, hunkHead(hunk))
		for _, l := range hunk {
			fmt.Fprintln(&out, string(l.Op)+l.Text)
		}
	}
	return out.String()
}

// hunkHead formats the @@ line of a hunk.
func hunkHead(hunk []work.Line) string {
	var old, new [2]int // first line, count
	for _, l := range hunk {
		for side, n := range map[*[2]int]int{&old: l.Old, &new: l.New} {
			if n == 0 {
				continue
			}
			if side[1] == 0 {
				side[0] = n
			}
			side[1]++
		}
	}
	return fmt.Sprintf("@@ -%d,%d +%d,%d @@", old[0], old[1], new[0], new[1])
}

// artifact returns a deliverable, even one in an archived project.
func (v *verb) artifact(ctx context.Context, id string) (a contracts.Artifact, err error) {
	err = v.row(ctx, "artifacts", id, &a)
	if hasCode(err, exitRefused) {
		if rows, e := v.rows(ctx); e == nil {
			return a, noRow("deliverable", id, "known", ids(slices.Clone(rows.Artifacts), func(a contracts.Artifact) string { return a.ArtifactID }))
		}
	}
	return a, err
}

func (c *client) content(ctx context.Context, id string) ([]byte, error) {
	return c.read(ctx, id, "/content")
}

// read returns the response for a deliverable's URL followed by part, for example "/content".
func (c *client) read(ctx context.Context, id, part string) ([]byte, error) {
	body, err := c.office.Read(ctx, "/v1/artifacts/"+url.PathEscape(id)+part, contracts.LimitArtifactBytes)
	if large := (*office.TooLargeError)(nil); errors.As(err, &large) {
		return nil, fmt.Errorf("content of %s exceeds %d bytes", id, contracts.LimitArtifactBytes)
	}
	return body, c.requestFailed(err)
}
