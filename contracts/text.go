package contracts

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// CleanText gives text as it is stored (W19): control characters other than
// newline and tab, byte order marks, bidi controls, tag characters and invalid
// UTF-8 are removed, and a run of combining marks ends after LimitCombining, so
// that no text can reorder, hide or overflow what stands around it. Cleaning
// twice changes nothing more.
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

// CleanLine is CleanText for titles, names and labels: every run of white space
// becomes one space and the ends are trimmed.
func CleanLine(s string) string {
	return strings.Join(strings.Fields(CleanText(s)), " ")
}

// Blank reports whether a reader would see nothing of the text.
func Blank(s string) bool {
	for _, r := range s {
		if unicode.IsGraphic(r) && !unicode.IsSpace(r) {
			return false
		}
	}
	return true
}

// isPlain reports ASCII text that needs no cleaning: nearly all of it.
func isPlain(s string) bool {
	for i := range len(s) {
		if c := s[i]; c >= 0x7f || c < 0x20 && c != '\n' && c != '\t' {
			return false
		}
	}
	return true
}

// forbidden reports characters that no stored text contains.
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
