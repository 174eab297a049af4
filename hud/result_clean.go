package hud

import (
	"slices"
	"unicode/utf8"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/go-json-experiment/json/jsontext"
)

// recorded is scrubbed(Value(r)), but faster: a result of plain strings is redacted before it is
// encoded, so that it need not be decoded again. The only difference is that a string that becomes
// empty may be omitted.
func recorded(r Result) jsontext.Value {
	if clean, ok := r.clean(); ok {
		return Value(clean)
	}
	return scrubbed(Value(r))
}

// redacted redacts the strings in place, and replaces invalid UTF-8 in them.
func redacted(texts ...*string) {
	for _, t := range texts {
		text := *t
		if !utf8.ValidString(text) {
			text = string([]rune(text)) // replaces invalid UTF-8, as an encoder does
		}
		*t = Redact(contracts.CleanText(text))
	}
}

func (r ReadResult) clean() (Result, bool) {
	redacted(&r.File.Path, &r.File.ViewerPath, &r.Text, &r.Error)
	return r, true
}

func (r WriteResult) clean() (Result, bool) {
	redacted(&r.File.Path, &r.File.ViewerPath, &r.Diff, &r.Error)
	return r, true
}

func (r EditResult) clean() (Result, bool) {
	redacted(&r.File.Path, &r.File.ViewerPath, &r.Diff, &r.Error)
	return r, true
}

func (r ExecResult) clean() (Result, bool) {
	redacted(&r.Stdout, &r.Stderr, &r.StdoutStyles, &r.StderrStyles, &r.Error)
	r.MentionedPaths = slices.Clone(r.MentionedPaths)
	for i := range r.MentionedPaths {
		redacted(&r.MentionedPaths[i].Path, &r.MentionedPaths[i].ViewerPath)
	}
	return r, true
}

func (r WebResult) clean() (Result, bool) {
	redacted(&r.Text, &r.URL, &r.Error)
	return r, true
}

func (r ActionResult) clean() (Result, bool) { return nil, false }
func (r OtherResult) clean() (Result, bool)  { return nil, false }

func (r ReadResult) lines() FileArea   { return r.Area }
func (r WriteResult) lines() FileArea  { return r.Area }
func (r EditResult) lines() FileArea   { return r.Area }
func (r ExecResult) lines() FileArea   { return FileArea{} }
func (r WebResult) lines() FileArea    { return FileArea{} }
func (r ActionResult) lines() FileArea { return FileArea{} }
func (r OtherResult) lines() FileArea  { return FileArea{} }
