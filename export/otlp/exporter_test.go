package otlp

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/bullpen-office/bullpen/backoff"
	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/e2e/leaktest"
	"github.com/bullpen-office/bullpen/ledger"
	"github.com/bullpen-office/bullpen/ledger/sqlite"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

const base = 1_800_000_000_000

// rig is an office's ledger and one run of its exporter.
type rig struct {
	t     *testing.T
	store *sqlite.Ledger
	to    *receiver
	cfg   Config
	log   logBuffer

	stop func() // ends the run
}

type logBuffer struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (b *logBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.Write(p)
}

func (b *logBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.String()
}

func newRig(t *testing.T) *rig {
	t.Helper()
	store, err := sqlite.Open(t.Context(), sqlite.Config{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() })
	r := &rig{t: t, store: store, to: newReceiver(t)}
	r.cfg = Config{
		Ledger: store, URL: r.to.srv.URL + tracesPath, Cursor: filepath.Join(t.TempDir(), "otlp.json"), Interval: time.Millisecond, Version: "v1",
		Now:  func() time.Time { return time.UnixMilli(base).Add(time.Minute) }, // every turn is complete
		Wait: func(ctx context.Context, _ time.Duration) error { return ctx.Err() },
		Profile: func(id string) contracts.AgentProfile {
			return contracts.AgentProfile{AgentID: id, Name: "Ada", Source: "claude"}
		},
		Provider: func(p contracts.AgentProfile) string { return "provider of " + p.Source },
		Header:   http.Header{"Api-Key": {"k"}},
		Log:      slog.New(slog.NewTextHandler(&r.log, nil)),
	}
	return r
}

// live runs an exporter until r.stop is called.
func (r *rig) live() {
	r.t.Helper()
	e, err := New(r.cfg)
	if err != nil {
		r.t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- e.Run(ctx) }()
	r.stop = sync.OnceFunc(func() {
		cancel()
		if err := <-ended; err != nil {
			r.t.Error(err)
		}
	})
	r.t.Cleanup(r.stop)
}

func (r *rig) append(bodies ...contracts.Body) {
	r.t.Helper()
	for _, b := range bodies {
		seq := r.store.Head() + 1
		if h, ok := b.(*contracts.HUD); ok && h.UUID == "" {
			h.UUID = fmt.Sprintf("u%d", seq)
		}
		rec, err := contracts.NewRecord(seq, base+int64(seq), "", b)
		if err == nil {
			err = r.store.Append(r.t.Context(), ledger.AnySeq, []contracts.Record{rec})
		}
		if err != nil {
			r.t.Fatal(err)
		}
	}
}

func turnOf(id string) []contracts.Body {
	return []contracts.Body{fact(contracts.HUDTurnStart, id), fact(contracts.HUDToolStart, "call_"+id), fact(contracts.HUDToolEnd, "call_"+id), fact(contracts.HUDTurnEnd, id)}
}

// ids counts how often each span was received.
func ids(spans []span) map[string]int {
	n := map[string]int{}
	for _, s := range spans {
		n[s.SpanID]++
	}
	return n
}

func TestExportsTurnsAndCalls(t *testing.T) {
	r := newRig(t)
	r.append(turnOf("before")...) // before the export was turned on: not sent
	r.live()
	price := 0.5
	r.append(fact(contracts.HUDReceived, "", func(h *contracts.HUD) { h.Subtype = "message"; h.Label = "secret words" }),
		fact(contracts.HUDTurnStart, "t"),
		fact(contracts.HUDToolStart, "c", func(h *contracts.HUD) { h.Args = []byte(`{"path":"secret"}`) }),
		fact(contracts.HUDToolEnd, "c", result(`{"ok":false,"error":"secret failure"}`)),
		&contracts.Event{Name: contracts.EventUsageReported, AgentID: "agent_eng_1", TurnID: "t", Usage: &contracts.Usage{Model: "opus", TokensIn: 10, TokensOut: 3, CacheRead: 100, CostUSD: &price}},
		fact(contracts.HUDTurnEnd, "t"))
	spans := r.to.until(2)
	call, turn := spans[0], spans[1]
	if turn.Name != "invoke_agent Ada" || call.Name != "execute_tool read" || call.ParentSpanID != turn.SpanID || call.TraceID != turn.TraceID || turn.ParentSpanID != "" {
		t.Errorf("%+v\n%+v", turn, call)
	}
	for key, want := range map[string]string{keyOperation: "invoke_agent", keyProvider: "provider of claude", keyAgentID: "agent_eng_1", keyAgentName: "Ada", keyConversation: "s1",
		keyModel: "opus", keyInputTokens: "110", keyOutputTokens: "3", keyCacheRead: "100", keyCost: "set"} {
		if got := turn.attribute(key); got != want {
			t.Errorf("%s is %q, want %q", key, got, want)
		}
	}
	if call.attribute(keyToolCallID) != "c" || call.attribute(keyToolName) != "read" || call.Status.Code != statusError || call.attribute(keyErrorType) == "" || turn.Status.Code != statusOK {
		t.Errorf("call %+v", call)
	}
	if len(turn.Events) != 1 || turn.Events[0].Name != "bullpen.received" {
		t.Errorf("events %+v", turn.Events)
	}
	if text := fmt.Sprintf("%+v", spans); strings.Contains(text, "secret") || call.attribute(keyToolArguments) != "" {
		t.Error("content was exported without being requested")
	}
	if r.to.headers.Get("Api-Key") != "k" || r.to.headers.Get("Content-Type") != "application/json" || r.to.headers.Get("Content-Encoding") != "gzip" {
		t.Errorf("headers %v", r.to.headers)
	}
}

func TestExportsContentWhenAsked(t *testing.T) {
	r := newRig(t)
	r.cfg.Content = true
	r.live()
	r.append(fact(contracts.HUDToolStart, "c", func(h *contracts.HUD) { h.Args = []byte(`{"path":"a"}`) }), fact(contracts.HUDToolEnd, "c", result(`{"ok":false,"error":"no"}`)))
	s := r.to.until(1)[0]
	if s.attribute(keyToolArguments) != `{"path":"a"}` || s.attribute(keyToolResult) == "" || s.Status.Message != "no" || s.ParentSpanID != "" {
		t.Errorf("%+v", s)
	}
}

// A restart in the middle of a turn loses nothing and repeats nothing.
func TestRestartInMidTurn(t *testing.T) {
	r := newRig(t)
	r.live()
	r.append(turnOf("first")...)
	r.append(fact(contracts.HUDTurnStart, "t"), fact(contracts.HUDToolStart, "c"))
	first := r.to.until(2)
	r.stop()
	r.append(fact(contracts.HUDToolEnd, "c"), fact(contracts.HUDTurnEnd, "t")) // while no exporter runs
	r.live()
	spans := r.to.until(4)
	r.stop()
	for id, n := range ids(spans) {
		if n != 1 {
			t.Errorf("span %s arrived %d times", id, n)
		}
	}
	if spans[2].ParentSpanID != spans[3].SpanID || spans[3].Start != nanos(base+5) || ids(first)[spans[3].SpanID] != 0 {
		t.Errorf("%+v", spans[2:])
	}
	r.live() // nothing is left to send
	r.append(turnOf("last")...)
	if spans := r.to.until(6); len(ids(spans)) != 6 {
		t.Errorf("%v", ids(spans))
	}
}

// A crash after the receiver accepted spans but before the cursor was saved repeats the spans with
// the same ids.
func TestRepeatedSpansAreTheSame(t *testing.T) {
	r := newRig(t)
	r.live()
	r.stop() // the cursor is at the beginning
	before, err := os.ReadFile(r.cfg.Cursor)
	if err != nil {
		t.Fatal(err)
	}
	r.append(turnOf("t")...)
	r.live()
	r.to.until(2)
	r.stop()
	if err := os.WriteFile(r.cfg.Cursor, before, 0o600); err != nil {
		t.Fatal(err)
	}
	r.live()
	spans := r.to.until(4)
	r.stop()
	if n := ids(spans); len(n) != 2 || spans[0].SpanID != spans[2].SpanID || spans[0].Start != spans[2].Start || spans[1].TraceID != spans[3].TraceID {
		t.Errorf("%v", n)
	}
}

// Spans are retried while the receiver is down, busy or misconfigured.
func TestUnavailableReceiverIsRetried(t *testing.T) {
	r := newRig(t)
	var mu sync.Mutex
	var waits []time.Duration
	r.cfg.Wait = func(ctx context.Context, d time.Duration) error {
		mu.Lock()
		defer mu.Unlock()
		waits = append(waits, d)
		return ctx.Err()
	}
	hangUp := func(w http.ResponseWriter) {
		conn, _, err := http.NewResponseController(w).Hijack()
		if err == nil {
			conn.Close()
		}
	}
	r.to.next(answer(429, "Retry-After", "7"), answer(503), hangUp, answer(500), answer(404), answer(401))
	r.live()
	r.append(turnOf("t")...)
	spans := r.to.until(2)
	r.stop()
	if len(ids(spans)) != 2 || len(spans) != 2 || len(waits) != 6 {
		t.Errorf("%d spans after %v", len(spans), waits)
	}
	if waits[0] != 7*time.Second || waits[1] <= waits[0]/100 || waits[5] > contracts.OTLPRetryMax {
		t.Errorf("waited %v", waits)
	}
	if log := r.log.String(); strings.Count(log, "receiver unavailable") != 1 || !strings.Contains(log, "available again") {
		t.Errorf("log: %s", log)
	}
}

// An unreachable receiver does not delay shutdown. If it is reachable after the next start, it then
// receives everything.
func TestUnavailableReceiverDoesNotDelayShutdown(t *testing.T) {
	r := newRig(t)
	good := r.cfg.URL
	r.cfg.URL = "http://127.0.0.1:1/v1/traces"
	r.cfg.Wait = backoff.Sleep
	r.live()
	r.append(turnOf("t")...)
	for !strings.Contains(r.log.String(), "receiver unavailable") {
		time.Sleep(time.Millisecond)
	}
	r.stop()
	r.cfg.URL = good
	r.live()
	if spans := r.to.until(2); len(ids(spans)) != 2 {
		t.Errorf("%v", ids(spans))
	}
}

// Only a span that the receiver rejects is dropped.
func TestRefusedSpanIsLeftOut(t *testing.T) {
	r := newRig(t)
	e, err := New(r.cfg)
	if err != nil {
		t.Fatal(err)
	}
	r.append(fact(contracts.HUDToolEnd, "a"), fact(contracts.HUDToolEnd, "b"))
	recs, err := r.store.Read(t.Context(), 0, 2)
	if err != nil {
		t.Fatal(err)
	}
	for i := range recs {
		e.spans.record(&recs[i])
	}
	r.to.next(answer(400), answer(413)) // both together, then the first alone
	if err := e.flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	if spans := r.to.until(1); len(spans) != 1 || spans[0].attribute(keyToolCallID) != "b" {
		t.Errorf("%+v", spans)
	}
	if !strings.Contains(r.log.String(), "rejected a span") {
		t.Errorf("log: %s", r.log.String())
	}
}

func TestPartialSuccessIsLogged(t *testing.T) {
	r := newRig(t)
	r.to.next(func(w http.ResponseWriter) {
		_, _ = w.Write([]byte(`{"partialSuccess":{"rejectedSpans":"1","errorMessage":"too old"}}`))
	})
	r.live()
	r.append(turnOf("t")...)
	for start := time.Now(); !strings.Contains(r.log.String(), "accepted only some"); time.Sleep(time.Millisecond) {
		if time.Since(start) > 2*time.Minute {
			t.Fatalf("log: %s", r.log.String())
		}
	}
	if log := r.log.String(); !strings.Contains(log, "too old") {
		t.Errorf("log: %s", log)
	}
}

func TestCursorOfAnotherLedger(t *testing.T) {
	r := newRig(t)
	r.append(turnOf("old")...)
	if err := cursorFile(r.cfg.Cursor).save(&state{Ledger: "another", Seq: 1}); err != nil {
		t.Fatal(err)
	}
	e, err := New(r.cfg)
	if err != nil || e.spans.Seq != r.store.Head() {
		t.Errorf("begins at %d of %d: %v", e.spans.Seq, r.store.Head(), err)
	}
	if err := os.WriteFile(r.cfg.Cursor, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := New(r.cfg); err == nil || !strings.Contains(err.Error(), "delete it") {
		t.Errorf("a damaged cursor: %v", err)
	}
}
