package tui

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"
)

// workLayout is a document laid out for a width.
type workLayout struct {
	lines []string
	rowOf []int // the row that each line belongs to
	hunks []int // the line where each hunk begins
	cut   bool  // whether any line is truncated on the left or right
}

// gutterMost is the maximum width of a gutter, so that space is left for text.
const gutterMost = 24

// layout lays the rows out for a width. If cut is set, lines are not wrapped but start at column
// left, with marks where text is missing. If unfold is set, all folds are expanded.
func (d *workDoc) layout(l *look, w int, cut, unfold bool, left int) workLayout {
	var out workLayout
	for i := range d.rows {
		r := &d.rows[i]
		if r.folded && !unfold || r.fold > 0 && unfold {
			continue
		}
		if r.hunk {
			out.hunks = append(out.hunks, len(out.lines))
		}
		var lines []string
		switch {
		case r.spans == nil:
			lines = []string{r.fixed}
		case cut:
			line, whole := r.cut(l, w, left)
			lines, out.cut = []string{line}, out.cut || !whole
		default:
			lines = r.wrap(l, w)
		}
		for _, line := range lines {
			out.lines, out.rowOf = append(out.lines, line), append(out.rowOf, i)
		}
	}
	return out
}

// lines renders the whole document with all folds expanded, wrapped to a width.
func (d *workDoc) lines(l *look, w int) []string { return d.layout(l, w, false, true, 0).lines }

// edge returns the gutter, shortened if there is little space.
func (r *workRow) edge(w int) string {
	return ansi.Truncate(r.gutter, min(gutterMost, w/2), "")
}

func (r *workRow) wrap(l *look, w int) []string {
	edge := r.edge(w)
	wide := lipgloss.Width(edge)
	signed := strings.TrimSpace(edge) != "" // without a mark, a continuation line would look like a new row
	var out []string
	for i, line := range wrapSpans(r.spans, w-wide) {
		before := r.tone.Render(edge)
		switch {
		case i > 0 && wide > 1 && (line.hard || signed):
			before = strings.Repeat(" ", wide-2) + l.soft.Render("↪ ")
		case line.hard && wide > 0:
			before = strings.Repeat(" ", wide-1) + l.soft.Render("↪")
		case i > 0:
			before = strings.Repeat(" ", wide)
		}
		out = append(out, before+render(line.spans))
	}
	return out
}

// cut returns a row as one line that starts at column left; whole means that nothing was cut off.
func (r *workRow) cut(l *look, w, left int) (line string, whole bool) {
	edge := r.edge(w)
	room := max(1, w-lipgloss.Width(edge))
	text := render(r.spans)
	wide := lipgloss.Width(text)
	end := left + room
	shown := ansi.Cut(text, left, end)
	if left > 0 && wide > 0 {
		shown = l.soft.Render("‹") + ansi.Cut(text, left+1, end)
	}
	if wide > end {
		shown = ansi.Truncate(shown, room-1, "") + l.soft.Render("›")
	}
	shown = ansi.Truncate(shown, room, "") // a wide character that is cut in half may have added a cell
	return r.tone.Render(edge) + shown, wide <= end && (left == 0 || wide == 0)
}

// plain returns the text of a row, for searching.
func (r *workRow) plain() string {
	if r.spans == nil {
		return ansi.Strip(r.fixed)
	}
	var b strings.Builder
	for _, s := range r.spans {
		b.WriteString(s.text)
	}
	return b.String()
}

// lowered returns text lower-cased for comparison, rune by rune, so that positions stay the same.
func lowered(text string) string { return strings.Map(unicode.ToLower, text) }

// highlight marks every occurrence of text in a drawn line, ignoring case.
func (l *look) highlight(line, text string) string {
	part := lowered(text)
	if part == "" {
		return line
	}
	shown := ansi.Strip(line)
	low, letters := lowered(shown), []rune(shown)
	for {
		end := strings.LastIndex(low, part)
		if end < 0 {
			return line
		}
		low = low[:end]
		at := utf8.RuneCountInString(low)
		found := string(letters[at : at+utf8.RuneCountInString(part)])
		x := lipgloss.Width(string(letters[:at]))
		right := x + lipgloss.Width(found)
		line = ansi.Cut(line, 0, x) + l.picked.Render(found) + ansi.Cut(line, right, max(right, lipgloss.Width(line)))
	}
}
