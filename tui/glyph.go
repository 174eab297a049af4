package tui

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// asciiSigns maps our own signs to replacements of the same width, for terminals without UTF-8.
var asciiSigns = map[string]string{
	"●": "*", "○": "-", "◌": "o", "◆": "#", "■": "#", "▪": "#", "·": ".", "•": "*", "›": ">", "»": ">", "‹": "<", "✓": "+", "✗": "x", "★": "*", "☻": "@",
	"─": "-", "━": "=", "│": "|", "┃": "|", "╭": "+", "╮": "+", "╰": "+", "╯": "+", "├": "+", "┤": "+", "└": "`", "┬": "+", "┴": "+", "┼": "+",
	"▸": ">", "▾": "v", "▲": "^", "▼": "v", "◄": "<", "►": ">", "←": "<", "→": ">", "↑": "^", "↓": "v", "█": "#", "▌": "|", "▓": "%", "▒": ":", "░": ".", "▁": "_", "▂": ".", "▃": ".", "▄": "-", "▅": "=", "▆": "=", "▇": "#",
	"♣": "\"", "¤": "i", "…": "~", "⋯": "~", "↪": ">", "−": "-", "–": "-", "—": "-", "“": "\"", "”": "\"", "‘": "'", "’": "'", "×": "x", "≥": ">", "≈": "~", "⟨": "<", "⟩": ">", "\u00a0": " ", "é": "e", "è": "e", "ü": "u", "ö": "o", "ä": "a", "ß": "s",
}

// UTF8 reports whether the terminal supports UTF-8 according to the locale. An unset locale counts
// as UTF-8, because nearly all terminals support it; the locales "C" and "POSIX" do not count as
// UTF-8.
func UTF8(getenv func(string) string) bool {
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if value := strings.ToLower(getenv(name)); value != "" {
			return strings.Contains(value, "utf-8") || strings.Contains(value, "utf8")
		}
	}
	return true
}

// safe removes everything from a frame except printable characters, line breaks and colours. If
// ascii is set, it also replaces all characters that are not ASCII.
func safe(frame string, ascii bool) string {
	var b strings.Builder
	b.Grow(len(frame))
	state := byte(0)
	parser := ansi.NewParser()
	for len(frame) > 0 {
		seq, width, n, next := ansi.GraphemeWidth.DecodeSequenceInString(frame, state, parser)
		state, frame = next, frame[n:]
		switch {
		case width > 0 && ascii && !isASCII(seq):
			b.WriteString(inASCII(seq, width))
		case width > 0:
			b.WriteString(seq)
		case seq == "\n", isColour(seq):
			b.WriteString(seq)
		case !ascii && isMark(seq):
			b.WriteString(seq)
		}
	}
	return b.String()
}

// letters splits the beginning of text into characters: as many as fit into w cells, but at least
// one. An empty string follows each character that is two cells wide.
func letters(text string, w int) (list []string) {
	for text != "" {
		one, width, n, _ := ansi.GraphemeWidth.DecodeSequenceInString(text, 0, nil)
		if text = text[n:]; width == 0 {
			continue
		}
		if len(list) > 0 && len(list)+width > w {
			break
		}
		list = append(list, one)
		if width > 1 {
			list = append(list, "")
		}
	}
	return list
}

// isColour reports whether a sequence only changes the style of characters.
func isColour(seq string) bool {
	rest, ok := strings.CutPrefix(seq, "\x1b[")
	if !ok {
		return false
	}
	params, ok := strings.CutSuffix(rest, "m")
	return ok && strings.Trim(params, "0123456789;:") == ""
}

// isMark reports whether a character has no width and combines with its neighbours.
func isMark(seq string) bool {
	for _, r := range seq {
		if unicode.IsControl(r) || !unicode.In(r, unicode.M, unicode.Join_Control) {
			return false
		}
	}
	return seq != ""
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}

func inASCII(seq string, width int) string {
	if sign, known := asciiSigns[seq]; known {
		return sign
	}
	if r, _ := utf8.DecodeRuneInString(seq); r >= '\u2190' && r != utf8.RuneError && unicode.Is(unicode.So, r) { // pictures become asterisks, not question marks
		return strings.Repeat("*", width)
	}
	return strings.Repeat("?", width)
}

// ASCII converts text for a terminal without UTF-8, with the same replacements as in frames.
// ASCII characters are unchanged.
func ASCII(text string) string {
	var b strings.Builder
	for text != "" {
		n := strings.IndexFunc(text, func(r rune) bool { return r > '\x7f' })
		if n < 0 {
			n = len(text)
		}
		b.WriteString(text[:n])
		if text = text[n:]; text == "" {
			break
		}
		one, width, n, _ := ansi.GraphemeWidth.DecodeSequenceInString(text, 0, nil)
		if text = text[n:]; width > 0 {
			b.WriteString(inASCII(one, width))
		}
	}
	return b.String()
}
