package tui

import (
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/yuin/goldmark/ast"
	east "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/util"

	"github.com/bullpen-office/bullpen/tui/model"
)

// weight is how a piece of text stands out.
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

// piece is a part of a line: of one weight, and a word, a gap or a break.
type piece struct {
	text   string
	weight weight
	width  int
	gap    bool // a line may end here
	ends   bool // a line does end here
}

// inline is what stands in a block, in pieces.
func (p *page) inline(parent ast.Node, w weight) (out []piece) {
	for n := parent.FirstChild(); n != nil; n = n.NextSibling() {
		switch n := n.(type) {
		case *ast.Text:
			out = append(out, pieces(p.plain(n.Value(p.source)), w)...)
			switch {
			case n.HardLineBreak():
				out = append(out, piece{ends: true})
			case n.SoftLineBreak():
				out = append(out, piece{text: " ", width: 1, weight: w, gap: true})
			}
		case *ast.String:
			out = append(out, pieces(p.plain(n.Value), w)...)
		case *ast.CodeSpan:
			out = append(out, p.verbatimPieces(n, w|code)...)
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
			out = append(out, pieces(model.Line(string(n.Label(p.source))), w|linked)...)
		case *ast.Image:
			out = append(out, pieces("[image] ", w|faint)...)
			out = append(out, p.inline(n, w|faint)...)
		case *ast.RawHTML:
			out = append(out, pieces(model.Plain(string(n.Segments.Value(p.source))), w|faint)...)
		case *east.TaskCheckBox:
			sign := "[ ] "
			if n.IsChecked {
				sign = "[✓] "
			}
			out = append(out, pieces(sign, w)...)
		default:
			out = append(out, p.inline(n, w)...)
		}
	}
	return out
}

// link is its text and, where that does not say it already, its address.
func (p *page) link(n *ast.Link, w weight) []piece {
	text := p.inline(n, w|linked)
	address := model.Line(string(n.Destination))
	said := ""
	for _, part := range text {
		said += part.text
	}
	if said == address || "mailto:"+said == address {
		return text
	}
	return append(text, pieces(" ("+address+")", w|faint)...)
}

func (p *page) verbatimPieces(n ast.Node, w weight) (out []piece) {
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		if t, ok := c.(*ast.Text); ok {
			out = append(out, pieces(model.Plain(string(t.Value(p.source))), w)...)
		}
	}
	return out
}

// plain resolves what Markdown writes in another way. A reference may stand for a
// control character: only afterwards the text is made plain.
func (p *page) plain(text []byte) string {
	return model.Plain(string(util.UnescapePunctuations(util.ResolveNumericReferences(util.ResolveEntityNames(text)))))
}

// pieces takes a text apart at its gaps.
func pieces(text string, w weight) (out []piece) {
	for text != "" {
		gap := strings.IndexAny(text, " \n\t")
		switch {
		case gap == 0:
			out, text = append(out, piece{text: " ", width: 1, weight: w, gap: true}), text[1:]
			continue
		case gap < 0:
			gap = len(text)
		}
		out = append(out, piece{text: text[:gap], width: ansi.StringWidth(text[:gap]), weight: w})
		text = text[gap:]
	}
	return out
}

// styled are the lines as the terminal gets them.
func (p *page) styled(lines [][]piece) []string {
	out := make([]string, len(lines))
	for i, line := range lines {
		for len(line) > 0 {
			run, n := line[0].text, 1
			for ; n < len(line) && line[n].weight == line[0].weight; n++ {
				run += line[n].text
			}
			out[i] += p.style(line[0].weight).Render(run)
			line = line[n:]
		}
	}
	return out
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
