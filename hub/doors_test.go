package hub

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/bullpen-office/bullpen/contracts"
)

// get sends a request to one of the HTTP endpoints over the rig's own listener.
func (r *rig) get(t *testing.T, path string, header ...string) *http.Response {
	t.Helper()
	tr := &http.Transport{
		DisableKeepAlives: true,
		DialContext:       func(context.Context, string, string) (net.Conn, error) { return r.dial() },
	}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://127.0.0.1"+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	res, err := tr.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	return res
}

func TestEventsPageThroughTheTimeline(t *testing.T) {
	virtual(t, func(t *testing.T, r *rig) {
		for i := range 25 {
			r.append(note("%d", i), say("x"), &contracts.Receipt{CommandID: "c"})
		}
		r.append(hudFact("h1"))
		after, seen := uint64(0), 0
		for range 100 {
			res := r.get(t, fmt.Sprintf("/v1/events?after=%d&limit=7&kind=chat,hud", after))
			var page struct {
				Events []message `json:"events"`
				Next   uint64    `json:"next_after"`
			}
			if err := json.UnmarshalRead(res.Body, &page); err != nil {
				t.Fatal(err)
			}
			res.Body.Close()
			seen += len(page.Events)
			if after = page.Next; len(page.Events) == 0 {
				break
			}
		}
		if seen != 26 || after != r.ledger.Head() {
			t.Errorf("saw %d records, ended at %d of %d", seen, after, r.ledger.Head())
		}
	})
}

func TestEventsRefuseBadQueries(t *testing.T) {
	virtual(t, func(t *testing.T, r *rig) {
		for query, field := range map[string]string{
			"/v1/events?after=-1": "after", "/v1/events?after=x": "after", "/v1/events?limit=0": "limit",
			"/v1/events?limit=1001": "limit", "/v1/events?kind=receipt": "kind",
			"/v1/events/stream?after=1.5": "after", "/v1/events/stream?kind=nope": "kind", "/ws/hud?after=no": "after", "/ws/hud?agent=nobody": "agent",
		} {
			res := r.get(t, query)
			var refusal contracts.Refusal
			if err := json.UnmarshalRead(res.Body, &refusal); err != nil || res.StatusCode != 400 || refusal.Field != field {
				t.Errorf("%s: %d %+v %v", query, res.StatusCode, refusal, err)
			}
			res.Body.Close()
		}
	})
}

// sse reads one server-sent event or comment.
func sse(t *testing.T, b *bufio.Reader) map[string]string {
	t.Helper()
	out := map[string]string{}
	for {
		line, err := b.ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		if line = strings.TrimSuffix(line, "\n"); line == "" {
			return out
		}
		key, value, _ := strings.Cut(line, ": ")
		out[key] = value
	}
}

func TestEventStreamContinuesFromTheLastEventID(t *testing.T) {
	virtual(t, func(t *testing.T, r *rig) {
		first := r.append(note("0"))
		for i := range 5 {
			r.append(note("%d", i+1), say("x"))
		}
		res := r.get(t, "/v1/events/stream?kind=event&after=1", "Last-Event-ID", fmt.Sprint(first))
		defer res.Body.Close()
		if ct := res.Header.Get("Content-Type"); ct != "text/event-stream" {
			t.Errorf("content type %q", ct)
		}
		b := bufio.NewReader(res.Body)
		if e := sse(t, b); e["retry"] == "" {
			t.Errorf("first: %v", e)
		}
		for i := range 5 {
			e := sse(t, b)
			m := decodeMessage(t, []byte(e["data"]))
			if e["event"] != "event" || e["id"] != fmt.Sprint(m.Seq) || m.Note != fmt.Sprint(i+1) {
				t.Errorf("event %d: %v", i, e)
			}
		}
		start := time.Now()
		if e := sse(t, b); e[""] != "keep-alive" || time.Since(start) != contracts.StreamKeepAlive {
			t.Errorf("after %v: %v", time.Since(start), e)
		}
		r.append(note("live"))
		if e := sse(t, b); !strings.Contains(e["data"], "live") {
			t.Errorf("live: %v", e)
		}
		r.stop()
		if _, err := b.ReadString('\n'); err == nil {
			t.Error("the stream continues after shutdown")
		}
	})
}

func TestHUDSocketIsFlatAndFiltered(t *testing.T) {
	for name, ring := range map[string]int{"ring": 0, "cold": 1} {
		t.Run(name, func(t *testing.T) {
			virtual(t, func(t *testing.T, r *rig) {
				other := hudFact("h2")
				other.AgentID = "agent_other"
				r.append(hudFact("h1"), other, note("x"), note("y"))
				synctest.Wait()
				v := r.connectTo(t, "/ws/hud?agent=agent_bd&session=main&after=0")
				var flat map[string]jsontext.Value
				m := v.next()
				if err := json.Unmarshal([]byte(m.raw), &flat); err != nil {
					t.Fatal(err)
				}
				for key, want := range map[string]string{
					"type": `"hud"`, "event": `"tool_start"`, "id": `"h1"`, "replay": "true", "tool": `"read"`, "agent_id": `"agent_bd"`,
				} {
					if string(flat[key]) != want {
						t.Errorf("member %s is %s in %s", key, flat[key], m.raw)
					}
				}
				if flat["payload"] != nil || flat["v"] != nil {
					t.Errorf("the message is not flat: %s", m.raw)
				}
				r.append(hudFact("h3"))
				if m := v.next(); m.ID != "h3" || strings.Contains(m.raw, "replay") {
					t.Errorf("live %s", m.raw)
				}
				time.Sleep(5 * time.Minute) // the server pings, and the client's pongs keep the connection open
				r.append(hudFact("h4"))
				if m := v.next(); m.ID != "h4" {
					t.Errorf("live %s", m.raw)
				}
				r.stop()
				if code := v.awaitClose(); code != contracts.CloseGoingAway {
					t.Errorf("code %d", code)
				}
			}, withConfig(func(c *Config) { c.Limits.RingBytes = ring }))
		})
	}
}

func TestHUDSocketWithoutCursorStartsNow(t *testing.T) {
	virtual(t, func(t *testing.T, r *rig) {
		r.append(hudFact("old"))
		v := r.connectTo(t, "/ws/hud")
		synctest.Wait()
		r.append(hudFact("new"))
		if m := v.next(); m.ID != "new" {
			t.Errorf("got %s", m.raw)
		}
	})
}

// If a stream is refused because the server is shutting down, the response says so.
func TestStreamRefusedAtShutdown(t *testing.T) {
	virtual(t, func(t *testing.T, r *rig) {
		if err := r.hub.Shutdown(t.Context()); err != nil {
			t.Fatal(err)
		}
		res := r.get(t, "/v1/events/stream")
		defer res.Body.Close()
		if body, err := io.ReadAll(res.Body); err != nil || res.StatusCode != http.StatusServiceUnavailable || !strings.Contains(string(body), "shutting down") {
			t.Errorf("%d %s (%v)", res.StatusCode, body, err)
		}
	})
}
