package contracts

import (
	"testing"
)

const submitRequest = `{"type":"command","id":"cmd_001","ts":1739500100,"v":1,"payload":{"name":"submit_request","data":{"text":"Create a landing page plan + copy + design brief","constraints":{"tone":"friendly","length":"short"},"attachments":[]}}}`

func BenchmarkParseSubmitRequest(b *testing.B) {
	raw := []byte(submitRequest)
	b.ReportAllocs()
	for b.Loop() {
		if _, r := Parse(raw); r != nil {
			b.Fatal(r)
		}
	}
}
