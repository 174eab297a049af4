package hud

import "strings"

// escapes are the spellings of the escape character in a colour sequence (ESC[31m, ESC[0m, ESC[K).
// A spelling that starts with a letter or digit follows a backslash in a quoted string. CleanText
// removes the escape character itself, so a sequence may also lack it.
var escapes = []string{"\x1b", "u001b", "u001B", "x1b", "x1B", "033", "e", "^["}

// limitColours is the maximum number of consecutive colour sequences that are skipped; limitColour is
// the maximum length of one colour sequence.
const limitColours, limitColour = 8, 24

// colourEnd returns the end of the colour sequences that start at i, or i if there are none.
func colourEnd(t string, i int) int {
	if i >= len(t) || !startsColour[t[i]] {
		return i
	}
	return skipColours(t, i)
}

var startsColour = bytesOf("\x1b\\^[")

func skipColours(t string, i int) int {
	for range limitColours {
		next := sequenceEnd(t, i)
		if next == i {
			break
		}
		i = next
	}
	return i
}

func sequenceEnd(t string, i int) int {
	j := i
	if j < len(t) && (t[j] == '\\' || t[j] == '\x1b' || t[j] == '^') {
		for j < len(t) && j-i < limitColour && t[j] == '\\' {
			j++
		}
		for _, e := range escapes {
			if strings.HasPrefix(t[j:], e) && strings.HasPrefix(t[j+len(e):], "[") {
				j += len(e)
				break
			}
		}
		if t[min(j, len(t)-1)] != '[' || j == i {
			return i
		}
	}
	escaped := j > i
	if j >= len(t) || t[j] != '[' {
		return i
	}
	codes := j + 1
	for j = codes; j < len(t) && j-codes < limitColour && isCode(t[j]); j++ {
	}
	if j == len(t) || t[j] != 'm' && t[j] != 'K' {
		return i
	}
	if !escaped && j == codes && !plainColour(t, i, j+1) {
		return i
	}
	return j + 1
}

// plainColour reports whether [m or [K without an escape character is a colour sequence and not the
// start of a list in code. It is a colour sequence if another one ends directly before it, or if the
// next character cannot follow in a list.
func plainColour(t string, from, to int) bool {
	return from > 0 && t[from-1] == 'm' || to == len(t) || !isWord(t[to]) && strings.IndexByte("],. ", t[to]) < 0
}

// colourStart returns the start of the colour sequences that end at i, or i if there are none.
func colourStart(t string, i int) int {
	if i == 0 || t[i-1] != 'm' && t[i-1] != 'K' {
		return i
	}
	return skipColoursBack(t, i)
}

func skipColoursBack(t string, i int) int {
	for range limitColours {
		if i == 0 || t[i-1] != 'm' && t[i-1] != 'K' {
			break
		}
		j := i - 1
		for j > 0 && i-j < limitColour && isCode(t[j-1]) {
			j--
		}
		if j == 0 || t[j-1] != '[' {
			break
		}
		start := beforeEscape(t, j-1)
		if start == j-1 && j == i-1 && !plainColour(t, start, i) {
			break
		}
		i = start
	}
	return i
}

// beforeEscape returns the start of the escape character that ends at i, or i if none ends there.
func beforeEscape(t string, i int) int {
	for _, e := range escapes {
		j := i - len(e)
		if j < 0 || t[j:i] != e {
			continue
		}
		if e == "\x1b" || e == "^[" {
			return j
		}
		if j == 0 || t[j-1] != '\\' {
			continue
		}
		for j > 0 && i-j < limitColour && t[j-1] == '\\' {
			j--
		}
		return j
	}
	return i
}

func isCode(b byte) bool { return b >= '0' && b <= '9' || b == ';' || b == ':' }
