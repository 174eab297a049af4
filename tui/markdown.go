package tui

import (
	"fmt"
	"strings"

	"charm.land/glamour/v2"
	styles "charm.land/glamour/v2/styles"
	"github.com/charmbracelet/x/ansi"

	"github.com/bullpen-office/bullpen/contracts"
)

const (
	markdownMost = 256 << 10 // bytes that are laid out as Markdown; more is shown as plain text
	readWidth    = 96        // longer lines are hard to read
	diffMost     = 3000      // lines of a version that is compared
)

// contentLines shows a text as what it is.
func (a *app) contentLines(art *contracts.Artifact, text string, w int) []string {
	if isMarkdown(art) && len(text) <= markdownMost {
		if lines := a.markdown(text, min(w-2, readWidth)); lines != nil {
			return lines
		}
	}
	return indent(strings.Split(ansi.Hardwrap(text, max(1, w-3), true), "\n"))
}

func isMarkdown(art *contracts.Artifact) bool {
	mime, _, _ := strings.Cut(art.MIME, ";")
	return mime == "text/markdown" || mime == "text/x-markdown" || mime == "" && art.Type != "code"
}

// markdown lays Markdown out; nil when that is not possible, whatever the text did.
func (a *app) markdown(text string, w int) (lines []string) {
	defer func() {
		if recover() != nil { // a text of strangers must not end the program
			lines = nil
		}
	}()
	style := styles.LightStyleConfig
	if a.look.dark {
		style = styles.DarkStyleConfig
	}
	if a.look.ascii {
		style = styles.ASCIIStyleConfig
	}
	if !a.look.ascii { // bold and colour say it already
		style.H1.Prefix, style.H1.Suffix, style.H1.BackgroundColor, style.H1.Color = "", "", nil, &a.look.headHue
		style.H2.Prefix, style.H3.Prefix, style.H4.Prefix, style.H5.Prefix, style.H6.Prefix = "", "", "", "", ""
		style.Heading.Color, style.Code.Color, style.Code.BackgroundColor = &a.look.headHue, &a.look.codeHue, nil
	}
	one := uint(1)
	style.Document.Margin = &one
	style.Document.BlockPrefix, style.Document.BlockSuffix = "", ""
	style.Document.Color = nil
	renderer, err := glamour.NewTermRenderer(glamour.WithStyles(style), glamour.WithWordWrap(w))
	if err != nil {
		return nil
	}
	out, err := renderer.Render(text)
	if err != nil {
		return nil
	}
	lines = strings.Split(strings.Trim(out, "\n"), "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return lines
}

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
