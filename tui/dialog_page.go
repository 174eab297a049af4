package tui

import (
	tea "charm.land/bubbletea/v2"
)

const pageWidth = 78

// pageDialog shows text of any length. Movement keys scroll it; any other key closes it, unless the
// opens function handles that key.
type pageDialog struct {
	app   *app
	title string
	lines func(w int) []string
	opens func(key string) (cmd tea.Cmd, used bool) // handles other keys; may be nil
	top   int
}

func (d *pageDialog) key(msg tea.KeyPressMsg) tea.Cmd {
	if by := step(msg.String(), 8); by != 0 {
		d.scroll(by)
		return nil
	}
	if d.opens != nil {
		if cmd, used := d.opens(msg.String()); used {
			return cmd
		}
	}
	d.app.dialog = nil
	return nil
}

func (d *pageDialog) scroll(by int) { d.top += by }

func (d *pageDialog) draw(w, h int) block {
	w = min(w-4, pageWidth)
	b := block{lines: d.lines(w - 4)}
	room := min(len(b.lines), h-4)
	d.top = max(0, min(d.top, len(b.lines)-room))
	title := d.title
	if room < len(b.lines) {
		title += " (↑ ↓ show the rest)"
	}
	return d.app.look.box(title, b.from(d.top), w, room+2)
}
