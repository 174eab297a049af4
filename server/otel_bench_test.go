package server

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"
)

// BenchmarkSpans measures the OpenTelemetry span receiver, with a real socket and a real ledger on
// disk. Requests are sent one after another. Each has 512 spans, and each span is a tool call that
// is recorded.
func BenchmarkSpans(b *testing.B) {
	const batch = 512
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	s, err := New(b.Context(), Config{Crew: CrewNone, DataDir: b.TempDir()})
	if err != nil {
		b.Fatal(err)
	}
	served := make(chan error, 1)
	go func() { served <- s.Serve(ln) }()
	defer func() {
		http.DefaultClient.CloseIdleConnections()
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		if err := s.Shutdown(ctx); err != nil {
			b.Error(err)
		}
		<-served
	}()
	next := 0
	for b.Loop() {
		spans := make([]string, batch)
		for i := range spans {
			next++
			spans[i] = otlpSpan(fmt.Sprintf("%016x", next), "", "execute_tool search", 0, 1, "gen_ai.operation.name=execute_tool", "gen_ai.tool.name=search", "gen_ai.tool.call.arguments={}")
		}
		resp, err := http.Post("http://"+ln.Addr().String()+tracesDoor, "application/json", strings.NewReader(otlpRequest(spans...)))
		if err != nil {
			b.Fatal(err)
		}
		body, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil || resp.StatusCode != http.StatusOK || string(body) != "{}" {
			b.Fatalf("%d %s, %v", resp.StatusCode, body, err)
		}
	}
	b.ReportMetric(batch*float64(b.N)/b.Elapsed().Seconds(), "spans/s")
}
