package openai

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/hud"
)

// shownMembers are the members whose text is shown to people while the model writes it.
var shownMembers = map[string]bool{"summary": true, "title": true, "prompt": true, "content": true}

// textStream extracts the text to show to people from a JSON object that is still being written.
// Text that is not JSON is shown as a thought, because it will not be used.
type textStream struct {
	begun  bool // something other than whitespace has arrived
	prose  bool
	str    bool            // inside a string
	value  bool            // the string is a value, not a key
	esc    []byte          // an incomplete escape
	raw    strings.Builder // the text of the current key
	key    string          // the last key
	colon  bool            // a colon has followed the key
	hidden bool            // the value is not shown
	tail   string          // the line that is being shown
}

// read processes a piece of the answer and returns the text to show and its kind.
func (t *textStream) read(piece, kind string) (shown, as string) {
	if !t.begun {
		trimmed := strings.TrimLeft(piece, " \r\n\t")
		if trimmed == "" {
			return "", kind
		}
		t.begun, t.prose = true, trimmed[0] != '{' && trimmed[0] != '`'
	}
	if t.prose {
		return piece, "thought"
	}
	var out strings.Builder
	for i := range len(piece) {
		t.step(piece[i], &out)
	}
	return out.String(), kind
}

func (t *textStream) step(c byte, out *strings.Builder) {
	if !t.str {
		t.outside(c)
		return
	}
	switch {
	case len(t.esc) > 0:
		t.esc = append(t.esc, c)
		if t.esc[1] == 'u' && len(t.esc) < 6 {
			return
		}
		t.put(unescape(t.esc), out)
		t.esc = t.esc[:0]
	case c == '\\':
		t.esc = append(t.esc, c)
	case c == '"':
		t.close(out)
	default:
		t.put(string([]byte{c}), out)
	}
}

func (t *textStream) outside(c byte) {
	switch c {
	case '"':
		t.str, t.value = true, t.colon
		t.hidden = !shownMembers[t.key]
		t.raw.Reset()
	case ':':
		t.colon = true
	case ',', '{', '}', '[', ']':
		t.colon = false
	}
}

func (t *textStream) put(s string, out *strings.Builder) {
	switch {
	case !t.value:
		if t.raw.Len() < contracts.LimitName {
			t.raw.WriteString(s)
		}
	case !t.hidden:
		out.WriteString(s)
	}
}

func (t *textStream) close(out *strings.Builder) {
	t.str = false
	if !t.value {
		t.key = t.raw.String()
		return
	}
	if !t.hidden {
		out.WriteByte('\n')
	}
}

// unescape decodes one JSON escape for display. Half a surrogate pair becomes a replacement
// character; \r, \b and \f are dropped.
func unescape(esc []byte) string {
	switch esc[1] {
	case 'n':
		return "\n"
	case 't':
		return "\t"
	case 'r', 'b', 'f':
		return ""
	case 'u':
		n, err := strconv.ParseUint(string(esc[2:]), 16, 32)
		if err != nil || !utf8.ValidRune(rune(n)) {
			return "\uFFFD"
		}
		return string(rune(n))
	}
	return string(esc[1:])
}

// line adds new text to the preview and returns the line that is being written.
func (t *textStream) line(shown string) string {
	t.tail += shown
	if i := strings.LastIndexByte(strings.TrimRight(t.tail, "\n"), '\n'); i >= 0 {
		t.tail = t.tail[i+1:]
	}
	t.tail = hud.Cut(t.tail, contracts.LimitPreview)
	return hud.Shorten(strings.Trim(contracts.CleanLine(t.tail), "#*- "), contracts.LimitPreview)
}
