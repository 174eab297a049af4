package tui

import (
	"slices"
	"strings"

	"charm.land/lipgloss/v2"
	east "github.com/yuin/goldmark/extension/ast"
)

// columnLeast is the minimum average width of a column; if there is less space, rows are shown as
// lists of fields.
const columnLeast = 6

// table renders a table in columns, or as lists of fields if there is too little space.
func (p *page) table(n *east.Table, w int) []string {
	var rows [][][]workSpan
	for row := n.FirstChild(); row != nil; row = row.NextSibling() {
		weight := weight(0)
		if len(rows) == 0 {
			weight = bold
		}
		var cells [][]workSpan
		for cell := row.FirstChild(); cell != nil && len(cells) < len(n.Alignments); cell = cell.NextSibling() {
			cells = append(cells, p.inline(cell, weight))
		}
		rows = append(rows, cells)
	}
	columns := len(n.Alignments)
	room := w - 3*(columns-1)
	if room < columns*columnLeast {
		return p.fields(rows, w)
	}
	widths := columnWidths(rows, columns, room)
	var lines []string
	for i, row := range rows {
		lines = append(lines, p.row(row, widths, n.Alignments)...)
		if i == 0 {
			lines = append(lines, p.look.rule.Render(ruled(widths)))
		}
	}
	return lines
}

// columnWidths returns the width of each column: as wide as its content, with the widest columns
// shrunk until all fit into room.
func columnWidths(rows [][][]workSpan, columns, room int) []int {
	widths := make([]int, columns)
	for _, row := range rows {
		for i, cell := range row {
			widths[i] = max(widths[i], widthOf(cell))
		}
	}
	most := min(slices.Max(widths), room)
	for total(widths, most) > room {
		most--
	}
	for i := range widths {
		widths[i] = min(widths[i], most)
	}
	return widths
}

func total(widths []int, most int) (sum int) {
	for _, w := range widths {
		sum += min(w, most)
	}
	return sum
}

func ruled(widths []int) string {
	parts := make([]string, len(widths))
	for i, w := range widths {
		parts[i] = strings.Repeat("─", w)
	}
	return strings.Join(parts, "─┼─")
}

// row renders one row, with as many lines as its tallest cell needs.
func (p *page) row(cells [][]workSpan, widths []int, sides []east.Alignment) []string {
	columns, height := make([][]string, len(widths)), 1
	for i := range columns {
		if i < len(cells) {
			columns[i] = flow(cells[i], widths[i])
		}
		height = max(height, len(columns[i]))
	}
	lines := make([]string, height)
	for y := range lines {
		parts := make([]string, len(widths))
		for i, column := range columns {
			parts[i] = aligned(lineAt(column, y), widths[i], sides[i])
		}
		lines[y] = strings.Join(parts, p.look.rule.Render(" │ "))
	}
	return lines
}

func aligned(text string, w int, side east.Alignment) string {
	space := max(0, w-lipgloss.Width(text))
	left := 0
	switch side {
	case east.AlignRight:
		left = space
	case east.AlignCenter:
		left = space / 2
	}
	return strings.Repeat(" ", left) + text + strings.Repeat(" ", space-left)
}

// fields renders each cell below the header as a line with its column's name and the value.
func (p *page) fields(rows [][][]workSpan, w int) (lines []string) {
	for i, row := range rows[1:] {
		if i > 0 {
			lines = append(lines, "")
		}
		for c, cell := range row {
			line := append(slices.Clone(rows[0][c]), p.span(": ", bold))
			lines = append(lines, flow(append(line, cell...), w)...)
		}
	}
	return lines
}
