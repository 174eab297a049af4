package server

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// BenchmarkClaudeHooks measures hooks under load: 32 concurrent sessions use real sockets and a
// real ledger on disk, and each sends its next hook when the previous one has been answered. It
// reports the median and the 99th percentile of the response time.
func BenchmarkClaudeHooks(b *testing.B) {
	const sessions = 32
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
	transport := &http.Transport{MaxIdleConnsPerHost: sessions}
	defer func() {
		transport.CloseIdleConnections()
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		if err := s.Shutdown(ctx); err != nil {
			b.Error(err)
		}
		<-served
	}()
	took := make([][]time.Duration, sessions)
	post := func(session, n int, event string) {
		body := fmt.Sprintf(`{"session_id":"s%d","prompt_id":"p%d","cwd":"/src/shop%d","hook_event_name":"%s","tool_name":"Bash","tool_input":{"command":"make test"},"tool_response":{"stdout":"ok"},"tool_use_id":"c%d_%d"}`,
			session, n/20, session, event, session, n/2)
		req, err := http.NewRequest(http.MethodPost, "http://"+ln.Addr().String()+hookDoor, strings.NewReader(body))
		if err != nil {
			b.Error(err)
			return
		}
		start := time.Now()
		resp, err := transport.RoundTrip(req)
		if err != nil {
			b.Error(err)
			return
		}
		_, _ = io.Copy(io.Discard, resp.Body)
		resp.Body.Close()
		took[session] = append(took[session], time.Since(start))
		if resp.StatusCode != http.StatusOK && resp.StatusCode != http.StatusAccepted { // OK: recorded; Accepted: not yet recorded
			b.Errorf("status %d", resp.StatusCode)
		}
	}
	for i := range sessions { // start every session before measuring
		post(i, 0, "UserPromptSubmit")
		took[i] = nil
	}
	b.ResetTimer()
	var running sync.WaitGroup
	for i := range sessions {
		running.Go(func() {
			for n := range max(b.N/sessions, 1) {
				post(i, n, []string{"PreToolUse", "PostToolUse"}[n%2])
			}
		})
	}
	running.Wait()
	b.StopTimer()
	all := slices.Sorted(slices.Values(slices.Concat(took...)))
	b.ReportMetric(float64(len(all))/b.Elapsed().Seconds(), "hooks/s")
	b.ReportMetric(ms(all[len(all)/2]), "ms/p50")
	b.ReportMetric(ms(all[len(all)*99/100]), "ms/p99")
	b.ReportMetric(ms(all[len(all)-1]), "ms/max")
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
