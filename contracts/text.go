package contracts

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// CleanText returns the stored form of text (W19), which cannot reorder, hide or overflow the text
// around it. It removes control characters other than newline and tab, byte order marks, bidi
// controls, tag characters and invalid UTF-8, and keeps at most LimitCombining combining marks in a
// row. It is idempotent.
func CleanText(s string) string {
	if isPlain(s) {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	marks := 0
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		i += size
		if r == utf8.RuneError && size == 1 || forbidden(r) {
			continue
		}
		if !unicode.Is(unicode.M, r) {
			marks = 0
		} else if marks++; marks > LimitCombining {
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}

// CleanLine is CleanText for titles, names and labels: every run of whitespace
// becomes one space and the ends are trimmed.
func CleanLine(s string) string {
	if isLine(s) {
		return s
	}
	return strings.Join(strings.Fields(CleanText(s)), " ")
}

// Blank reports whether text contains nothing but whitespace and invisible characters.
func Blank(s string) bool {
	for _, r := range s {
		unseen := unicode.IsSpace(r) || unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector, unicode.Mn) || r == '\u2800'
		if unicode.IsGraphic(r) && !unseen {
			return false
		}
	}
	return true
}

// isPlain reports whether text is ASCII that needs no cleaning, which is the most common case.
func isPlain(s string) bool {
	for i := range len(s) {
		if c := s[i]; c >= 0x7f || c < 0x20 && c != '\n' && c != '\t' {
			return false
		}
	}
	return true
}

// isLine reports whether text is ASCII and already one clean line.
func isLine(s string) bool {
	space := true // leading and repeated spaces are removed
	for i := range len(s) {
		c := s[i]
		if c >= 0x7f || c < 0x20 || c == ' ' && space {
			return false
		}
		space = c == ' '
	}
	return s == "" || !space
}

// forbidden reports whether a character must not occur in stored text.
func forbidden(r rune) bool {
	switch {
	case r == '\n' || r == '\t':
		return false
	case unicode.IsControl(r), r == '\uFEFF':
		return true
	case r >= '\u202A' && r <= '\u202E', r >= '\u2066' && r <= '\u2069':
		return true
	case r >= 0xE0000 && r <= 0xE007F:
		return true
	}
	return false
}

// Clip shortens text to at most limit characters for a preview; shortened text ends with "…".
func Clip(s string, limit int) string {
	if len(s) <= limit || utf8.RuneCountInString(s) <= limit {
		return s
	}
	return string([]rune(s)[:limit-1]) + "…"
}
