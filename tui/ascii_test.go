package tui

import "testing"

// TestTextInASCII checks that ASCII returns only ASCII characters, and leaves ASCII input
// unchanged.
func TestTextInASCII(t *testing.T) {
	for text, want := range map[string]string{
		"": "", "a\tb\r\n\x1b[1mc\x1b[0m": "a\tb\r\n\x1b[1mc\x1b[0m",
		"“Plan” – now…": `"Plan" - now~`, "Müller": "Muller", "e\u0301": "e", "猫 x": "?? x", "a\xffb": "a?b",
	} {
		if got := ASCII(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
