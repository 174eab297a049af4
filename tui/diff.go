package tui

import (
	"fmt"
	"strings"

	"github.com/charmbracelet/x/ansi"
)

const diffMost = 3000 // lines of a version that is compared

// diffLines is what changed from one text to the next, line by line.
func (a *app) diffLines(before, after string, w int) []string {
	x, y := strings.Split(before, "\n"), strings.Split(after, "\n")
	if len(x) > diffMost || len(y) > diffMost {
		return []string{a.look.soft.Render(fmt.Sprintf(" Too long to compare here (%d and %d lines); the browser can.", len(x), len(y)))}
	}
	var out []string
	put := func(sign, line string) {
		style := a.look.soft
		switch sign {
		case "+":
			style = a.look.good
		case "-":
			style = a.look.bad
		}
		for _, part := range strings.Split(ansi.Hardwrap(line, max(1, w-4), true), "\n") {
			out = append(out, style.Render(" "+sign+" "+part))
		}
	}
	common := longest(x, y)
	i, j := 0, 0
	for i < len(x) || j < len(y) {
		switch {
		case i < len(x) && j < len(y) && x[i] == y[j]:
			put(" ", x[i])
			i, j = i+1, j+1
		case j == len(y) || i < len(x) && common[i+1][j] >= common[i][j+1]:
			put("-", x[i])
			i++
		default:
			put("+", y[j])
			j++
		}
	}
	return out
}

// longest is, for each pair of ends, how many lines they have in common in order.
func longest(x, y []string) [][]uint16 {
	common := make([][]uint16, len(x)+1)
	for i := range common {
		common[i] = make([]uint16, len(y)+1)
	}
	for i := len(x) - 1; i >= 0; i-- {
		for j := len(y) - 1; j >= 0; j-- {
			if x[i] == y[j] {
				common[i][j] = common[i+1][j+1] + 1
			} else {
				common[i][j] = max(common[i+1][j], common[i][j+1])
			}
		}
	}
	return common
}
