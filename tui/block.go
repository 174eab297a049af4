package tui

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/bullpen-office/bullpen/model"
)

// zone is a clickable part of the screen.
type zone struct {
	x, y, w, h int
	act        func() tea.Cmd
}

// block is a piece of the screen: lines, and their clickable zones.
type block struct {
	lines []string
	zones []zone
}

func (b *block) add(lines ...string) { b.lines = append(b.lines, lines...) }

// button adds a clickable line.
func (b *block) button(line string, act func() tea.Cmd) {
	b.zones = append(b.zones, zone{0, len(b.lines), lipgloss.Width(line), 1, act})
	b.add(line)
}

// put appends the lines and zones of another block.
func (b *block) put(o block) {
	b.zones = append(b.zones, moved(o.zones, 0, len(b.lines))...)
	b.add(o.lines...)
}

// moved returns copies of the zones, shifted by dx and dy.
func moved(zones []zone, dx, dy int) []zone {
	zones = slices.Clone(zones)
	for i := range zones {
		zones[i].x += dx
		zones[i].y += dy
	}
	return zones
}

// lineAt returns line i, or "" past the end.
func lineAt(lines []string, i int) string {
	if i < len(lines) {
		return lines[i]
	}
	return ""
}

// fit returns the block cut or padded to exactly w×h cells.
func (b block) fit(w, h int) block {
	lines := make([]string, h)
	for i := range lines {
		lines[i] = pad(lineAt(b.lines, i), w)
	}
	zones := make([]zone, 0, len(b.zones))
	for _, z := range b.zones {
		if z.y < h && z.x < w {
			z.w, z.h = min(z.w, w-z.x), min(z.h, h-z.y)
			zones = append(zones, z)
		}
	}
	return block{lines, zones}
}

// from returns the part of the block that begins at line top, for scrolling.
func (b block) from(top int) block {
	top = max(0, min(top, len(b.lines)))
	zones := slices.DeleteFunc(moved(b.zones, 0, -top), func(z zone) bool { return z.y < 0 })
	return block{b.lines[top:], zones}
}

// sideBySide puts two blocks next to each other, separated by gap, which must be two cells wide.
func sideBySide(left, right block, leftWidth int, gap string) block {
	out := block{zones: append(moved(left.zones, 0, 0), moved(right.zones, leftWidth+2, 0)...)}
	for i := range max(len(left.lines), len(right.lines)) {
		out.add(pad(lineAt(left.lines, i), leftWidth) + gap + lineAt(right.lines, i))
	}
	return out
}

// over draws one block on top of another, at x, y; only the upper block stays clickable.
func over(below, above block, x, y int) block {
	out := block{slices.Clone(below.lines), moved(above.zones, x, y)}
	for i, line := range above.lines {
		if y+i >= len(out.lines) {
			break
		}
		base := out.lines[y+i]
		left := ansi.Truncate(base, x, "")
		out.lines[y+i] = left + strings.Repeat(" ", max(0, x-lipgloss.Width(left))) + line + after(base, x+lipgloss.Width(line))
	}
	return out
}

// clip cuts a line to w cells, with an ellipsis, and replaces line breaks with spaces.
func clip(line string, w int) string {
	if w <= 0 {
		return ""
	}
	if strings.ContainsRune(line, '\n') { // untrusted text may contain line breaks
		line = strings.ReplaceAll(line, "\n", " ")
	}
	return ansi.Truncate(line, w, "…")
}

// pad cuts or fills a line to exactly w cells.
func pad(line string, w int) string {
	line = clip(line, w)
	return line + strings.Repeat(" ", max(0, w-lipgloss.Width(line)))
}

// split returns a line of w cells with left and right at its two ends. right is dropped if it would
// leave fewer than 8 cells for left.
func split(left, right string, w int) string {
	room := w - lipgloss.Width(right) - 1
	if room < 8 {
		return pad(left, w)
	}
	return pad(left, room) + " " + right
}

// wrap makes untrusted text safe and breaks it into lines of at most w cells.
func wrap(text string, w int) []string {
	text = strings.TrimRight(model.Plain(text), "\n ")
	if text == "" || w < 1 {
		return nil
	}
	return strings.Split(ansi.Wrap(text, w, ""), "\n")
}

// wrapped is like wrap, with a maximum number of lines; an ellipsis on the last line marks a
// truncation.
func wrapped(text string, w, most int) []string {
	lines := wrap(text, w)
	if len(lines) > most {
		lines = lines[:most]
		lines[most-1] = clip(lines[most-1]+" …", w)
		if !strings.HasSuffix(lines[most-1], "…") {
			lines[most-1] = pad(lines[most-1], w-1) + "…"
		}
	}
	return lines
}

// painted applies a style to every line.
func painted(style lipgloss.Style, lines []string) []string {
	out := make([]string, len(lines))
	for i, line := range lines {
		out[i] = style.Render(line)
	}
	return out
}

// bar draws a progress bar.
func (l *look) bar(percent, w int) string {
	full := max(0, min(w, (percent*w+50)/100))
	return l.good.Render(strings.Repeat("━", full)) + l.rule.Render(strings.Repeat("─", w-full))
}

// box draws a frame around a block, for a dialog.
func (l *look) box(title string, in block, w, h int) block {
	in = in.fit(w-4, h-2)
	head := " " + clip(title, w-6) + " "
	out := block{zones: moved(in.zones, 2, 1)}
	out.add(l.rule.Render("╭─") + l.title.Render(head) + l.rule.Render(strings.Repeat("─", max(0, w-3-lipgloss.Width(head)))+"╮"))
	for _, line := range in.lines {
		out.add(l.rule.Render("│") + " " + line + " " + l.rule.Render("│"))
	}
	out.add(l.rule.Render("╰" + strings.Repeat("─", w-2) + "╯"))
	return out
}

// after returns the part of a drawn line that begins at cell x. A space replaces the second half of
// a wide character.
func after(line string, x int) string {
	want := max(0, lipgloss.Width(line)-x)
	rest := ansi.TruncateLeft(line, x, "")
	for skip := x; lipgloss.Width(rest) > want; {
		skip++
		rest = ansi.TruncateLeft(line, skip, "")
	}
	return strings.Repeat(" ", want-lipgloss.Width(rest)) + rest
}

// cutLeft removes the first cell of a drawn line.
func cutLeft(line string) string { return ansi.Cut(line, 1, max(1, lipgloss.Width(line))) }
