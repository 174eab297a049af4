package tui

import (
	"strconv"
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/yuin/goldmark/ast"
	east "github.com/yuin/goldmark/extension/ast"

	"github.com/bullpen-office/bullpen/model"
)

// page renders a parsed Markdown document. All text goes through model.Plain, so that it cannot
// control the terminal.
type page struct {
	source []byte
	look   *look
}

const (
	pageDeep  = 12 // levels of nested lists and quotes that are shown
	roomLeast = 2  // minimum cells for text: a prefix that leaves fewer is dropped
)

// blocks renders all blocks of a node, separated by empty lines except in tight lists.
func (p *page) blocks(parent ast.Node, w, depth int) (lines []string) {
	if depth > pageDeep {
		return []string{p.look.soft.Render("…")}
	}
	for n := parent.FirstChild(); n != nil; n = n.NextSibling() {
		block := p.block(n, max(1, w), depth)
		if len(lines) > 0 && len(block) > 0 && !tight(n) {
			lines = append(lines, "")
		}
		lines = append(lines, block...)
	}
	return lines
}

// tight reports whether a node is an item of a tight list, or a block in such an item, so that no
// empty line precedes it.
func tight(n ast.Node) bool {
	item := n
	if item.Kind() != ast.KindListItem {
		item = n.Parent()
	}
	list, ok := item.Parent().(*ast.List)
	return ok && list.IsTight
}

func (p *page) block(n ast.Node, w, depth int) []string {
	switch n := n.(type) {
	case *ast.Heading:
		return p.heading(n, w)
	case *ast.FencedCodeBlock, *ast.CodeBlock:
		return p.verbatim(n, w, p.look.work)
	case *ast.HTMLBlock:
		return p.verbatim(n, w, p.look.soft)
	case *ast.ThematicBreak:
		return []string{p.look.rule.Render(strings.Repeat("─", w))}
	case *ast.Blockquote:
		return p.quote(n, w, depth)
	case *ast.List:
		return p.list(n, w, depth)
	case *east.Table:
		return p.table(n, w)
	}
	return flow(p.inline(n, 0), w)
}

func (p *page) quote(n *ast.Blockquote, w, depth int) []string {
	bar := fitting(p.look.rule.Render("│")+" ", w)
	return addPrefix(p.blocks(n, w-lipgloss.Width(bar), depth+1), bar, bar)
}

func (p *page) heading(n *ast.Heading, w int) []string {
	sign := ""
	if p.look.ascii { // a terminal without UTF-8 may not support bold text either
		sign = fitting(strings.Repeat("#", n.Level)+" ", w)
	}
	weight := bold
	if n.Level < 3 {
		weight |= hued
	}
	return addPrefix(flow(p.inline(n, weight), w-len(sign)), sign, strings.Repeat(" ", len(sign)))
}

// verbatim renders a node's lines as they are, indented; long lines are wrapped.
func (p *page) verbatim(n ast.Node, w int, style lipgloss.Style) (lines []string) {
	space := fitting("  ", w)
	for i := range n.Lines().Len() {
		at := n.Lines().At(i)
		text := strings.TrimRight(strings.ReplaceAll(model.Plain(string(at.Value(p.source))), "\t", "    "), "\n ")
		for part := range strings.SplitSeq(ansi.Hardwrap(text, w-len(space), true), "\n") {
			lines = append(lines, space+style.Render(part))
		}
	}
	return lines
}

func (p *page) list(n *ast.List, w, depth int) (lines []string) {
	number := n.Start
	for item := n.FirstChild(); item != nil; item = item.NextSibling() {
		sign := "• "
		if n.IsOrdered() {
			sign = strconv.Itoa(number) + string(n.Marker) + " "
			number++
		}
		if len(lines) > 0 && !n.IsTight {
			lines = append(lines, "")
		}
		sign = fitting(sign, w)
		wide := lipgloss.Width(sign)
		text := p.blocks(item, w-wide, depth+1)
		if len(text) == 0 {
			text = []string{""}
		}
		lines = append(lines, addPrefix(text, sign, strings.Repeat(" ", wide))...)
	}
	return lines
}

// fitting returns the prefix in sign, or "" if that prefix would leave too little space for text.
func fitting(sign string, w int) string {
	if w-lipgloss.Width(sign) < roomLeast {
		return ""
	}
	return sign
}

// addPrefix adds the prefix in first to the first line, and the prefix in others to the remaining
// lines.
func addPrefix(lines []string, first, others string) []string {
	out := make([]string, len(lines))
	for i, line := range lines {
		if out[i] = others + line; i == 0 {
			out[i] = first + line
		}
	}
	return out
}
