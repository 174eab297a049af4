package tui

import (
	"slices"
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/yuin/goldmark/ast"
	east "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/util"

	"github.com/bullpen-office/bullpen/model"
)

// weight is the emphasis of a piece of text, as a set of bits.
type weight uint8

const (
	bold weight = 1 << iota
	italic
	struck
	code
	faint
	linked
	hued
)

// lineBreak is the text of a span that ends a line.
const lineBreak = "\n"

// inline returns the text of a block as spans.
func (p *page) inline(parent ast.Node, w weight) (out []workSpan) {
	for n := parent.FirstChild(); n != nil; n = n.NextSibling() {
		switch n := n.(type) {
		case *ast.Text:
			out = append(out, p.span(p.plain(n.Value(p.source)), w))
			switch {
			case n.HardLineBreak():
				out = append(out, workSpan{text: lineBreak})
			case n.SoftLineBreak():
				out = append(out, p.span(" ", w))
			}
		case *ast.String:
			out = append(out, p.span(p.plain(n.Value), w))
		case *ast.CodeSpan:
			out = append(out, p.verbatimSpans(n, w|code)...)
		case *ast.Emphasis:
			if n.Level > 1 {
				out = append(out, p.inline(n, w|bold)...)
			} else {
				out = append(out, p.inline(n, w|italic)...)
			}
		case *east.Strikethrough:
			out = append(out, p.inline(n, w|struck)...)
		case *ast.Link:
			out = append(out, p.link(n, w)...)
		case *ast.AutoLink:
			out = append(out, p.span(model.Line(string(n.Label(p.source))), w|linked))
		case *ast.Image:
			out = append(out, p.span("[image] ", w|faint))
			out = append(out, p.inline(n, w|faint)...)
		case *ast.RawHTML:
			out = append(out, p.span(model.Plain(string(n.Segments.Value(p.source))), w|faint))
		case *east.TaskCheckBox:
			sign := "[ ] "
			if n.IsChecked {
				sign = "[✓] "
			}
			out = append(out, p.span(sign, w))
		default:
			out = append(out, p.inline(n, w)...)
		}
	}
	return out
}

// link returns a link's text, followed by its address unless the text is the address.
func (p *page) link(n *ast.Link, w weight) []workSpan {
	text := p.inline(n, w|linked)
	address := model.Line(string(n.Destination))
	said := ""
	for _, part := range text {
		said += part.text
	}
	if said == address || "mailto:"+said == address {
		return text
	}
	return append(text, p.span(" ("+address+")", w|faint))
}

func (p *page) verbatimSpans(n ast.Node, w weight) (out []workSpan) {
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		if t, ok := c.(*ast.Text); ok {
			out = append(out, p.span(model.Plain(string(t.Value(p.source))), w))
		}
	}
	return out
}

// plain resolves escapes and entities. An entity may represent a control character, so model.Plain
// is applied afterwards.
func (p *page) plain(text []byte) string {
	return model.Plain(string(util.UnescapePunctuations(util.ResolveNumericReferences(util.ResolveEntityNames(text)))))
}

// gaps replaces line breaks and tabs with spaces.
var gaps = strings.NewReplacer("\n", " ", "\t", " ")

func (p *page) span(text string, w weight) workSpan {
	return workSpan{gaps.Replace(text), p.style(w)}
}

// flow breaks spans into styled lines of at most w cells, between words where possible.
func flow(spans []workSpan, w int) (lines []string) {
	for len(spans) > 0 {
		end := slices.IndexFunc(spans, func(s workSpan) bool { return s.text == lineBreak })
		if end < 0 {
			end = len(spans)
		}
		for _, line := range wrapSpans(spans[:end], max(1, w)) {
			lines = append(lines, render(line.spans))
		}
		spans = spans[min(end+1, len(spans)):]
	}
	return lines
}

func (p *page) style(w weight) lipgloss.Style {
	s := p.look.plain
	switch {
	case w&hued != 0:
		s = p.look.title
	case w&code != 0:
		s = p.look.work
	case w&faint != 0:
		s = p.look.soft
	case w&linked != 0:
		s = p.look.info
	}
	return s.Bold(w&bold != 0).Italic(w&italic != 0).Strikethrough(w&struck != 0)
}
