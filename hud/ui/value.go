package ui

import (
	"bytes"
	"errors"
	"io"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/hud"
)

// lenient accepts the JSON that other programs write: if several members have the same name, the
// last one counts, and invalid UTF-8 is replaced.
var lenient = []jsontext.Options{jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)}

// check returns an error unless a payload is exactly one JSON value.
func check(v jsontext.Value) error {
	dec := jsontext.NewDecoder(bytes.NewReader(v), lenient...)
	if err := dec.SkipValue(); err != nil {
		return err
	}
	if _, err := dec.ReadToken(); !errors.Is(err, io.EOF) {
		return errors.New("unexpected data after the value")
	}
	return nil
}

// object is a JSON object whose members are not decoded yet.
type object map[string]jsontext.Value

func objectOf(v jsontext.Value) object {
	o, _ := hud.Members(v)
	return o
}

func elementsOf(v jsontext.Value) []jsontext.Value {
	var list []jsontext.Value
	if v.Kind() != '[' || json.Unmarshal(v, &list, lenientAll) != nil {
		return nil
	}
	return list
}

var lenientAll = json.JoinOptions(lenient...)

// given reports whether a member is present and not null.
func given(v jsontext.Value) bool { return len(v) > 0 && v.Kind() != 'n' }

// first returns the first of the named members that is present and not null; ok is false if there
// is none.
func (o object) first(names ...string) (v jsontext.Value, ok bool) {
	for _, n := range names {
		if given(o[n]) {
			return o[n], true
		}
	}
	return nil, false
}

// word returns the first of the named members that is a number or a non-blank string, shortened to
// one line, or "" if there is none.
func (o object) word(names ...string) string {
	for _, n := range names {
		if s, ok := scalar(o[n]); ok && !contracts.Blank(s) {
			return hud.Shorten(s, contracts.LimitName)
		}
	}
	return ""
}

// str returns a JSON string as clean text, or false for anything else.
func str(v jsontext.Value) (string, bool) {
	s, ok := hud.Text(v)
	return contracts.CleanText(s), ok
}

// scalar returns a string as clean text or a number as written; it returns false for anything else.
func scalar(v jsontext.Value) (string, bool) {
	if v.Kind() == '0' {
		return string(bytes.TrimSpace(v)), true
	}
	return str(v)
}

// number returns a number, even one written as a string; it returns false for anything else and for
// numbers beyond maxNumber.
func number(v jsontext.Value) (float64, bool) {
	s, ok := scalar(v)
	if !ok {
		return 0, false
	}
	n, err := strconv.ParseFloat(strings.TrimSpace(s), 64)
	if err != nil || n != n || n > maxNumber || n < -maxNumber {
		return 0, false
	}
	return n, true
}

// maxNumber is greater than any number of seconds, steps or tokens that occurs in practice.
const maxNumber = 1e15

// truth converts a boolean, a number or a word such as "yes" or "failed" to a boolean. It returns
// nil for anything else.
func truth(v jsontext.Value) *bool {
	switch v.Kind() {
	case 't':
		return new(true)
	case 'f':
		return new(false)
	case '0':
		if n, ok := number(v); ok && n == 0 {
			return new(false)
		}
		return new(true)
	case '"':
		s, _ := str(v)
		switch strings.ToLower(strings.TrimSpace(s)) {
		case "true", "yes", "1", "ok", "success", "succeeded", "completed":
			return new(true)
		case "false", "no", "0", "error", "failed", "failure", "cancelled":
			return new(false)
		}
	}
	return nil
}
