package model

import (
	"strings"

	"github.com/bullpen-office/bullpen/contracts"
)

// Plain makes untrusted text safe for a terminal: it removes control characters except newline and
// tab, and shows bidi control characters by name. It also removes variation selectors from emoji,
// because terminals disagree about the resulting width.
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

// Line is like Plain, but puts everything on one line.
func Line(text string) string { return strings.Join(strings.Fields(Plain(text)), " ") }
