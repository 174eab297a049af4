package model

import (
	"strings"

	"github.com/bullpen-office/bullpen/contracts"
)

// turning are the characters that turn the writing direction around unseen, by
// the names that Unicode gives them.
var turning = map[rune]string{
	'\u061C': "ALM", '\u200E': "LRM", '\u200F': "RLM", '\u202A': "LRE", '\u202B': "RLE", '\u202C': "PDF",
	'\u202D': "LRO", '\u202E': "RLO", '\u2066': "LRI", '\u2067': "RLI", '\u2068': "FSI", '\u2069': "PDI",
}

// Plain is text of strangers that cannot drive a terminal: no control character
// is left but newline and tab, and what would turn the writing direction unseen
// is shown by its name. Emoji lose the selectors about whose width terminals
// disagree.
func Plain(text string) string {
	clean := true
	for i := 0; i < len(text) && clean; i++ {
		clean = text[i] < 0x7f && (text[i] >= ' ' || text[i] == '\n')
	}
	if clean {
		return text
	}
	var b strings.Builder
	b.Grow(len(text))
	var before rune
	for _, r := range strings.ToValidUTF8(text, "\uFFFD") {
		name, turns := turning[r]
		switch {
		case turns:
			b.WriteString("⟨" + name + "⟩")
		case r == '\uFE0F' || r == '\u200D' && before >= '\u2190':
		case r == '\t':
			b.WriteString("    ")
		default:
			b.WriteRune(r)
		}
		before = r
	}
	return contracts.CleanText(b.String())
}

// Line is Plain in one line.
func Line(text string) string { return strings.Join(strings.Fields(Plain(text)), " ") }
