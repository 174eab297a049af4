package wire_test

import (
	"encoding/hex"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/encoding/protowire"

	"github.com/bullpen-office/bullpen/agents/otel/wire"
	"github.com/bullpen-office/bullpen/contracts"
)

const (
	traceID = "0af7651916cd43dd8448eb211c80319c"
	spanID  = "b7ad6b7169203331"
)

// field appends a length-delimited field.
func field(to []byte, number protowire.Number, content []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(to, number, protowire.BytesType), content)
}

func fixed(to []byte, number protowire.Number, v uint64) []byte {
	return protowire.AppendFixed64(protowire.AppendTag(to, number, protowire.Fixed64Type), v)
}

func varint(to []byte, number protowire.Number, v uint64) []byte {
	return protowire.AppendVarint(protowire.AppendTag(to, number, protowire.VarintType), v)
}

func unhex(s string) []byte {
	b, err := hex.DecodeString(s)
	if err != nil {
		panic(err)
	}
	return b
}

// attribute returns a KeyValue with an encoded AnyValue.
func attribute(key string, value []byte) []byte {
	return field(field(nil, 1, []byte(key)), 2, value)
}

func text(s string) []byte { return field(nil, 1, []byte(s)) }

// span returns a span with attributes, each an encoded KeyValue.
func span(attributes ...[]byte) []byte {
	s := field(field(nil, 1, unhex(traceID)), 2, unhex(spanID))
	s = field(field(s, 4, unhex("00f067aa0ba902b7")), 5, []byte("chat m"))
	s = fixed(fixed(s, 7, 1_794_990_000_123_000_000), 8, 1_794_990_001_000_000_000)
	for _, a := range attributes {
		s = field(s, 9, a)
	}
	return field(s, 15, varint(field(nil, 2, []byte("refused")), 3, 2))
}

// request returns an ExportTraceServiceRequest.
func request(spans ...[]byte) []byte {
	scope := field(nil, 1, field(nil, 1, []byte("my.framework")))
	for _, s := range spans {
		scope = field(scope, 2, s)
	}
	resource := field(nil, 1, field(nil, 1, attribute("service.name", text("shop"))))
	return field(nil, 1, field(resource, 2, scope))
}

// Both encodings of a request yield the same spans, regardless of the order of members.
func TestEncodingsAreEquivalent(t *testing.T) {
	object := field(nil, 6, field(nil, 1, attribute("path", field(nil, 5, field(field(nil, 1, text("a")), 1, varint(nil, 2, 1))))))
	got, err := wire.DecodeProtobuf(request(span(
		attribute("gen_ai.usage.input_tokens", varint(nil, 3, 12)),
		attribute("gen_ai.x", fixed(nil, 4, math.Float64bits(0.5))),
		attribute("gen_ai.tool.call.arguments", object),
		attribute("http.url", text("ignored")),
	)))
	if err != nil {
		t.Fatal(err)
	}
	want := wire.Batch{Spans: []wire.Span{{
		Trace: traceID, ID: spanID, Parent: "00f067aa0ba902b7", Name: "chat m", Start: 1_794_990_000_123, End: 1_794_990_001_000, Failed: true, Message: "refused", Service: "shop", Scope: "my.framework",
		Attributes: wire.Attributes{"gen_ai.usage.input_tokens": int64(12), "gen_ai.x": 0.5, "gen_ai.tool.call.arguments": map[string]any{"path": []any{"a", true}}},
	}}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	encoded := `{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"` + strings.ToUpper(traceID) + `","spanId":"` + spanID + `","parentSpanId":"00f067aa0ba902b7","name":"chat m","kind":3,
		"startTimeUnixNano":"1794990000123000000","endTimeUnixNano":1794990001000000000,"status":{"code":"STATUS_CODE_ERROR","message":"refused"},"links":[],
		"attributes":[{"key":"gen_ai.usage.input_tokens","value":{"intValue":"12"}},{"key":"gen_ai.x","value":{"doubleValue":0.5}},{"key":"http.url","value":{"stringValue":"ignored"}},
		{"key":"gen_ai.tool.call.arguments","value":{"kvlistValue":{"values":[{"key":"path","value":{"arrayValue":{"values":[{"stringValue":"a"},{"boolValue":true}]}}}]}}}]}],"scope":{"name":"my.framework"}}],
		"resource":{"attributes":[{"key":"service.name","value":{"stringValue":"shop"}}]}}]}`
	if got, err = wire.DecodeJSON([]byte(encoded)); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if args := string(got.Spans[0].Attributes.JSON("gen_ai.tool.call.arguments")); args != `{"path":["a",true]}` {
		t.Error(args)
	}
}

// Spans and attributes over a limit are rejected or left out.
func TestLimits(t *testing.T) {
	var many [][]byte
	for i := range contracts.LimitOTelAttributes + 1 {
		many = append(many, attribute(fmt.Sprint("gen_ai.", i), text("x")))
	}
	b, err := wire.DecodeProtobuf(request(span(many...), span(), field(nil, 1, []byte("short"))))
	if err != nil || len(b.Spans) != 1 || b.Rejected != 2 || b.Why != "a span has too many attributes" {
		t.Errorf("%d spans, %d rejected: %s, %v", len(b.Spans), b.Rejected, b.Why, err)
	}
	deep := text("x")
	for range contracts.LimitOTelDepth + 2 {
		deep = field(nil, 5, field(nil, 1, deep))
	}
	long := text(strings.Repeat("x", contracts.LimitOTelText))
	b, err = wire.DecodeProtobuf(request(span(attribute("gen_ai.deep", deep), attribute("gen_ai.long", long))))
	if err != nil || len(b.Spans) != 1 || b.Spans[0].Attributes.Has("gen_ai.long") {
		t.Errorf("%+v, %v", b, err)
	}
	if value := string(b.Spans[0].Attributes.JSON("gen_ai.deep")); strings.Contains(value, "x") {
		t.Errorf("a value below the deepest level is read: %s", value)
	}
	one := span()
	crowd := make([][]byte, contracts.LimitOTelSpans+5)
	for i := range crowd {
		crowd[i] = one
	}
	if b, err = wire.DecodeProtobuf(request(crowd...)); err != nil || len(b.Spans) != contracts.LimitOTelSpans || b.Rejected != 5 {
		t.Errorf("%d spans, %d rejected, %v", len(b.Spans), b.Rejected, err)
	}
}

func FuzzDecode(f *testing.F) {
	f.Add(request(span(attribute("gen_ai.x", text("y")))))
	f.Add([]byte(`{"resourceSpans":[{"scopeSpans":[{"spans":[{"attributes":[{"key":"gen_ai.x","value":{"intValue":1}}]}]}]}]}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		for _, decode := range []func([]byte) (wire.Batch, error){wire.DecodeProtobuf, wire.DecodeJSON} {
			b, err := decode(body)
			if err == nil && b.Rejected > 0 != (b.Why != "") {
				t.Errorf("%d rejected, because %q", b.Rejected, b.Why)
			}
		}
		_, _ = wire.CountProtobuf(body)
		_, _ = wire.CountJSON(body)
	})
}

// BenchmarkDecode measures a request with 512 spans that have 12 attributes each.
func BenchmarkDecode(b *testing.B) {
	attributes := [][]byte{attribute("gen_ai.operation.name", text("execute_tool")), attribute("gen_ai.tool.name", text("search")), attribute("gen_ai.tool.call.arguments", text(`{"q":"shoes"}`))}
	for i := range 9 {
		attributes = append(attributes, attribute(fmt.Sprint("framework.attribute.", i), text("a value of some length")))
	}
	one := span(attributes...)
	spans := make([][]byte, 512)
	for i := range spans {
		spans[i] = one
	}
	body := request(spans...)
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := wire.DecodeProtobuf(body); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(512*float64(b.N)/b.Elapsed().Seconds(), "spans/s")
}
