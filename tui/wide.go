package tui

// wideFrom is the minimum width for showing a list and the details of its selection side by side.
const wideFrom = 140

// wide reports whether there is space for a list and its details.
func wide(w int) bool { return w >= wideFrom }

// splitView puts a list and its details side by side, with a vertical line between them.
func (a *app) splitView(list, detail block, listWidth, h int) block {
	return sideBySide(list.fit(listWidth, h), detail, listWidth, a.look.rule.Render("│")+" ")
}

// halfPage returns the number of lines by which Ctrl D or Ctrl U scrolls the details, or 0 for
// other keys.
func halfPage(k string, h int) int {
	switch k {
	case "ctrl+d":
		return max(1, h/2)
	case "ctrl+u":
		return -max(1, h/2)
	}
	return 0
}
