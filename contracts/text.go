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
	if isLine(s) {
		return s
	}
	return strings.Join(strings.Fields(CleanText(s)), " ")
}

// Blank reports whether a reader would see nothing of the text: white space,
// fillers and joiners that are drawn as nothing do not count.
func Blank(s string) bool {
	for _, r := range s {
		unseen := unicode.IsSpace(r) || unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector, unicode.Mn) || r == '\u2800'
		if unicode.IsGraphic(r) && !unseen {
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

// isLine reports ASCII text that is one clean line already.
func isLine(s string) bool {
	space := true // a space at the beginning, or after another, goes
	for i := range len(s) {
		c := s[i]
		if c >= 0x7f || c < 0x20 || c == ' ' && space {
			return false
		}
		space = c == ' '
	}
	return s == "" || !space
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

// Clip shortens a text that only previews something.
func Clip(s string, limit int) string {
	if len(s) <= limit || utf8.RuneCountInString(s) <= limit {
		return s
	}
	return string([]rune(s)[:limit-1]) + "…"
}
