package hud

import "strings"

// limitPair is the number of bytes around a value that are searched for its name.
const limitPair = 192

// isPair reports whether the word "value" at position name belongs to a credential that is named
// next to it:
//
//   - name: DB_PASSWORD
//     value: …
//
// It also recognizes tags and JSON on one or two lines: <add key="Password" value="…"/>. i is the
// position of the sign that follows the word.
func isPair(t string, name, i int) bool {
	before := t[max(0, name-limitPair):name]
	line := strings.LastIndexByte(before, '\n')
	before = before[strings.LastIndexByte(before[:max(0, line)], '\n')+1:]
	open := strings.LastIndexAny(before, "{}<>")
	if namesSecret(before[open+1:]) {
		return true
	}
	if open < 0 || before[open] == '}' || before[open] == '>' {
		return false
	}
	after := t[i:min(len(t), i+limitPair)]
	if n := strings.IndexAny(after, "{}<>\n"); n >= 0 {
		after = after[:n]
	}
	return namesSecret(after)
}

// namesSecret reports whether text contains name="X" or key: X where X is a credential's name.
func namesSecret(text string) bool {
	for _, key := range []string{"name", "key"} {
		n := lastWord(text, key)
		if n < 0 {
			continue
		}
		rest := strings.TrimLeft(text[n+len(key):], " \t\"'\\")
		if rest == "" || rest[0] != ':' && rest[0] != '=' {
			continue
		}
		rest = strings.TrimLeft(rest[1:], " \t\"'\\")
		end := 0
		for end < len(rest) && isNameByte(rest[end]) {
			end++
		}
		if end > 0 && secretMember(rest[:end]) {
			return true
		}
	}
	return false
}

// lastWord returns the position of the last occurrence of a whole word, ignoring case, or -1.
func lastWord(text, word string) int {
	for n := len(text) - len(word); n >= 0; n-- {
		if text[n]|0x20 == word[0] && strings.EqualFold(text[n:n+len(word)], word) && (n == 0 || !isNameByte(text[n-1]) || text[n-1] == '-') && (n+len(word) == len(text) || !isNameByte(text[n+len(word)])) {
			return n
		}
	}
	return -1
}
