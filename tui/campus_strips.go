package tui

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/model"
)

const (
	stripsLeast    = 2  // number of lines that the strips can always use
	stripName      = 20 // maximum width of a name
	stripNameShort = 12 // maximum width of a name if there are signs instead of words
	stripEdge      = 2  // cells before the name: the mark of the selected part and the swatch
	stripGap       = 2
)

// strip is the summary of one part of the campus.
type strip struct {
	id, name, counts string
	accent           lipgloss.Style
	needing          int
}

// drawStrips draws a clickable strip for every part of the campus in at most the given number of
// lines: with words if there is space, otherwise with signs. Parts that do not fit are counted.
// While there is only the house, it draws nothing.
func (a *app) drawStrips(w, most int) block {
	parts := a.office.Parts()
	if len(parts) < 2 {
		return block{}
	}
	shown := a.shownPart(parts)
	grid := newStripGrid(a.strips(parts, model.Tally.Words), stripName, w)
	if grid.lines() > most {
		grid = newStripGrid(a.strips(parts, a.look.tallySigns), stripNameShort, w)
	}
	if grid.lines() <= most {
		return a.drawStripGrid(&grid, 0, grid.lines(), shown)
	}
	rows := list{at: shown / grid.columns}
	from, to := rows.window(grid.lines(), most-1)
	b := a.drawStripGrid(&grid, from, to, shown)
	hidden, needing := 0, 0
	for i, s := range grid.strips {
		if line := i / grid.columns; line < from || line >= to {
			hidden++
			needing += s.needing
		}
	}
	more := a.look.soft.Render(fmt.Sprintf("  and %d more", hidden))
	if needing > 0 {
		more += a.look.soft.Render(" · ") + a.look.need.Render(model.Tally{Needing: needing}.Words())
	}
	b.add(clip(more, w))
	return b
}

// strips returns the strips of all parts; counts returns the text for a tally.
func (a *app) strips(parts []model.Part, counts func(model.Tally) string) []strip {
	tallies := a.office.Rows().Tallies()
	list := make([]strip, len(parts))
	for i, p := range parts {
		t := tallies[p.ID]
		list[i] = strip{p.ID, model.Line(p.Label), counts(t), a.look.accents[p.Accent], t.Needing}
		if p.ID == contracts.GardenScene {
			list[i].counts, list[i].accent = a.gardenWords(parts, i), a.look.plant
		}
		if list[i].counts == "" {
			list[i].counts = "–"
		}
	}
	return list
}

// gardenWords returns the number of people in the garden as text, or "" if no one is there. The
// garden is part i.
func (a *app) gardenWords(parts []model.Part, i int) string {
	n := 0
	for _, p := range a.allAgents() {
		if !model.Away(&p) && model.PartAt(parts, a.office.Where(&p).Pos) == i {
			n++
		}
	}
	if n == 0 {
		return ""
	}
	return contracts.SayPeople.Of(n)
}

// tallySigns is like Tally.Words, with the signs of the floor map instead of words.
func (l *look) tallySigns(t model.Tally) string {
	var parts []string
	add := func(n int, sign string) {
		if n > 0 {
			parts = append(parts, sign+itoa(n))
		}
	}
	add(t.Working, "●")
	add(t.Waiting, "◌")
	add(t.Needing, "!")
	if len(parts) == 0 {
		add(t.Free, "○")
	}
	return strings.Join(parts, " ")
}

// stripGrid lays strips out in columns of the same width, row by row.
type stripGrid struct {
	strips       []strip
	name, counts int // widths
	columns      int
}

func newStripGrid(strips []strip, nameMost, w int) stripGrid {
	g := stripGrid{strips: strips}
	for _, s := range strips {
		g.name = max(g.name, min(nameMost, lipgloss.Width(s.name)))
		g.counts = max(g.counts, lipgloss.Width(s.counts))
	}
	g.name = max(1, min(g.name, w-stripEdge-1-g.counts))
	g.columns = max(1, (w+stripGap)/(g.width()+stripGap))
	return g
}

func (g *stripGrid) width() int { return stripEdge + g.name + 1 + g.counts }

func (g *stripGrid) lines() int { return (len(g.strips) + g.columns - 1) / g.columns }

// drawStripGrid draws some lines of a grid; shown is the index of the part on the floor map.
func (a *app) drawStripGrid(g *stripGrid, from, to, shown int) block {
	var b block
	for y := from; y < to; y++ {
		line := ""
		for x := range g.columns {
			i := y*g.columns + x
			if i >= len(g.strips) {
				break
			}
			s := &g.strips[i]
			b.zones = append(b.zones, zone{x * (g.width() + stripGap), len(b.lines), g.width(), 1, func() tea.Cmd { a.showPart(s.id); return nil }})
			line += pad(a.stripCell(g, s, i == shown), g.width()+stripGap)
		}
		b.add(line)
	}
	return b
}

func (a *app) stripCell(g *stripGrid, s *strip, shown bool) string {
	name := pad(s.name, g.name)
	counts := a.look.soft.Render(s.counts)
	if s.needing > 0 {
		counts = a.look.need.Render(s.counts)
	}
	if shown {
		return "›" + s.accent.Render("▌") + a.look.picked.Render(name) + " " + counts
	}
	return " " + s.accent.Render("▌") + name + " " + counts
}
