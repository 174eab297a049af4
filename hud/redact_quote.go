package hud

import "strings"

// limitKept is the maximum length of a value that may be kept. Longer values are redacted without
// being read, so that no bytes are read repeatedly.
const limitKept = 256

// value is the position of a value without its quotes.
type value struct {
	from, to int
	quote    byte
	more     bool // other words follow on the same line
}

// keeps reports whether the value of name may stay visible, because it is empty, already hidden, a
// placeholder or a type, or repeats the name.
func keeps(text, name string) bool {
	return text == "" || text == Mark || len(text) <= limitKept && (strings.EqualFold(text, name) || isPlaceholder(text) || isType(text))
}

// valueAt reads the value at i, or after the spaces at i. enclosing is the quote around the
// assignment, or 0; shell means that the value is a word in a command.
func valueAt(t string, i int, enclosing byte, shell bool) (v value) {
	for n := 0; i < len(t) && n < 16 && (t[i] == ' ' || t[i] == '\t'); n++ {
		i++
	}
	for next := colourEnd(t, i); next > i; {
		for i = next; i < len(t) && t[i] == ' '; i++ {
		}
		next = colourEnd(t, i)
	}
	start := i
	if i+1 < len(t) && strings.IndexByte("bfruBFRU", t[i]) >= 0 && (t[i+1] == '"' || t[i+1] == '\'') {
		i++ // b"…" in code
	}
	slashes := i
	for i < len(t) && t[i] == '\\' {
		i++
	}
	slashes = i - slashes
	if i < len(t) && (t[i] == '"' || t[i] == '\'' || t[i] == '`' && !shell) && (t[i] != enclosing || slashes > 0) {
		if v = quotedValue(t, start, i, slashes, shell); slashes == 0 || v.closed(t) {
			return v
		}
		v = value{}
	}
	i = start
	if i < len(t) && (t[i] == '{' || t[i] == '[') && !strings.HasPrefix(t[i:], Mark) {
		return value{from: i, to: i}
	}
	end := i
	for end < len(t) && !endsValue(t, end, enclosing, shell) {
		end++
	}
	v = value{from: i, to: max(i, colourStart(t, end))}
	v.more = end+1 < len(t) && t[end] == ' ' && isWord(t[end+1])
	if !shell {
		for v.to > v.from && t[v.from:v.to] != Mark && strings.IndexByte(",;)}]", t[v.to-1]) >= 0 {
			v.to--
		}
	}
	return v
}

// endsValue reports whether an unquoted value ends before i.
func endsValue(t string, i int, enclosing byte, shell bool) bool {
	b := t[i]
	switch {
	case b == ' ' && shell && t[i-1] == '\\': // a\ b is one word
		return false
	case isSpace(b), b == enclosing && enclosing != 0, b == '`', b == '<' || b == '>':
		return true
	case b == '"' || b == '\'':
		return i+1 == len(t) || isSpace(t[i+1]) || strings.IndexByte(",;)}]:|&\\", t[i+1]) >= 0
	case b == '\\':
		return i+1 < len(t) && (t[i+1] == '"' || t[i+1] == '\'')
	case b == '&' || b == ';':
		return !shell
	}
	return false
}

// closed reports whether a value in escaped quotes ends with a quote or is cut off by the end of
// the text. Otherwise its opening quote may be the end of another string: "password: \"".
func (v value) closed(t string) bool {
	if v.to < len(t) {
		return t[v.to] == '\\' || t[v.to] == v.quote && t[v.from] != ' '
	}
	return strings.ContainsFunc(t[v.from:], func(r rune) bool { return r > 0x7f || isWord(byte(r)) })
}

// quotedValue reads from the quote at i to the matching quote, or to the end of the line. In a
// nested string, both quotes follow the same number of backslashes.
func quotedValue(t string, start, i, slashes int, shell bool) value {
	if v, ok := tripleQuoted(t, i, slashes); ok {
		return v
	}
	v := value{from: i + 1, to: i + 1, quote: t[i]}
	for run := 0; v.to < len(t) && t[v.to] != '\n'; v.to++ {
		if t[v.to] == '\\' {
			run++
			continue
		}
		if t[v.to] == v.quote && (run == slashes || slashes == 0 && run%2 == 0) {
			if slashes == 0 && v.to > v.from && v.to+1 < len(t) && t[v.to+1] == v.quote { // 'it''s' in YAML and SQL
				v.to, run = v.to+1, 0
				continue
			}
			v.to -= run * min(slashes, 1)
			break
		}
		if t[v.to] == v.quote && run < slashes { // the outer string ends
			break
		}
		run = 0
	}
	after := v.to + 1 + slashes
	if shell && slashes == 0 && after < len(t) && t[v.to] == v.quote && (isWord(t[after]) || t[after] == '"' || t[after] == '\'') {
		end := after // 'it'"'"'s': one word made up of several pieces
		for end < len(t) && !isSpace(t[end]) {
			end++
		}
		return value{from: start, to: end}
	}
	return v
}

// tripleQuoted reads a value in triple quotes that start at i; the value may span several lines.
// Without closing quotes, the value ends at the end of the line. ok is false if the value is empty
// or is not in triple quotes.
func tripleQuoted(t string, i, slashes int) (v value, ok bool) {
	one := t[i-slashes : i+1]
	from := i - slashes + 3*len(one)
	if from > len(t) || t[i-slashes:from] != one+one+one {
		return value{}, false
	}
	look := t[from:min(len(t), from+limitBlock)]
	n := strings.Index(look, one+one+one)
	if n < 0 {
		if n = strings.IndexByte(look, '\n'); n < 0 {
			n = len(look)
		}
	}
	return value{from: from, to: from + n, quote: t[i]}, n > 0
}
