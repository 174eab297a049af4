package hud

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Value encodes v; what cannot be encoded is shown as text rather than lost.
func Value(v any) jsontext.Value {
	if v == nil {
		return nil
	}
	b, err := json.Marshal(v, json.Deterministic(true), jsontext.AllowInvalidUTF8(true))
	if err != nil {
		return raw(fmt.Sprint(v))
	}
	return b
}

// raw shows something that is no value of ours as text.
func raw(text string) jsontext.Value {
	b, _ := json.Marshal(map[string]string{"raw": contracts.CleanText(text)}) // a clean text is valid UTF-8
	return b
}

// limitValue leaves room for the members around an inlined text and its escapes.
const limitValue = 2*contracts.LimitHUDInline + 4<<10

// Bound makes a value fit for a record: its names and strings lose what no stored
// text contains, and one that is too large is replaced by its true size.
func Bound(v jsontext.Value) jsontext.Value {
	if len(v) > limitValue {
		return Value(struct {
			Truncated bool   `json:"truncated"`
			Bytes     int    `json:"bytes"`
			Text      string `json:"text"`
		}{true, len(v), contracts.CleanText(Cut(string(v), contracts.LimitHUDInline/2))})
	}
	if len(v) == 0 {
		return nil
	}
	clean, err := cleaned(v)
	if err != nil { // not JSON, or two names became the same
		return raw(Cut(string(v), contracts.LimitHUDInline))
	}
	return clean
}

// cleaned copies a value token by token, so that numbers and the order of members
// stay as they are.
func cleaned(v jsontext.Value) (jsontext.Value, error) {
	var out bytes.Buffer
	in := jsontext.NewDecoder(bytes.NewReader(v), jsontext.AllowInvalidUTF8(true))
	enc := jsontext.NewEncoder(&out)
	for {
		token, err := in.ReadToken()
		if errors.Is(err, io.EOF) {
			return bytes.TrimSpace(out.Bytes()), nil
		}
		if err != nil {
			return nil, err
		}
		if token.Kind() == '"' {
			token = jsontext.String(contracts.CleanText(token.String()))
		}
		if err := enc.WriteToken(token); err != nil {
			return nil, err
		}
	}
}

// Shorten makes one line of text with at most limit characters, without anything
// that no stored text contains.
func Shorten(text string, limit int) string {
	text = contracts.CleanLine(text)
	if utf8.RuneCountInString(text) <= limit {
		return text
	}
	return strings.TrimSpace(string([]rune(text)[:limit-1])) + "…"
}

// Cut keeps at most limit bytes and never splits a character.
func Cut(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	for limit > 0 && !utf8.RuneStart(text[limit]) {
		limit--
	}
	return text[:limit]
}
