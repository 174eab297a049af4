package contracts

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

// TestCleanText checks W19 character by character.
func TestCleanText(t *testing.T) {
	marks := strings.Repeat("\u0301", LimitCombining)
	for in, want := range map[string]string{
		"plain, as sent":                 "plain, as sent",
		"  spaces stay  ":                "  spaces stay  ",
		"tab\tand\nline":                 "tab\tand\nline",
		"windows\r\nline":                "windows\nline",
		"esc\x1b[31mred":                 "esc[31mred",
		"nul\x00 del\x7f c1\u0085\u009b": "nul del c1",
		"bom\ufeff":                      "bom",
		"bidi \u202a\u202e\u2066\u2069.": "bidi .",
		"tag\U000E0041\U000E007F":        "tag",
		"bad\xff\xc3utf8":                "badutf8",
		"\ufffd as sent":                 "\ufffd as sent",
		"family 👨‍👩‍👧":                   "family 👨‍👩‍👧",
		"עברית عربى":                     "עברית عربى",
		"z" + marks + marks:              "z" + marks,
		"z" + marks + "\u202e" + marks:   "z" + marks,
	} {
		if got := CleanText(in); got != want {
			t.Errorf("CleanText(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestCleanLine(t *testing.T) {
	for in, want := range map[string]string{
		" a\n\tb\u2028c\u00a0 ": "a b c",
		"a\x1b b":               "a b",
		"\u2066 \u2069":         "",
	} {
		if got := CleanLine(in); got != want {
			t.Errorf("CleanLine(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestBlank(t *testing.T) {
	for in, want := range map[string]bool{"": true, " \n": true, "\u200b\u2060": true, "a": false, " 😀": false} {
		if got := Blank(in); got != want {
			t.Errorf("Blank(%q) = %t, want %t", in, got, want)
		}
	}
}

// TestCleanIsStable checks on arbitrary bytes that cleaning is idempotent.
func TestCleanIsStable(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.OneOf(rapid.String(), rapid.Map(rapid.SliceOf(rapid.Byte()), func(b []byte) string { return string(b) })).Draw(t, "s")
		for _, clean := range []func(string) string{CleanText, CleanLine} {
			once := clean(s)
			if !utf8.ValidString(once) || clean(once) != once || strings.ContainsFunc(once, forbidden) {
				t.Fatalf("cleaning %q gives %q, then %q", s, once, clean(once))
			}
		}
	})
}
