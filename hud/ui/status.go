package ui

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/bullpen-office/bullpen/contracts"
)

// Status is the status line that an agent reports.
type Status struct {
	Kind      contracts.UIKind `json:"kind"`
	Text      string           `json:"text,omitzero"`
	Clear     bool             `json:"clear,omitzero"`    // removes the status
	Duration  jsontext.Value   `json:"duration,omitzero"` // seconds, as written; -1 means that the status stays
	Truncated bool             `json:"truncated,omitzero"`
	Bytes     int              `json:"bytes,omitzero"`
}

// ItemKind returns UIStatus.
func (*Status) ItemKind() contracts.UIKind { return contracts.UIStatus }

// Expires returns when a status that starts at ts (Unix milliseconds) ends, or 0 if it stays until it
// is replaced. Without a duration, the office's default applies.
func (s *Status) Expires(ts int64) int64 {
	if len(s.Duration) == 0 && !s.Clear {
		return ts + contracts.StatusLineDuration.Milliseconds()
	}
	n, ok := number(s.Duration)
	if !ok || n <= 0 || n > maxSeconds {
		return 0
	}
	return ts + int64(n*1000)
}

// maxSeconds is a hundred years; a longer duration means forever.
const maxSeconds = 100 * 366 * 24 * 3600

// statusKeys are read in this order; `text` comes first, as in most hosts.
var statusKeys = []string{"text", "value", "message", "status"}

func readStatus(v jsontext.Value) []Part {
	content, o, ok := contentOf(v, statusKeys)
	if !ok {
		return ignored(v, "a status must be a string, a number or an object with text")
	}
	s := &Status{Kind: contracts.UIStatus}
	if contracts.Blank(content) {
		s.Clear = true
		return drawn(v, s)
	}
	t := bounded(strings.TrimSpace(content))
	s.Text, s.Truncated, s.Bytes = t.Text, t.Truncated, t.Bytes
	if duration, ok := o.first("duration", "duration_s"); ok {
		s.Duration = seconds(duration)
	}
	return drawn(v, s)
}

// contentOf returns the text of a status, message or question. For an object, that is the first member
// listed in keys that is not blank, or "" if all are blank. ok is false if v contains no text;
// blank text counts as text.
func contentOf(v jsontext.Value, keys []string) (content string, o object, ok bool) {
	if content, ok = scalar(v); ok {
		return content, nil, true
	}
	o = objectOf(v)
	for _, k := range keys {
		s, isText := scalar(o[k])
		if isText && !contracts.Blank(s) {
			return s, o, true
		}
		ok = ok || isText
	}
	return "", o, ok
}

// seconds returns a number of seconds as a JSON number. It returns nil if the value is invalid, and
// -1 if the number is zero or negative.
func seconds(v jsontext.Value) jsontext.Value {
	n, ok := number(v)
	switch {
	case !ok:
		return nil
	case n <= 0:
		return jsontext.Value("-1")
	case v.Kind() == '0':
		return bytes.TrimSpace(v)
	}
	return jsontext.Value(strconv.FormatFloat(n, 'f', -1, 64))
}
