// Package wire decodes the parts of OTLP requests, in protobuf and JSON, that the office reads: the
// ids, names, times and status of spans, and the attributes that the GenAI conventions define.
// Everything else is skipped. It is pure, and its limits hold for any input.
package wire

import (
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/bullpen-office/bullpen/contracts"
)

// Span is a span that has ended.
type Span struct {
	Trace, ID, Parent string // lower-case hex; Parent is empty for the root of a trace
	Name              string
	Start, End        int64 // Unix milliseconds
	Failed            bool
	Message           string // why the span failed; may be empty
	Attributes        Attributes
	Service           string // service.name of the span's resource; empty if unknown
	Scope             string // the library that created the span
}

// Batch contains the accepted spans of one request. Why gives the reason for the first rejection.
type Batch struct {
	Spans    []Span
	Rejected int64
	Why      string
}

// full reports whether the limit on spans has been reached.
func (b *Batch) full() bool { return len(b.Spans)+int(b.Rejected) >= contracts.LimitOTelSpans }

// add appends a span, or rejects it.
func (b *Batch) add(s Span, problem string) {
	switch {
	case problem != "":
	case b.full():
		problem = "at most " + strconv.Itoa(contracts.LimitOTelSpans) + " spans are allowed in a request"
	case !validID(s.Trace, 32) || !validID(s.ID, 16):
		problem = "a trace id must have 16 bytes, a span id must have 8 bytes, and neither may be zero"
	case s.Parent != "" && !validID(s.Parent, 16):
		s.Parent = ""
	}
	if problem != "" {
		if b.Rejected++; b.Why == "" {
			b.Why = problem
		}
		return
	}
	s.Start, s.End = max(s.Start, 0), max(s.End, s.Start, 0)
	b.Spans = append(b.Spans, s)
}

// validID reports whether id is a lower-case hex id of the given length that is not all zeros.
func validID(id string, length int) bool {
	return len(id) == length && strings.Trim(id, "0123456789abcdef") == "" && strings.Trim(id, "0") != ""
}

// Attributes maps the names of attributes to their values. A value is a string, int64, float64,
// bool, []any or map[string]any.
type Attributes map[string]any

// wanted reports whether the office reads an attribute.
func wanted(key string) bool {
	return strings.HasPrefix(key, "gen_ai.") || key == keyService || key == "error.type" || key == "session.id"
}

const keyService = "service.name"

// set adds a value unless it is nil.
func (a *Attributes) set(key string, v any) {
	if v == nil {
		return
	}
	if *a == nil {
		*a = Attributes{}
	}
	(*a)[key] = v
}

// Text returns the first of the named attributes that is a non-empty string.
func (a Attributes) Text(keys ...string) string {
	for _, key := range keys {
		if s, _ := a[key].(string); s != "" {
			return s
		}
	}
	return ""
}

// Count returns the first of the named attributes that is a non-negative number; ok is false if
// there is none.
func (a Attributes) Count(keys ...string) (n int64, ok bool) {
	for _, key := range keys {
		switch v := a[key].(type) {
		case int64:
			n, ok = v, v >= 0
		case float64:
			n, ok = int64(v), v >= 0 && v < 1<<53
		}
		if ok {
			return n, true
		}
	}
	return 0, false
}

// JSON returns an attribute as JSON, or nil if the attribute is missing. A string that itself
// contains JSON is returned unchanged.
func (a Attributes) JSON(key string) jsontext.Value {
	v, ok := a[key]
	if !ok {
		return nil
	}
	if text, ok := v.(string); ok {
		if raw := jsontext.Value(text); raw.IsValid() {
			return raw
		}
	}
	b, err := json.Marshal(v, json.Deterministic(true), jsontext.AllowInvalidUTF8(true))
	if err != nil {
		return nil
	}
	return b
}

// Has reports whether any of the named attributes is set.
func (a Attributes) Has(keys ...string) bool {
	for _, key := range keys {
		if _, ok := a[key]; ok {
			return true
		}
	}
	return false
}

const tooManyAttributes = "a span has too many attributes"
