package tui

import (
	"fmt"
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"github.com/bullpen-office/bullpen/hud/work"
)

// workView shows a document of any size. The user can scroll, fold, wrap and search it, and step
// through its hunks.
type workView struct {
	app    *app
	find   finder
	top    int
	left   int  // scroll position in columns, while lines are truncated
	cut    bool // truncate lines instead of wrapping them
	unfold bool
	hunk   int       // selected hunk
	match  int       // selected match
	page   int       // number of visible lines
	aim    int       // the row to scroll to after layout; 0 is the top
	pick   work.Spot // selected line of a patch
	ended  string    // the document whose end was displayed while no line was truncated

	doc     workDoc
	laid    workLayout
	laidFor string // document, width and options of the current layout
}

// aimAbove is how many lines stay visible above the row that the view scrolls to.
const aimAbove = 3

func newWorkView(a *app) *workView {
	v := &workView{app: a}
	v.find.changed = v.selectFirstMatch
	return v
}

// reset prepares the view for another document: scrolled to the beginning, with folds collapsed.
func (v *workView) reset() {
	v.top, v.left, v.hunk, v.match, v.unfold, v.laidFor, v.pick = 0, 0, 0, 0, false, "", work.Spot{}
}

// forget drops the document. The next fill builds it again.
func (v *workView) forget() {
	v.reset()
	v.doc, v.laid = workDoc{}, workLayout{}
}

// fill lays out the document if the document, the width or an option has changed. of identifies the
// document, and make builds it.
func (v *workView) fill(of string, make func() workDoc, w, h int) {
	v.page = max(1, h)
	key := fmt.Sprint(of, "\x00", w, v.cut, v.unfold, v.left, v.app.look.dark, v.app.look.ascii)
	if key != v.laidFor {
		row := v.rowAt(v.top)
		v.doc = make()
		v.laid, v.laidFor = v.doc.layout(&v.app.look, w, v.cut, v.unfold, v.left), key
		v.top = v.lineOf(row)
	}
	if at := v.firstPick(0); at >= 0 && v.pick == (work.Spot{}) {
		v.pick = *v.doc.rows[v.laid.rowOf[at]].spot
	}
	if v.aim > 0 {
		v.top, v.aim = v.lineOf(v.aim)-aimAbove, 0
	}
	v.top = max(0, min(v.top, len(v.laid.lines)-v.page))
	if v.top+v.page >= len(v.laid.lines) && !v.laid.cut {
		v.ended = of
	}
}

// rowAt returns the row that a line belongs to, or 0 past the end. fill uses rowAt and lineOf to
// keep the scroll position when the layout changes.
func (v *workView) rowAt(line int) int {
	if line < len(v.laid.rowOf) {
		return v.laid.rowOf[line]
	}
	return 0
}

func (v *workView) lineOf(row int) int {
	if row == 0 {
		return 0
	}
	at, _ := slices.BinarySearch(v.laid.rowOf, row)
	return at
}

// draw returns the visible lines.
func (v *workView) draw() []string {
	end := min(len(v.laid.lines), v.top+v.page)
	lines := slices.Clone(v.laid.lines[v.top:end])
	if v.find.text != "" {
		for i, line := range lines {
			lines[i] = v.app.look.highlight(line, v.find.text)
		}
	}
	if at := v.pickedLine() - v.top; at >= 0 && at < len(lines) {
		lines[at] = v.app.look.picked.Render("›") + cutLeft(lines[at])
		return lines
	}
	if n := v.hunk; len(v.laid.hunks) > 1 && n < len(v.laid.hunks) {
		if at := v.laid.hunks[n] - v.top; at >= 0 && at < len(lines) {
			lines[at] = v.app.look.need.Render("›") + cutLeft(lines[at])
		}
	}
	return lines
}

// scroll moves the view by a number of lines and selects the hunk at the top of the view.
func (v *workView) scroll(by int) {
	v.top = max(0, min(v.top+by, len(v.laid.lines)-v.page))
	for i, at := range v.laid.hunks { // the selected hunk follows the scroll position
		if at <= v.top || i == 0 {
			v.hunk = i
		}
	}
}

// key handles a key. It returns false if the view does not use the key.
func (v *workView) key(k string) bool {
	switch k {
	case "n", "p":
		v.goHunk(map[string]int{"n": 1, "p": -1}[k])
	case ".", ",":
		v.goMatch(map[string]int{".": 1, ",": -1}[k])
	case "z", "Z":
		v.unfold = !v.unfold
	case "w", "W":
		v.cut, v.left = !v.cut, 0
	case "left", "right":
		if !v.cut {
			return false
		}
		v.left = max(0, v.left+map[string]int{"left": -8, "right": 8}[k])
	case "ctrl+d", "ctrl+u":
		v.scroll(max(1, v.page/2) * map[string]int{"ctrl+d": 1, "ctrl+u": -1}[k])
	case "ctrl+f", "ctrl+b":
		v.scroll(max(1, v.page-1) * map[string]int{"ctrl+f": 1, "ctrl+b": -1}[k])
	default:
		by := step(k, max(1, v.page-1))
		if by == 0 {
			return false
		}
		v.scroll(by)
	}
	return true
}

func (v *workView) goHunk(by int) {
	if len(v.laid.hunks) == 0 {
		v.app.toast("There are no changes here.", tonePlain)
		return
	}
	v.hunk = max(0, min(v.hunk+by, len(v.laid.hunks)-1))
	v.top = max(0, v.laid.hunks[v.hunk]-1)
	if at := v.firstPick(v.laid.hunks[v.hunk]); at >= 0 {
		v.pick = *v.doc.rows[v.laid.rowOf[at]].spot
	}
}

// matches returns one line for each row that matches the search: the first line with a match, or
// the first line of the row if the match spans a line break.
func (v *workView) matches() (list []int) {
	part := lowered(v.find.text)
	if part == "" {
		return nil
	}
	for i := 0; i < len(v.laid.lines); {
		row, from := v.laid.rowOf[i], i
		for i < len(v.laid.lines) && v.laid.rowOf[i] == row {
			i++
		}
		if !strings.Contains(lowered(v.doc.rows[row].plain()), part) {
			continue
		}
		at := from
		for k := from; k < i; k++ {
			if strings.Contains(lowered(ansi.Strip(v.laid.lines[k])), part) {
				at = k
				break
			}
		}
		list = append(list, at)
	}
	return list
}

// selectFirstMatch selects the first match at or below the top of the view and scrolls to it. If
// there is none, it selects the first match in the document.
func (v *workView) selectFirstMatch() {
	list := v.matches()
	v.match = 0
	for i, at := range list {
		if at >= v.top {
			v.match = i
			break
		}
	}
	v.goMatch(0)
}

func (v *workView) goMatch(by int) {
	list := v.matches()
	if len(list) == 0 {
		return
	}
	v.match = (v.match + by + len(list)) % len(list)
	at := list[v.match]
	if at < v.top || at >= v.top+v.page {
		v.top = max(0, at-v.page/3)
	}
}

// found returns the number of the selected match and the total, such as "2 of 5", or "not found".
func (v *workView) found() string {
	n := len(v.matches())
	if n == 0 {
		return "not found"
	}
	return fmt.Sprintf("%d of %d", v.match+1, n)
}

// positionWords describes the position in the document: the hunk, the visible lines, and whether lines
// are wrapped.
func (v *workView) positionWords() string {
	var parts []string
	if n := len(v.laid.hunks); n > 0 {
		parts = append(parts, fmt.Sprintf("hunk %d of %d", min(v.hunk+1, n), n))
	}
	if n := len(v.laid.lines); n > v.page {
		parts = append(parts, fmt.Sprintf("%d–%d of %d", v.top+1, min(n, v.top+v.page), n))
	}
	if v.cut {
		parts = append(parts, "not wrapped")
	}
	return joinNonEmpty(" · ", parts...)
}

// hints returns the keys that have an effect now.
func (v *workView) hints() []hint {
	var list []hint
	if len(v.laid.hunks) > 1 {
		list = append(list, hint{"N P", "hunk"})
	}
	if v.find.text != "" {
		list = append(list, hint{". ,", "match"})
	}
	if v.doc.folds {
		list = append(list, hint{"Z", map[bool]string{false: "unfold", true: "fold"}[v.unfold]})
	}
	list = append(list, hint{"/", "search"})
	if slices.ContainsFunc(v.doc.rows, func(r workRow) bool { return r.spans != nil }) {
		list = append(list, hint{"W", map[bool]string{false: "no wrap", true: "wrap"}[v.cut]})
	}
	return list
}
