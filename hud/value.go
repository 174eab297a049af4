package hud

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Value encodes v as JSON. It returns {"raw": …} with v as text if v cannot be encoded, and nil if
// v is nil.
func Value(v any) jsontext.Value {
	switch v := v.(type) {
	case nil:
		return nil
	case jsontext.Value:
		return v
	}
	b, err := json.Marshal(v, json.Deterministic(true), jsontext.AllowInvalidUTF8(true))
	if err != nil {
		return raw(fmt.Sprint(v))
	}
	return b
}

// Text returns the text of a JSON string, with invalid UTF-8 replaced; ok is false for anything
// else.
func Text(v jsontext.Value) (text string, ok bool) {
	if v.Kind() != '"' {
		return "", false
	}
	if inner := bytes.TrimSpace(v); isLiteral(inner) {
		return string(inner[1 : len(inner)-1]), true
	}
	err := json.Unmarshal(v, &text, jsontext.AllowInvalidUTF8(true))
	return text, err == nil
}

// isLiteral reports whether a JSON string is printable ASCII without escapes, like almost every
// string.
func isLiteral(v []byte) bool {
	if len(v) < 2 || v[len(v)-1] != '"' {
		return false
	}
	for _, b := range v[1 : len(v)-1] {
		if b < ' ' || b > '~' || b == '\\' || b == '"' {
			return false
		}
	}
	return true
}

// raw returns text that is not valid JSON as {"raw": text}.
func raw(text string) jsontext.Value {
	b, _ := json.Marshal(map[string]string{"raw": contracts.CleanText(text)}) // clean text is valid UTF-8
	return b
}

// Line returns text as one line of at most limit characters, clean and without the credentials that
// Redact recognizes.
func Line(text string, limit int) string {
	return Shorten(Redact(contracts.CleanText(text)), limit)
}

// Shorten returns text as one line of at most limit characters, without the characters that are not
// allowed in stored text.
func Shorten(text string, limit int) string {
	text = contracts.CleanLine(text)
	if utf8.RuneCountInString(text) <= limit {
		return text
	}
	return strings.TrimSpace(string([]rune(text)[:limit-1])) + "…"
}

// Cut returns the start of text: at most limit bytes, without splitting a character.
func Cut(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	for limit > 0 && !utf8.RuneStart(text[limit]) {
		limit--
	}
	return text[:limit]
}
