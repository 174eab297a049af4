package tui

import (
	"fmt"
	"strconv"
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/hud/work"
	"github.com/bullpen-office/bullpen/model"
)

// contextLines is how many unchanged lines are shown around a change; the others are collapsed.
const contextLines = 3

// workRow is one line of a document, before layout.
type workRow struct {
	gutter  string // numbers and signs before the text
	tone    lipgloss.Style
	spans   []workSpan
	fixed   string     // a line that is already laid out; used if spans is nil
	hunk    bool       // a hunk begins here
	fold    int        // number of collapsed lines that this row represents
	folded  bool       // hidden while its fold is collapsed
	changed bool       // an added or removed line
	spot    *work.Spot // the line of a patch that a comment on this row is about; nil if there is none
}

// workDoc is a document, ready for layout: a diff, a command's output, a file, text or JSON.
type workDoc struct {
	rows     []workRow
	hunks    int
	folds    bool
	coloured int        // bytes of code passed to colour
	reviewed *work.File // in a patch, the file whose lines are being added; nil if lines cannot have comments
}

func (d *workDoc) add(rows ...workRow) { d.rows = append(d.rows, rows...) }

// line adds a line of text without a line number.
func (d *workDoc) line(text string, style lipgloss.Style) {
	d.add(workRow{gutter: " ", spans: plainSpans(text, style)})
}

// text adds text, one row per line.
func (d *workDoc) text(text string, style lipgloss.Style) {
	for one := range strings.SplitSeq(strings.TrimRight(model.Plain(text), "\n "), "\n") {
		d.add(workRow{gutter: " ", spans: []workSpan{{one, style}}})
	}
}

// put adds a view. If whole is set, nothing is collapsed.
func (d *workDoc) put(l *look, v work.View, whole bool) {
	switch v.Kind {
	case work.KindDiff:
		for i, f := range v.Files {
			if i > 0 {
				d.add(workRow{})
			}
			d.file(l, f, whole)
		}
	case work.KindTerminal:
		d.terminal(l, v)
	case work.KindFile:
		d.numbered(l, v)
	case work.KindText:
		d.text(v.Text, l.plain)
	case work.KindJSON:
		d.json(l, "", v.Value)
	}
	if v.Error != "" {
		d.text(v.Error, l.bad)
	}
}

func (d *workDoc) file(l *look, f work.File, whole bool) {
	said := contracts.ChangeWords[string(f.Change)]
	if f.From != "" {
		said += " " + fmt.Sprintf(contracts.SayFromFile, model.Line(f.From))
	}
	counts := ""
	if f.Added+f.Removed > 0 {
		counts = fmt.Sprintf("+%d −%d", f.Added, f.Removed)
	}
	binary, all := "", ""
	if f.Binary {
		binary = contracts.SayBinaryFile
	}
	if f.All {
		all = contracts.SayAllOccurrences
	}
	head := []workSpan{{model.Line(f.Path), l.strong}}
	if more := joinNonEmpty(" · ", counts, said, all, binary); more != "" {
		head = append(head, workSpan{"  " + more, l.soft})
	}
	d.add(workRow{gutter: " ", spans: head})
	patches, last := make([][]work.Line, len(f.Hunks)), 0
	for i, p := range f.Hunks {
		patches[i] = p.Diff()
		d.colour(f.Path, patches[i])
		last = max(last, lastNumber(patches[i]))
	}
	for i, lines := range patches {
		if i > 0 {
			d.add(workRow{gutter: " ⋯", tone: l.soft, spans: []workSpan{}})
		}
		d.diff(l, lines, digitsOf(last), whole)
	}
}

func lastNumber(lines []work.Line) (last int) {
	for _, line := range lines {
		last = max(last, line.Old, line.New)
	}
	return last
}

// digitsOf returns the width of a column of line numbers up to last, or 0 if last is 0, which means
// that the line numbers are unknown.
func digitsOf(last int) int {
	if last == 0 {
		return 0
	}
	return len(strconv.Itoa(last))
}

// diff adds the lines of a diff: the hunks, and the unchanged lines between them, which are
// collapsed unless whole is set.
func (d *workDoc) diff(l *look, lines []work.Line, digits int, whole bool) {
	at := 0
	for _, h := range work.Hunks(lines, contextLines) {
		d.between(l, lines[at:h.From], digits, whole)
		d.hunks++
		for i := h.From; i < h.To; i++ {
			r := d.changedRow(l, lines[i], digits)
			r.hunk = i == h.From
			d.add(r)
		}
		at = h.To
	}
	d.between(l, lines[at:], digits, whole)
}

// between adds the unchanged lines between hunks. Unless whole is set, they are collapsed, and a
// row that counts them comes first.
func (d *workDoc) between(l *look, lines []work.Line, digits int, whole bool) {
	if len(lines) == 0 {
		return
	}
	if whole {
		for _, line := range lines {
			d.add(d.changedRow(l, line, digits))
		}
		return
	}
	d.folds = true
	d.add(workRow{gutter: " ⋯ ", tone: l.soft, fold: len(lines), spans: []workSpan{{contracts.SayUnchangedLines.Of(len(lines)), l.soft}}})
	for _, line := range lines {
		r := d.changedRow(l, line, digits)
		r.folded = true
		d.add(r)
	}
}

// changedRow returns the row for one diff line: its old and new line numbers, the +/- sign, and the
// text with changed words highlighted.
func (d *workDoc) changedRow(l *look, line work.Line, digits int) workRow {
	style := l.plain
	switch line.Op {
	case work.Added:
		style = l.good
	case work.Removed:
		style = l.bad
	}
	gutter := " "
	if digits > 0 {
		gutter += lineNumber(line.Old, digits) + " " + lineNumber(line.New, digits) + " "
	}
	gutter += string(rune(line.Op)) + " "
	r := workRow{gutter: gutter, tone: style, changed: line.Op != work.Same}
	if d.reviewed != nil {
		if spot, known := d.reviewed.SpotOf(line); known {
			r.spot = &spot
		}
	}
	if line.Op == work.Same {
		r.tone = l.soft
	}
	r.spans = l.codeSpans(line, style)
	return r
}

func lineNumber(n, digits int) string {
	if n == 0 {
		return strings.Repeat(" ", digits)
	}
	return fmt.Sprintf("%*d", digits, n)
}

// terminal adds a command with its output and exit code.
func (d *workDoc) terminal(l *look, v work.View) {
	sign := " $ "
	for one := range strings.SplitSeq(strings.TrimRight(model.Plain(v.Command), "\n"), "\n") {
		d.add(workRow{gutter: sign, tone: l.soft, spans: []workSpan{{one, l.info}}})
		sign = "   "
	}
	for _, o := range v.Out {
		style := l.plain
		if o.Name == "stderr" {
			style = l.bad
		}
		for _, line := range o.Lines() {
			r := workRow{gutter: " "}
			for _, s := range line {
				one := style
				if s.Style != (work.Style{}) {
					one = l.output(s.Style)
				}
				r.spans = append(r.spans, workSpan{model.Plain(s.Text), one})
			}
			d.add(r)
		}
	}
	switch {
	case v.Exit == nil:
	case *v.Exit == 0:
		d.line(fmt.Sprintf(contracts.SayExitCode, 0), l.soft)
	default:
		d.line(fmt.Sprintf(contracts.SayExitCode, *v.Exit), l.bad)
	}
}

// numbered adds a file with line numbers.
func (d *workDoc) numbered(l *look, v work.View) {
	head := []workSpan{{model.Line(v.Path), l.strong}}
	if v.Area != nil && v.Area[0] == v.Area[1] {
		head = append(head, workSpan{fmt.Sprintf("  line %d", v.Area[0]), l.soft})
	} else if v.Area != nil {
		head = append(head, workSpan{fmt.Sprintf("  lines %d–%d", v.Area[0], v.Area[1]), l.soft})
	} else if v.Text == "" && v.Start > 1 {
		head = append(head, workSpan{fmt.Sprintf("  from line %d", v.Start), l.soft})
	}
	d.add(workRow{gutter: " ", spans: head})
	if v.Text == "" {
		return
	}
	d.code(l, v.Text, v.Start)
	d.mark(l, v)
}

// mark marks the lines in v.Area. An area that covers the whole text is not marked.
func (d *workDoc) mark(l *look, v work.View) {
	rows := d.rows[len(d.rows)-strings.Count(strings.TrimSuffix(v.Text, "\n"), "\n")-1:]
	if v.Area == nil || v.Area[0] <= v.Start && v.Area[1] >= v.Start+len(rows)-1 {
		return
	}
	for no := max(v.Area[0], v.Start); no <= v.Area[1] && no-v.Start < len(rows); no++ {
		rows[no-v.Start].gutter = "›" + rows[no-v.Start].gutter[1:]
		rows[no-v.Start].tone = l.need
	}
}

// code adds text with line numbers that begin at start.
func (d *workDoc) code(l *look, text string, start int) {
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	digits := digitsOf(start + len(lines) - 1)
	for i, one := range lines {
		d.add(workRow{gutter: " " + lineNumber(start+i, digits) + " │ ", tone: l.soft, spans: plainSpans(one, l.plain)})
	}
}

// rest adds the arguments that the view does not show, so that no one allows a call without seeing
// all of it.
func (d *workDoc) rest(l *look, v work.View, args jsontext.Value) {
	for _, m := range work.Rest(v, args) {
		d.json(l, m.Name, m.Value)
	}
}
