package tui

import (
	"fmt"

	"charm.land/lipgloss/v2"

	"github.com/bullpen-office/bullpen/hud/work"
)

// The brightness limits for readable colours on a dark or light background.
const (
	tooDark  = 60
	tooLight = 200
)

// output converts a style in a program's output for this terminal: a colour that is hard to read on
// the background is replaced with the soft style, and text in the same colour as its background
// gets the default colours.
func (l *look) output(s work.Style) lipgloss.Style {
	style := lipgloss.NewStyle().Bold(s.Bold).Faint(s.Faint).Italic(s.Italic).Underline(s.Underline).Strikethrough(s.Strike).Reverse(s.Reverse)
	if s.Bg != (work.Colour{}) && s.Bg != s.Fg {
		style = style.Background(lipgloss.Color(colourName(s.Bg)))
		if s.Fg != (work.Colour{}) {
			style = style.Foreground(lipgloss.Color(colourName(s.Fg)))
		}
		return style
	}
	switch light := brightness(s.Fg); {
	case s.Fg == (work.Colour{}), s.Bg == s.Fg:
	case l.dark && light < tooDark, !l.dark && light > tooLight:
		style = style.Inherit(l.soft)
	default:
		style = style.Foreground(lipgloss.Color(colourName(s.Fg)))
	}
	return style
}

func colourName(c work.Colour) string {
	if c.Kind == work.True {
		return fmt.Sprintf("#%02x%02x%02x", c.R, c.G, c.B)
	}
	return itoa(int(c.Index))
}

// brightness returns a colour's brightness, 0 to 255. For basic colours other than black and white,
// it returns a value that counts as readable, because the terminal's theme makes them readable.
func brightness(c work.Colour) int {
	weigh := func(r, g, b int) int { return (299*r + 587*g + 114*b) / 1000 }
	i := int(c.Index)
	switch {
	case c.Kind == work.True:
		return weigh(int(c.R), int(c.G), int(c.B))
	case i == 0:
		return 0
	case i == 15 || i == 7:
		return 255
	case i < 16:
		return (tooDark + tooLight) / 2
	case i < 232:
		steps := []int{0, 95, 135, 175, 215, 255}
		i -= 16
		return weigh(steps[i/36], steps[i/6%6], steps[i%6])
	}
	return 8 + 10*(i-232)
}
