package model

import (
	"strings"

	"github.com/bullpen-office/bullpen/contracts"
)

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
		name, turns := contracts.BidiNames[string(r)]
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
