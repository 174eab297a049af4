package tui

import (
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/bullpen-office/bullpen/model"
)

// workSpan is text in one style. The text is safe: it has been through model.Plain.
type workSpan struct {
	text  string
	style lipgloss.Style
}

func widthOf(spans []workSpan) (w int) {
	for _, s := range spans {
		w += lipgloss.Width(s.text)
	}
	return w
}

// wrappedLine is one line of wrapped text. hard means that the line continues a word that was too
// long.
type wrappedLine struct {
	spans []workSpan
	hard  bool
}

// wrapSpans breaks spans into lines of at most w cells, between words. Only a word wider
// than a line is broken. Whitespace at a break is dropped; everything else is kept.
func wrapSpans(spans []workSpan, w int) []wrappedLine {
	if widthOf(spans) <= w {
		return []wrappedLine{{spans: spans}}
	}
	parts := make([]spanPart, len(spans))
	for i, s := range spans {
		parts[i] = spanPart{s, i}
	}
	f := lineFiller{w: max(1, w), lines: []wrappedLine{{}}, last: -1}
	for len(parts) > 0 {
		var word []spanPart
		space := false
		word, space, parts = nextToken(parts)
		if space {
			f.space(word)
		} else {
			f.word(word)
		}
	}
	return f.lines
}

// spanPart is a piece of a span; wrapping divides spans into pieces.
type spanPart struct {
	workSpan
	of int // index of the span
}

// nextToken splits off the first token: a word, which may have several styles, or a run of spaces.
func nextToken(spans []spanPart) (token []spanPart, space bool, rest []spanPart) {
	for len(spans) > 0 && spans[0].text == "" {
		spans = spans[1:]
	}
	if len(spans) == 0 {
		return nil, false, nil
	}
	space = spans[0].text[0] == ' '
	for len(spans) > 0 {
		s := spans[0]
		n := strings.IndexByte(s.text, ' ')
		if space {
			n = strings.IndexFunc(s.text, func(r rune) bool { return r != ' ' })
		}
		if n == 0 {
			break
		}
		if n < 0 {
			token, spans = append(token, s), spans[1:]
			continue
		}
		token = append(token, s.slice(0, n))
		spans[0] = s.slice(n, len(s.text))
		break
	}
	return token, space, spans
}

func (p spanPart) slice(from, to int) spanPart {
	p.text = p.text[from:to]
	return p
}

// lineFiller fills lines of at most w cells with words.
type lineFiller struct {
	w, x  int
	lines []wrappedLine
	last  int // index of the span at the end of the line; -1 if the line is empty
}

func (f *lineFiller) put(p spanPart) {
	line := &f.lines[len(f.lines)-1]
	f.x += lipgloss.Width(p.text)
	if p.of == f.last {
		line.spans[len(line.spans)-1].text += p.text
		return
	}
	line.spans, f.last = append(line.spans, p.workSpan), p.of
}

// next starts a new line. Unless hard is set, it drops the spaces at the end of the old one.
func (f *lineFiller) next(hard bool) {
	line := &f.lines[len(f.lines)-1]
	for n := len(line.spans) - 1; n >= 0 && !hard; n-- {
		text := strings.TrimRight(line.spans[n].text, " ")
		if line.spans[n].text = text; text != "" {
			break
		}
		line.spans = line.spans[:n]
	}
	f.lines, f.x, f.last = append(f.lines, wrappedLine{hard: hard}), 0, -1
}

func (f *lineFiller) space(run []spanPart) {
	for _, s := range run {
		room := f.w - f.x
		if len(s.text) > room { // the next word starts a new line
			s.text = s.text[:max(0, room)]
		}
		if s.text != "" {
			f.put(s)
		}
	}
}

func (f *lineFiller) word(word []spanPart) {
	wide := 0
	for _, s := range word {
		wide += lipgloss.Width(s.text)
	}
	if f.x > 0 && f.x+wide > f.w && (wide <= f.w || f.x*2 > f.w) {
		f.next(false)
	}
	for _, s := range word {
		for s.text != "" {
			head := headOf(s.text, f.w-f.x, f.x == 0)
			if head != "" {
				f.put(s.slice(0, len(head)))
			}
			if s.text = s.text[len(head):]; s.text != "" {
				f.next(true)
			}
		}
	}
}

// headOf returns as much of the beginning of text as fits into w cells. If empty is set, the line is
// empty, and headOf returns at least one character.
func headOf(text string, w int, empty bool) string {
	n, used := 0, 0
	for n < len(text) {
		_, width, size, _ := ansi.GraphemeWidth.DecodeSequenceInString(text[n:], 0, nil)
		if used+width > w && !(empty && n == 0) {
			break
		}
		n, used = n+size, used+width
	}
	return text[:n]
}

// render returns the text of the spans with their styles.
func render(spans []workSpan) string {
	var b strings.Builder
	for _, s := range spans {
		b.WriteString(s.style.Render(s.text))
	}
	return b.String()
}

// plainSpans makes untrusted text safe and returns it as one span.
func plainSpans(text string, style lipgloss.Style) []workSpan {
	return []workSpan{{model.Plain(text), style}}
}
