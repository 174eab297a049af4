package hud

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// FileArea is a range of lines, counted from 1.
type FileArea struct {
	StartLine int `json:"startLine"`
	EndLine   int `json:"endLine"`
}

// FileMeta is a file that a viewer can open.
type FileMeta struct {
	Path       string   `json:"path"`
	ViewerPath string   `json:"viewerPath"`
	Area       FileArea `json:"area,omitzero"`
}

// FileArgs is what read, write, edit and append are asked.
type FileArgs struct {
	Path      string `json:"path"`
	Operation string `json:"operation,omitzero"` // write, edit or append
	Offset    int    `json:"offset,omitzero"`
	Limit     int    `json:"limit,omitzero"`
}

// ReadResult is the result of the tool read.
type ReadResult struct {
	OK        bool     `json:"ok"`
	File      FileMeta `json:"file"`
	Area      FileArea `json:"area"`
	Text      string   `json:"text"`
	Bytes     int      `json:"bytes"`
	Truncated bool     `json:"truncated"`
}

// WriteResult is the result of write, edit and append.
type WriteResult struct {
	OK    bool     `json:"ok"`
	File  FileMeta `json:"file"`
	Area  FileArea `json:"area"`
	Bytes int      `json:"bytes"`
}

// Read is the result of having read a whole text. Text beyond LimitHUDInline is
// left out and the result says so; Bytes is always the true size.
func Read(path, text string) ReadResult {
	area := whole(text)
	shown := text
	if len(shown) > contracts.LimitHUDInline {
		shown = cut(shown, contracts.LimitHUDInline)
	}
	return ReadResult{
		OK: true, File: FileMeta{Path: path, ViewerPath: path, Area: area}, Area: area,
		Text: shown, Bytes: len(text), Truncated: len(shown) < len(text),
	}
}

// Write is the result of having written a whole text.
func Write(path, text string) WriteResult {
	area := whole(text)
	return WriteResult{OK: true, File: FileMeta{Path: path, ViewerPath: path, Area: area}, Area: area, Bytes: len(text)}
}

// Failure is the result of anything that did not work.
func Failure(reason string) jsontext.Value {
	return Value(struct {
		OK    bool   `json:"ok"`
		Error string `json:"error"`
	}{Error: Shorten(reason, contracts.LimitNote)})
}

// Value encodes v; what cannot be encoded is shown as text rather than lost.
func Value(v any) jsontext.Value {
	if v == nil {
		return nil
	}
	b, err := json.Marshal(v, json.Deterministic(true), jsontext.AllowInvalidUTF8(true))
	if err != nil {
		b, _ = json.Marshal(map[string]string{"raw": fmt.Sprint(v)}, jsontext.AllowInvalidUTF8(true))
	}
	return b
}

// limitValue leaves room for the members around an inlined text and its escapes.
const limitValue = 2*contracts.LimitHUDInline + 4<<10

// Bound replaces a value that is too large for a record by its true size.
func Bound(v jsontext.Value) jsontext.Value {
	if len(v) <= limitValue {
		return v
	}
	return Value(struct {
		Truncated bool   `json:"truncated"`
		Bytes     int    `json:"bytes"`
		Text      string `json:"text"`
	}{true, len(v), cut(string(v), contracts.LimitHUDInline/2)})
}

// Shorten makes one line of text with at most limit characters.
func Shorten(text string, limit int) string {
	text = strings.Join(strings.Fields(strings.ToValidUTF8(text, "\uFFFD")), " ")
	if utf8.RuneCountInString(text) <= limit {
		return text
	}
	return strings.TrimSpace(string([]rune(text)[:limit-1])) + "…"
}

func whole(text string) FileArea {
	return FileArea{StartLine: 1, EndLine: max(1, strings.Count(strings.TrimSuffix(text, "\n"), "\n")+1)}
}

// cut keeps at most limit bytes and never splits a character.
func cut(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	for limit > 0 && !utf8.RuneStart(text[limit]) {
		limit--
	}
	return text[:limit]
}
