// Package otlp exports activity as OpenTelemetry traces: OTLP over HTTP in JSON, following the GenAI
// conventions. A turn is an invoke_agent span, and a tool call is an execute_tool span.
//
// It follows the ledger with its own cursor, which survives restarts. Only complete spans are sent,
// and the cursor moves after the receiver has accepted them, so a crash may repeat spans but never
// loses one. Ids are derived from correlation ids, so a repeated span has the same id. While the
// receiver is unreachable nothing is queued, because the ledger is the queue; only retention can
// remove unsent activity, and that is logged. Arguments and results are sent only on request.
package otlp

import (
	"strconv"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/bullpen-office/bullpen/contracts"
)

// span is a span in OTLP's JSON encoding: ids in hex, 64-bit numbers as strings, enumerations as
// numbers.
type span struct {
	TraceID       string      `json:"traceId"`
	SpanID        string      `json:"spanId"`
	ParentSpanID  string      `json:"parentSpanId,omitzero"`
	Name          string      `json:"name"`
	Kind          int         `json:"kind"`
	Start         string      `json:"startTimeUnixNano"`
	End           string      `json:"endTimeUnixNano"`
	Attributes    []attribute `json:"attributes,omitzero"`
	Events        []spanEvent `json:"events,omitzero"`
	DroppedEvents int         `json:"droppedEventsCount,omitzero"`
	Status        status      `json:"status"`
}

type spanEvent struct {
	Time       string      `json:"timeUnixNano"`
	Name       string      `json:"name"`
	Attributes []attribute `json:"attributes,omitzero"`
}

type status struct {
	Code    int    `json:"code,omitzero"`
	Message string `json:"message,omitzero"`
}

const (
	kindInternal = 1
	statusOK     = 1
	statusError  = 2
)

type attribute struct {
	Key   string `json:"key"`
	Value value  `json:"value"`
}

type value struct {
	Text   *string  `json:"stringValue,omitzero"`
	Int    *string  `json:"intValue,omitzero"`
	Double *float64 `json:"doubleValue,omitzero"`
	Bool   *bool    `json:"boolValue,omitzero"`
}

// attributes is a list of attributes that is being built; empty values are omitted.
type attributes []attribute

func (a *attributes) text(key, v string) {
	if v != "" {
		v = contracts.Clip(v, contracts.LimitOTLPValue)
		*a = append(*a, attribute{key, value{Text: &v}})
	}
}

func (a *attributes) number(key string, v int64) {
	*a = append(*a, attribute{key, value{Int: new(strconv.FormatInt(v, 10))}})
}

func (a *attributes) double(key string, v *float64) {
	if v != nil {
		*a = append(*a, attribute{key, value{Double: v}})
	}
}

func (a *attributes) flag(key string, v bool) {
	if v {
		*a = append(*a, attribute{key, value{Bool: &v}})
	}
}

// nanos converts the ledger's milliseconds to OTLP's nanoseconds.
func nanos(ms int64) string { return strconv.FormatInt(max(ms, 0)*1_000_000, 10) }

func (s *span) encode() (jsontext.Value, error) {
	return json.Marshal(s, jsontext.AllowInvalidUTF8(true))
}
