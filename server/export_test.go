package server

import (
	"bufio"
	"compress/gzip"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/google/uuid"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/export/agui"
)

// aguiEvents opens a stream; its events arrive on the channel until the stream ends.
func (r *rig) aguiEvents(query string) (<-chan agui.Event, context.CancelFunc) {
	r.t.Helper()
	ctx, cancel := context.WithCancel(r.t.Context())
	req, _ := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+r.addr+"/v1/agui/stream"+query, nil)
	resp, err := (&http.Transport{DisableKeepAlives: true}).RoundTrip(req)
	if err != nil || resp.StatusCode != 200 {
		r.t.Fatal(err, resp)
	}
	events := make(chan agui.Event)
	go func() {
		defer resp.Body.Close()
		defer close(events)
		lines := bufio.NewScanner(resp.Body)
		lines.Buffer(nil, contracts.LimitFrame)
		for lines.Scan() {
			data, ok := strings.CutPrefix(lines.Text(), "data: ")
			var e agui.Event
			if ok && json.Unmarshal([]byte(data), &e) == nil {
				select {
				case events <- e:
				case <-ctx.Done():
					return
				}
			}
		}
	}()
	return events, cancel
}

// The AG-UI stream sends the state, then events, until the office closes.
func TestAGUIStream(t *testing.T) {
	r := startRig(t, Config{Crew: CrewNone})
	events, cancel := r.aguiEvents("?agent=agent_claude_1")
	defer cancel()
	for _, want := range []agui.Type{agui.RunStarted, agui.StateSnapshot, agui.RunFinished} {
		if e := <-events; e.Type != want {
			t.Fatalf("%s, want %s", e.Type, want)
		}
	}
	r.tell(contracts.AgentSeen{Profile: contracts.AgentProfile{AgentID: "agent_claude_1", Name: "Claude", Source: "claude"}},
		contracts.HUDSeen{HUD: contracts.HUD{UUID: uuid.NewString(), Event: contracts.HUDTurnStart, CorrelationID: "t1", AgentID: "agent_claude_1", Session: "claude:s"}})
	for e := range events {
		if e.Type == agui.RunStarted && e.RunID == "t1" && e.ThreadID == "claude:s" {
			break
		}
	}
	office, stop := r.aguiEvents("")
	defer stop()
	<-office // the start of the run
	var snap contracts.Snapshot
	if e := <-office; e.Type != agui.StateSnapshot || json.Unmarshal(e.Snapshot, &snap) != nil || len(snap.Agents) != 1 {
		t.Errorf("the office begins with %s %s", e.Type, e.Snapshot)
	}
	stopped := make(chan struct{})
	go func() { r.stop(); close(stopped) }() // the streams end at shutdown; otherwise this would hang
	for range events {
	}
	for range office {
	}
	<-stopped
}

// Traces are exported to the configured URL.
func TestTracesAreExported(t *testing.T) {
	bodies := make(chan string, 8)
	collector := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, req *http.Request) {
		z, err := gzip.NewReader(req.Body)
		if err != nil {
			t.Error(err)
			return
		}
		body, _ := io.ReadAll(z)
		bodies <- string(body)
	}))
	defer collector.Close()
	r := startRig(t, Config{Crew: CrewNone, Traces: &TracesConfig{URL: collector.URL + "/v1/traces"}})
	r.tell(contracts.AgentSeen{Profile: contracts.AgentProfile{AgentID: "agent_claude_1", Name: "Claude", Source: "claude"}},
		contracts.HUDSeen{HUD: contracts.HUD{UUID: uuid.NewString(), Event: contracts.HUDToolStart, CorrelationID: "toolu_1", Tool: "read", AgentID: "agent_claude_1", Session: "claude:s"}},
		contracts.HUDSeen{HUD: contracts.HUD{UUID: uuid.NewString(), Event: contracts.HUDToolEnd, CorrelationID: "toolu_1", Tool: "read", AgentID: "agent_claude_1", Session: "claude:s"}})
	if body := <-bodies; !strings.Contains(body, `"name":"execute_tool read"`) || !strings.Contains(body, `"stringValue":"toolu_1"`) || !strings.Contains(body, r.ledger.ID()) {
		t.Errorf("%s", body)
	}
}
