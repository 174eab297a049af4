package work

import (
	"regexp"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"
)

// Output is a command's output: plain text, with the styles listed separately.
type Output struct {
	Name string `json:"name"` // stdout or stderr
	Text string `json:"text"`
	Runs []Run  `json:"-"`
}

// Run is a part of a line in one style, given as the SGR parameters that the office keeps. Line
// counts from 0; From and To count code points.
type Run struct {
	Line, From, To int
	SGR            string
}

// Span is text in one style.
type Span struct {
	Text  string
	Style Style
}

var (
	runForm = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(\d{1,9}):(\d{1,9})-(\d{1,9})=([0-9;]{1,64})$`) })
	sgrForm = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^(?:[123479]|[34][0-7]|9[0-7]|10[0-7]|[34]8;5;\d{1,3}|[34]8;2;\d{1,3};\d{1,3};\d{1,3})$`)
	})
)

// runsOf parses the styles of text. It ignores runs that are invalid or outside the text.
func runsOf(styles, text string) (runs []Run) {
	if styles == "" {
		return nil
	}
	var wide []int // number of code points in each line
	for line := range strings.SplitSeq(text, "\n") {
		wide = append(wide, utf8.RuneCountInString(line))
	}
	for one := range strings.SplitSeq(styles, " ") {
		m := runForm().FindStringSubmatch(one)
		if m == nil {
			continue
		}
		r := Run{number(m[1]), number(m[2]), number(m[3]), m[4]}
		if _, ok := styleOf(r.SGR); ok && r.Line < len(wide) && r.From < r.To && r.To <= wide[r.Line] {
			runs = append(runs, r)
		}
	}
	return runs
}

// Lines returns the output as styled lines. A newline at the end does not add an empty line.
func (o Output) Lines() [][]Span {
	texts := strings.Split(strings.TrimSuffix(o.Text, "\n"), "\n")
	lines := make([][]Span, len(texts))
	byLine := map[int][]Run{}
	for _, r := range o.Runs {
		byLine[r.Line] = append(byLine[r.Line], r)
	}
	for i, text := range texts {
		lines[i] = spansOf(text, byLine[i])
	}
	return lines
}

// spansOf splits a line where its style changes. A later run overrides an earlier one.
func spansOf(text string, runs []Run) (spans []Span) {
	if len(runs) == 0 {
		return []Span{{Text: text}}
	}
	letters := []rune(text)
	styles := make([]Style, len(letters))
	for _, r := range runs {
		s, _ := styleOf(r.SGR)
		for i := r.From; i < r.To && i < len(letters); i++ {
			styles[i] = s
		}
	}
	for from := 0; from < len(letters); {
		to := from + 1
		for to < len(letters) && styles[to] == styles[from] {
			to++
		}
		spans = append(spans, Span{string(letters[from:to]), styles[from]})
		from = to
	}
	return spans
}

// Colour is a colour in terminal output. The zero value is the default colour.
type Colour struct {
	Kind    ColourKind
	Index   uint8 // set if Kind is Palette
	R, G, B uint8 // set if Kind is True
}

// ColourKind is how a colour is specified.
type ColourKind uint8

// The kinds of colour.
const (
	Default ColourKind = iota
	Palette            // one of 256 colours; the first 16 are the terminal's own
	True               // red, green, blue
)

// Style defines how a piece of output looks.
type Style struct {
	Fg, Bg                                          Colour
	Bold, Faint, Italic, Underline, Strike, Reverse bool
}

// styleOf parses SGR parameters; ok is false if the office does not keep all of them.
func styleOf(sgr string) (s Style, ok bool) {
	p := strings.Split(sgr, ";")
	for len(p) > 0 {
		n := 1
		if p[0] == "38" || p[0] == "48" {
			n = 3
			if len(p) > 1 && p[1] == "2" {
				n = 5
			}
		}
		if n > len(p) || !sgrForm().MatchString(strings.Join(p[:n], ";")) || !s.set(p[:n]) {
			return Style{}, false
		}
		p = p[n:]
	}
	return s, true
}

// set applies one SGR parameter, or the three or five parameters of an extended colour. It returns
// false if a number is above 255.
func (s *Style) set(p []string) bool {
	list := make([]int, len(p))
	for i := range p {
		list[i], _ = strconv.Atoi(p[i]) // the pattern allows only digits
	}
	c := Colour{}
	for _, part := range list[1:] {
		if part > 255 {
			return false
		}
	}
	switch len(list) {
	case 3:
		c = Colour{Kind: Palette, Index: uint8(list[2])}
	case 5:
		c = Colour{Kind: True, R: uint8(list[2]), G: uint8(list[3]), B: uint8(list[4])}
	}
	switch n := list[0]; {
	case n == 38:
		s.Fg = c
	case n == 48:
		s.Bg = c
	case n >= 100:
		s.Bg = Colour{Kind: Palette, Index: uint8(n - 100 + 8)}
	case n >= 90:
		s.Fg = Colour{Kind: Palette, Index: uint8(n - 90 + 8)}
	case n >= 40:
		s.Bg = Colour{Kind: Palette, Index: uint8(n - 40)}
	case n >= 30:
		s.Fg = Colour{Kind: Palette, Index: uint8(n - 30)}
	default:
		*s = withAttribute(*s, n)
	}
	return true
}

func withAttribute(s Style, n int) Style {
	switch n {
	case 1:
		s.Bold = true
	case 2:
		s.Faint = true
	case 3:
		s.Italic = true
	case 4:
		s.Underline = true
	case 7:
		s.Reverse = true
	case 9:
		s.Strike = true
	}
	return s
}
