package tui

import (
	"strings"

	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/bullpen-office/bullpen/tui/model"
)

// zone is a part of the screen that can be pressed.
type zone struct {
	x, y, w, h int
	act        func() tea.Cmd
}

// block is a piece of the screen: lines, and what can be pressed in them.
type block struct {
	lines []string
	zones []zone
}

func (b *block) add(lines ...string) { b.lines = append(b.lines, lines...) }

// button adds a line that can be pressed.
func (b *block) button(line string, act func() tea.Cmd) {
	b.zones = append(b.zones, zone{0, len(b.lines), lipgloss.Width(line), 1, act})
	b.add(line)
}

// put adds another block below.
func (b *block) put(o block) {
	for _, z := range o.zones {
		z.y += len(b.lines)
		b.zones = append(b.zones, z)
	}
	b.add(o.lines...)
}

// fit gives exactly w×h.
func (b block) fit(w, h int) block {
	lines := make([]string, h)
	for i := range lines {
		text := ""
		if i < len(b.lines) {
			text = b.lines[i]
		}
		lines[i] = pad(text, w)
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

// from gives the block without its first lines, for one that is scrolled.
func (b block) from(top int) block {
	top = max(0, min(top, len(b.lines)))
	out := block{lines: b.lines[top:]}
	for _, z := range b.zones {
		if z.y >= top {
			z.y -= top
			out.zones = append(out.zones, z)
		}
	}
	return out
}

// beside puts blocks next to each other, with a gap of two.
func beside(left, right block, leftWidth int) block {
	out := block{zones: left.zones}
	for i := range max(len(left.lines), len(right.lines)) {
		l, r := "", ""
		if i < len(left.lines) {
			l = left.lines[i]
		}
		if i < len(right.lines) {
			r = right.lines[i]
		}
		out.add(pad(l, leftWidth) + "  " + r)
	}
	for _, z := range right.zones {
		z.x += leftWidth + 2
		out.zones = append(out.zones, z)
	}
	return out
}

// over draws a block on top of another; only the upper can be pressed.
func over(below, above block, x, y int) block {
	out := block{lines: append([]string{}, below.lines...)}
	for i, line := range above.lines {
		if y+i >= len(out.lines) {
			break
		}
		base := out.lines[y+i]
		right := x + lipgloss.Width(line)
		out.lines[y+i] = ansi.Cut(base, 0, x) + line + ansi.Cut(base, right, max(right, lipgloss.Width(base)))
	}
	for _, z := range above.zones {
		z.x, z.y = z.x+x, z.y+y
		out.zones = append(out.zones, z)
	}
	return out
}

// clip cuts a line to a width.
func clip(line string, w int) string {
	if w <= 0 {
		return ""
	}
	if strings.ContainsRune(line, '\n') { // a line is one line, whoever wrote it
		line = strings.ReplaceAll(line, "\n", " ")
	}
	return ansi.Truncate(line, w, "…")
}

// pad makes a line exactly as wide.
func pad(line string, w int) string {
	line = clip(line, w)
	return line + strings.Repeat(" ", max(0, w-lipgloss.Width(line)))
}

// split puts one text at the left and one at the right of a line.
func split(left, right string, w int) string {
	room := w - lipgloss.Width(right) - 1
	if room < 8 {
		return pad(left, w)
	}
	return pad(left, room) + " " + right
}

// wrap breaks text of strangers into lines of a width.
func wrap(text string, w int) []string {
	text = strings.TrimRight(model.Plain(text), "\n ")
	if text == "" || w < 1 {
		return nil
	}
	return strings.Split(ansi.Wrap(text, w, ""), "\n")
}

// wrapped is wrap with at most so many lines; the last one says when it was cut.
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

// painted gives every line a style.
func painted(style lipgloss.Style, lines []string) []string {
	out := make([]string, len(lines))
	for i, line := range lines {
		out[i] = style.Render(line)
	}
	return out
}

// bar is a progress bar with its shape filled.
func (l *look) bar(percent, w int) string {
	full := max(0, min(w, (percent*w+50)/100))
	return l.good.Render(strings.Repeat("━", full)) + l.rule.Render(strings.Repeat("─", w-full))
}

// box frames a block for a dialog.
func (l *look) box(title string, in block, w, h int) block {
	in = in.fit(w-4, h-2)
	head := " " + clip(title, w-6) + " "
	out := block{}
	out.add(l.rule.Render("╭─") + l.title.Render(head) + l.rule.Render(strings.Repeat("─", max(0, w-3-lipgloss.Width(head)))+"╮"))
	for _, line := range in.lines {
		out.add(l.rule.Render("│") + " " + line + " " + l.rule.Render("│"))
	}
	out.add(l.rule.Render("╰" + strings.Repeat("─", w-2) + "╯"))
	for _, z := range in.zones {
		z.x, z.y = z.x+2, z.y+1
		out.zones = append(out.zones, z)
	}
	return out
}

// stripped is a drawn line without its colours.
func stripped(line string) string { return ansi.Strip(line) }

// cutLeft is a drawn line without its first cell.
func cutLeft(line string) string { return ansi.Cut(line, 1, max(1, lipgloss.Width(line))) }
