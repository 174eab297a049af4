package otel_test

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"
	"google.golang.org/protobuf/encoding/protowire"

	"github.com/bullpen-office/bullpen/agents"
	"github.com/bullpen-office/bullpen/agents/otel"
	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/hud/status"
	"github.com/bullpen-office/bullpen/intake"
)

// fakeOffice is an office that refuses or delays facts.
type fakeOffice struct {
	agents.Office
	agents.Roster

	full    error              // returned by Join
	refusal *contracts.Refusal // returned for every fact
	told    chan int           // number of facts in each call to Tell
	hold    chan struct{}      // Tell blocks until hold is closed; nil means no delay
}

func (o *fakeOffice) Join(context.Context, contracts.AgentProfile, intake.Proof) error { return o.full }
func (o *fakeOffice) AddEvidence(context.Context, string, status.Evidence)             {}

func (o *fakeOffice) Tell(_ context.Context, facts ...contracts.Fact) []contracts.Reply {
	o.told <- len(facts)
	if o.hold != nil {
		<-o.hold
	}
	replies := make([]contracts.Reply, len(facts))
	for i := range replies {
		replies[i].Refusal = o.refusal
	}
	return replies
}

// rig is a watcher behind an HTTP server.
type rig struct {
	*fakeOffice
	t       *testing.T
	url     string
	metrics *prometheus.Registry
}

func start(t *testing.T, o *fakeOffice) *rig {
	t.Helper()
	o.told = make(chan int, 100)
	metrics := prometheus.NewRegistry()
	w, err := otel.Adapter.Watch(agents.WatchConfig{
		Office: o, Roster: o, Metrics: metrics, Log: slog.New(slog.DiscardHandler),
		Principal: func(*http.Request) contracts.Principal { return contracts.Principal{} },
	})
	if err != nil {
		t.Fatal(err)
	}
	mux := http.NewServeMux()
	for pattern, handle := range w.Doors() {
		mux.HandleFunc(pattern, handle)
	}
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	return &rig{fakeOffice: o, t: t, url: server.URL, metrics: metrics}
}

func (r *rig) post(path, media string, body []byte) (*http.Response, []byte) {
	r.t.Helper()
	resp, err := http.Post(r.url+path, media, bytes.NewReader(body))
	if err != nil {
		r.t.Fatal(err)
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	if err != nil {
		r.t.Fatal(err)
	}
	return resp, answer
}

const (
	protobuf = "application/x-protobuf"
	inJSON   = "application/json"
)

// tool returns an OTLP request in JSON with one tool call.
func tool(id string) []byte {
	return fmt.Appendf(nil, `{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"0af7651916cd43dd8448eb211c80319c","spanId":%q,"name":"t","startTimeUnixNano":"1","endTimeUnixNano":"2","attributes":[{"key":"gen_ai.tool.name","value":{"stringValue":"search"}}]}]}]}]}`, id)
}

// toolProtobuf returns an OTLP request in protobuf with one tool call.
func toolProtobuf(t *testing.T, id string) []byte {
	t.Helper()
	trace, err := hex.DecodeString("0af7651916cd43dd8448eb211c80319c")
	if err != nil {
		t.Fatal(err)
	}
	field := func(to []byte, number protowire.Number, content string) []byte {
		return protowire.AppendString(protowire.AppendTag(to, number, protowire.BytesType), content)
	}
	attribute := field(field(nil, 1, "gen_ai.tool.name"), 2, string(field(nil, 1, "search")))
	span := field(field(field(nil, 1, string(trace)), 2, id), 9, string(attribute))
	return field(nil, 1, string(field(nil, 2, string(field(nil, 2, string(span))))))
}

// While the office cannot record, senders are told to retry, in their own encoding.
func TestSendersRetryWhileTheOfficeCannotRecord(t *testing.T) {
	r := start(t, &fakeOffice{refusal: contracts.Refuse(contracts.CodeInternal, "disk full")})
	for media, body := range map[string][]byte{inJSON: tool("b7ad6b7169203331"), protobuf: toolProtobuf(t, "12345678")} {
		resp, answer := r.post("/v1/traces", media, body)
		if resp.StatusCode != http.StatusServiceUnavailable || resp.Header.Get("Retry-After") == "" || resp.Header.Get("Content-Type") != media {
			t.Errorf("%s: %s %v", media, resp.Status, resp.Header)
		}
		if !bytes.Contains(answer, []byte("cannot record data right now")) || bytes.Contains(answer, []byte("disk")) {
			t.Errorf("%s: %q", media, answer)
		}
	}
}

// Spans that the office permanently refuses produce a partial success that gives the reason, so that
// senders do not retry.
func TestRefusedSpansAreAPartialSuccess(t *testing.T) {
	r := start(t, &fakeOffice{refusal: contracts.Refuse(contracts.CodeValidationFailed, "no such agent")})
	_, answer := r.post("/v1/traces", inJSON, tool("b7ad6b7169203331"))
	if got := string(answer); !strings.Contains(got, `"rejectedSpans":1`) || !strings.Contains(got, "no such agent") {
		t.Error(got)
	}
	resp, answer := r.post("/v1/traces", protobuf, toolProtobuf(t, "12345678"))
	number, kind, n := protowire.ConsumeTag(answer)
	if resp.StatusCode != http.StatusOK || number != 1 || kind != protowire.BytesType {
		t.Fatalf("%s %q", resp.Status, answer)
	}
	partial, _ := protowire.ConsumeBytes(answer[n:])
	if want := "\x08\x01\x12"; !bytes.HasPrefix(partial, []byte(want)) || !bytes.Contains(partial, []byte("no such agent")) {
		t.Errorf("%q", partial)
	}
	full := start(t, &fakeOffice{full: errors.New("the office is full")})
	if _, answer := full.post("/v1/traces", inJSON, tool("b7ad6b7169203331")); !bytes.Contains(answer, []byte("the office is full")) {
		t.Errorf("%s", answer)
	}
}

// Senders of requests over the limit are told to retry; requests are accepted again once earlier
// ones have completed.
func TestTooManyRequestsAtTheSameTime(t *testing.T) {
	r := start(t, &fakeOffice{hold: make(chan struct{})})
	done := make(chan int, contracts.LimitOTelRequests)
	for i := range contracts.LimitOTelRequests {
		go func() {
			resp, _ := r.post("/v1/traces", inJSON, tool(fmt.Sprintf("%016x", i+1)))
			done <- resp.StatusCode
		}()
	}
	for range contracts.LimitOTelRequests {
		<-r.told // the request is being recorded
	}
	if resp, _ := r.post("/v1/traces", inJSON, tool("b7ad6b7169203331")); resp.StatusCode != http.StatusTooManyRequests || resp.Header.Get("Retry-After") == "" {
		t.Errorf("%s %v", resp.Status, resp.Header)
	}
	close(r.hold)
	for range contracts.LimitOTelRequests {
		if code := <-done; code != http.StatusOK {
			t.Errorf("a waiting request: %d", code)
		}
	}
	if resp, _ := r.post("/v1/traces", inJSON, tool("b7ad6b7169203331")); resp.StatusCode != http.StatusOK {
		t.Errorf("after the others: %s", resp.Status)
	}
}

// Received items are counted by signal and outcome.
func TestItemsAreCounted(t *testing.T) {
	r := start(t, &fakeOffice{})
	r.post("/v1/traces", protobuf, toolProtobuf(t, "12345678"))
	r.post("/v1/traces", protobuf, toolProtobuf(t, "short"))
	r.post("/v1/traces", inJSON, []byte(`{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"0af7651916cd43dd8448eb211c80319c","spanId":"b7ad6b7169203331","name":"GET /"}]}]}]}`))
	r.post("/v1/logs", inJSON, []byte(`{"resourceLogs":[{"scopeLogs":[{"logRecords":[{},{}]}]}]}`))
	r.post("/v1/metrics", inJSON, []byte(`{"resourceMetrics":[{"scopeMetrics":[{"metrics":[{}]}]}]}`))
	families, err := r.metrics.Gather()
	if err != nil || len(families) != 1 {
		t.Fatalf("%d metrics, %v", len(families), err)
	}
	var got []string
	for _, m := range families[0].GetMetric() {
		labels := map[string]string{}
		for _, l := range m.GetLabel() {
			labels[l.GetName()] = l.GetValue()
		}
		got = append(got, fmt.Sprint(labels["signal"], " ", labels["outcome"], " ", m.GetCounter().GetValue()))
	}
	slices.Sort(got)
	want := []string{"logs ignored 2", "metrics ignored 1", "traces ignored 1", "traces recorded 1", "traces rejected 1"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
