package tui

// wideFrom is the width from which a list and the details of what is chosen stand
// next to each other.
const wideFrom = 140

// wide reports whether there is room for a list and its details.
func wide(w int) bool { return w >= wideFrom }

// parted puts a list and its details next to each other, with a rule between them.
func (a *app) parted(list, detail block, listWidth, h int) block {
	list = list.fit(listWidth, h)
	out := block{zones: list.zones}
	rule := a.look.rule.Render("│")
	for i, line := range list.lines {
		right := ""
		if i < len(detail.lines) {
			right = detail.lines[i]
		}
		out.add(line + rule + " " + right)
	}
	for _, z := range detail.zones {
		z.x += listWidth + 2
		out.zones = append(out.zones, z)
	}
	return out
}

// halfPage is how far Ctrl D and Ctrl U scroll the details; 0 for other keys.
func halfPage(k string, h int) int {
	switch k {
	case "ctrl+d":
		return max(1, h/2)
	case "ctrl+u":
		return -max(1, h/2)
	}
	return 0
}
