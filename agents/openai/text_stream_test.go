package openai

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// The shown text does not depend on how an answer is split into chunks.
func FuzzTextStream(f *testing.F) {
	f.Add(goodResult, uint8(3))
	f.Add("```json\n"+goodPlan+"\n```", uint8(1))
	f.Add(`{"content":"a\u00e9\ud83d\ude00\n\"b\"`, uint8(2))
	f.Add("prose with \"quotes\"", uint8(5))
	f.Fuzz(func(t *testing.T, text string, size uint8) {
		if !utf8.ValidString(text) {
			return
		}
		var whole, parts textStream
		want, _ := whole.read(text, "token")
		var got strings.Builder
		runes := []rune(text)
		for n := int(size) + 1; len(runes) > 0; runes = runes[min(n, len(runes)):] {
			shown, kind := parts.read(string(runes[:min(n, len(runes))]), "token")
			if kind != "token" && kind != "thought" {
				t.Fatalf("kind %q", kind)
			}
			got.WriteString(shown)
			_ = parts.line(shown)
		}
		if !parts.prose && got.String() != want {
			t.Errorf("read %q in pieces, %q whole", got.String(), want)
		}
	})
}

// No model answer makes the reader panic or accept a result without a question or artifacts.
func FuzzReadResult(f *testing.F) {
	for _, s := range []string{goodResult, goodPlan, "", "{", `{"question":{}}`, strings.Repeat("{", 1000), `{"artifacts":[{"content":"x"}]}`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		res, err := parser.Result(text, taskJob())
		if err == nil && res.Ask == nil && len(res.Artifacts) == 0 {
			t.Errorf("%q became nothing at all", text)
		}
		_, _ = parser.Plan(text)
	})
}
