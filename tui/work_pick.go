package tui

import "github.com/bullpen-office/bullpen/hud/work"

// picked returns the selected line of a patch, or nil if no selected line is drawn.
func (v *workView) picked() *work.Spot {
	if v.pickedLine() < 0 {
		return nil
	}
	return &v.pick
}

// pickedLine returns the drawn line that is selected, or -1.
func (v *workView) pickedLine() int {
	for at, row := range v.laid.rowOf {
		if spot := v.doc.rows[row].spot; spot != nil && *spot == v.pick {
			return at
		}
	}
	return -1
}

// firstPick returns the first changed line that can be selected, starting at line from. If there is
// none, it returns the first unchanged line that can be selected, or -1.
func (v *workView) firstPick(from int) int {
	first := -1
	for at := from; at < len(v.laid.rowOf); at++ {
		switch row := v.doc.rows[v.laid.rowOf[at]]; {
		case row.spot == nil:
		case row.changed:
			return at
		case first < 0:
			first = at
		}
	}
	return first
}

// movePick selects the next or the previous line of a patch and scrolls to it. If the selected line
// was scrolled out of view, movePick selects a visible line. It returns false if there is no line
// to select.
func (v *workView) movePick(by int) bool {
	at := v.pickedLine()
	if at < v.top || at >= v.top+v.page {
		at = v.firstPick(v.top)
		if at < 0 {
			return false
		}
		v.choose(at)
		return true
	}
	row := v.laid.rowOf[at]
	for at += by; at >= 0 && at < len(v.laid.rowOf); at += by {
		if next := v.laid.rowOf[at]; next != row && v.doc.rows[next].spot != nil {
			v.choose(at)
			return true
		}
	}
	v.scroll(by) // beyond the last line there may be a file without lines
	return true
}

// choose selects the line drawn at a position and scrolls until it is visible.
func (v *workView) choose(at int) {
	for at > 0 && v.laid.rowOf[at-1] == v.laid.rowOf[at] {
		at--
	}
	v.pick = *v.doc.rows[v.laid.rowOf[at]].spot
	v.top = max(0, min(v.top, at), at-v.page+1)
}
