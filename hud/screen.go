package hud

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/bullpen-office/bullpen/contracts"
)

// Screen returns the text that a terminal would show for a program's output, and the text's styles
// (contracts/vectors/README.md). Carriage returns, backspaces, cursor movement and erasing act on
// the last LimitScreenRows lines. Styles are kept up to LimitOutputStyles bytes. All other escape
// sequences are dropped.
func Screen(raw string) (text, styles string) {
	if !strings.ContainsFunc(raw, isControl) {
		return raw, ""
	}
	s := screen{rows: [][]cell{nil}, styles: []string{""}, pad: contracts.LimitScreenPad}
	s.text.Grow(len(raw))
	for len(raw) > 0 {
		raw = s.next(raw)
	}
	for len(s.rows) > 0 {
		s.flush()
	}
	return s.text.String(), s.runs.String()
}

// output is like Screen, but redacts the text. Lines that redaction changes lose their styles, because
// their columns shift.
func output(raw string) (text, styles string) {
	text, styles = Screen(raw)
	if styles == "" {
		return text, ""
	}
	before := strings.Split(text, "\n")
	text = Redact(contracts.CleanText(text))
	after := strings.Split(text, "\n")
	if len(before) != len(after) {
		return text, ""
	}
	kept := slices.DeleteFunc(strings.Fields(styles), func(run string) bool {
		line, _, _ := strings.Cut(run, ":")
		n, _ := strconv.Atoi(line) // cannot fail: Screen wrote the number
		return before[n] != after[n]
	})
	return text, strings.Join(kept, " ")
}

// isControl reports whether a terminal acts on a character instead of showing it.
func isControl(r rune) bool {
	return r < ' ' && r != '\n' && r != '\t' || r >= 0x7f && r < 0xa0
}

type cell struct {
	char  rune
	style int // index into screen.styles
}

type screen struct {
	rows     [][]cell
	row, col int
	style    int
	pen      pen
	styles   []string // all styles so far, as codes
	pad      int      // spaces that cursor movement may still add
	line     int      // lines already written to the output
	text     strings.Builder
	runs     strings.Builder
}

// next consumes one character or one escape sequence and returns the rest of the input.
func (s *screen) next(raw string) string {
	r, size := utf8.DecodeRuneInString(raw)
	rest := raw[size:]
	switch {
	case r == utf8.RuneError && size == 1:
	case r == '\n':
		s.down()
		s.col = 0
	case r == '\r':
		s.col = 0
	case r == '\b':
		s.col = max(s.col-1, 0)
	case r == 0x1b:
		return s.escape(rest)
	case r == 0x9b:
		return s.control(rest)
	case r == 0x9d || r == 0x90 || r == 0x98 || r == 0x9e || r == 0x9f:
		return afterString(rest)
	case isControl(r):
	default:
		s.put(r)
	}
	return rest
}

// escape consumes the sequence after an ESC and returns the rest of the input.
func (s *screen) escape(raw string) string {
	if raw == "" {
		return raw
	}
	switch c := raw[0]; {
	case c == '[':
		return s.control(raw[1:])
	case strings.IndexByte("]PX^_", c) >= 0:
		return afterString(raw[1:])
	}
	n := 0
	for n < len(raw) && raw[n] >= 0x20 && raw[n] <= 0x2f {
		n++
	}
	if n < len(raw) && raw[n] >= 0x30 && raw[n] <= 0x7e {
		n++
	}
	return raw[n:]
}

// afterString returns the rest of the input after a string sequence, such as a window title or a
// link. An unterminated sequence ends at the end of the line, so that it cannot hide later lines.
func afterString(raw string) string {
	for i, r := range raw {
		switch r {
		case '\a', 0x9c:
			return raw[i+utf8.RuneLen(r):]
		case 0x1b:
			return strings.TrimPrefix(raw[i:], "\x1b\\")
		case '\n':
			return raw[i:]
		}
	}
	return ""
}

// control consumes a control sequence (parameters, intermediates, final byte) and returns the rest
// of the input.
func (s *screen) control(raw string) string {
	n := 0
	for n < len(raw) && raw[n] >= 0x30 && raw[n] <= 0x3f {
		n++
	}
	params := raw[:n]
	for n < len(raw) && raw[n] >= 0x20 && raw[n] <= 0x2f {
		n++
	}
	if n >= len(raw) || raw[n] < 0x40 || raw[n] > 0x7e {
		return raw[n:]
	}
	private := params != "" && params[0] >= '<' || n > len(params)
	if !private {
		s.applyControl(raw[n], params)
	}
	return raw[n+1:]
}

func (s *screen) applyControl(final byte, params string) {
	list := strings.Split(params, ";")
	arg := func(i, missing int) int {
		if i >= len(list) {
			return missing
		}
		n, err := strconv.Atoi(list[i])
		if err != nil || n < 0 {
			return missing
		}
		return min(n, contracts.LimitScreenPad)
	}
	switch step := max(arg(0, 1), 1); final {
	case 'm':
		s.pen.set(list)
		s.style = s.styleOf(s.pen.codes())
	case 'A', 'F':
		s.row = max(s.row-step, 0)
	case 'B', 'E':
		for range min(step, len(s.rows)-s.row) {
			s.down()
		}
	case 'C':
		s.col += step
	case 'D':
		s.col = max(s.col-step, 0)
	case 'G', '`':
		s.col = step - 1
	case 'H', 'f':
		s.row, s.col = min(step-1, len(s.rows)-1), max(arg(1, 1), 1)-1
	case 'J':
		s.eraseScreen(arg(0, 0))
	case 'K':
		s.eraseLine(arg(0, 0))
	case 'X':
		s.blank(s.col, s.col+step)
	}
	if final == 'E' || final == 'F' {
		s.col = 0
	}
}

func (s *screen) put(r rune) {
	row := s.rows[s.row]
	if gap := s.col - len(row); gap > 0 {
		if gap > s.pad {
			gap, s.col = 0, len(row)
		}
		s.pad -= gap
		row = append(row, slices.Repeat([]cell{{char: ' '}}, gap)...)
	}
	if s.col == len(row) {
		row = append(row, cell{})
	}
	row[s.col] = cell{r, s.style}
	s.rows[s.row] = row
	s.col++
}

// down moves to the next line, and adds a line if needed.
func (s *screen) down() {
	s.row++
	if s.row == len(s.rows) {
		s.rows = append(s.rows, nil)
	}
	if len(s.rows) > contracts.LimitScreenRows {
		s.flush()
		s.row--
	}
}

func (s *screen) eraseLine(what int) {
	switch row := s.rows[s.row]; what {
	case 0:
		s.rows[s.row] = row[:min(s.col, len(row))]
	case 1:
		s.blank(0, s.col+1)
	case 2:
		s.rows[s.row] = nil
	}
}

func (s *screen) eraseScreen(what int) {
	switch what {
	case 0:
		s.rows = s.rows[:s.row+1]
		s.eraseLine(0)
	case 1:
		clear(s.rows[:s.row])
		s.eraseLine(1)
	case 2, 3:
		s.rows, s.row, s.col = [][]cell{nil}, 0, 0
	}
}

func (s *screen) blank(from, to int) {
	row := s.rows[s.row]
	for i := from; i < min(to, len(row)); i++ {
		row[i] = cell{char: ' '}
	}
}

// flush writes the first line to the output; after that, the line can no longer change.
func (s *screen) flush() {
	row := s.rows[0]
	s.rows = s.rows[1:]
	if s.line > 0 {
		s.text.WriteByte('\n')
	}
	for from := 0; from < len(row); {
		to := from
		for to < len(row) && row[to].style == row[from].style {
			s.text.WriteRune(row[to].char)
			to++
		}
		s.writeRun(from, to, s.styles[row[from].style])
		from = to
	}
	s.line++
}

func (s *screen) writeRun(from, to int, codes string) {
	if codes == "" || s.runs.Len()+len(codes)+32 > contracts.LimitOutputStyles {
		return
	}
	if s.runs.Len() > 0 {
		s.runs.WriteByte(' ')
	}
	s.runs.WriteString(strconv.Itoa(s.line) + ":" + strconv.Itoa(from) + "-" + strconv.Itoa(to) + "=" + codes)
}

// styleOf returns the index of a style, and adds the style if needed. If there are already
// LimitScreenStyles styles, it returns 0, the default style.
func (s *screen) styleOf(codes string) int {
	if i := slices.Index(s.styles, codes); i >= 0 {
		return i
	}
	if len(s.styles) >= contracts.LimitScreenStyles {
		return 0
	}
	s.styles = append(s.styles, codes)
	return len(s.styles) - 1
}
