package hub

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/go-json-experiment/json"
	"github.com/gobwas/ws"

	"github.com/bullpen-office/bullpen/contracts"
)

// lostCursors are cursors from which a client cannot resume without a gap.
var lostCursors = map[string]struct {
	query  func(r *rig) string
	floor  uint64
	reason contracts.ResumeReason
}{
	"ahead":         {query: func(r *rig) string { return fmt.Sprint("after=", r.ledger.Head()+1) }, reason: contracts.ResumeCursorUnknown},
	"far ahead":     {query: func(*rig) string { return "after=9000000000" }, reason: contracts.ResumeCursorUnknown},
	"other ledger":  {query: func(*rig) string { return "after=2&epoch=another" }, reason: contracts.ResumeCursorUnknown},
	"other segment": {query: func(*rig) string { return "after=2&segment=another" }, reason: contracts.ResumeCursorUnknown},
	"below floor":   {query: func(r *rig) string { return "after=2&epoch=" + r.ledger.ID() }, floor: 3, reason: contracts.ResumeCursorStale},
}

// eachLost runs a test with each lost cursor. The timeline contains the HUD records h1 and h2, with
// a note between them.
func eachLost(t *testing.T, fn func(t *testing.T, r *rig, query string, reason contracts.ResumeReason)) {
	for name, c := range lostCursors {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l := &brokenLedger{Ledger: memoryLedger(t), floor: c.floor}
				defer l.Close()
				r := newRig(t, onLedger(l))
				defer r.stop()
				r.append(hudFact("h1"), note("n"), hudFact("h2"))
				synctest.Wait()
				fn(t, r, c.query(r), c.reason)
			})
		})
	}
}

// resyncOf reads a resync message from raw, which is the message's payload or its flat form.
func resyncOf(t *testing.T, raw []byte) (reason contracts.ResumeReason, last uint64) {
	t.Helper()
	var e contracts.Event
	if err := json.Unmarshal(raw, &e); err != nil || e.Name != contracts.EventResyncFallback || bytes.Contains(raw, []byte(`"seq"`)) {
		t.Fatalf("want a resync, got %s (%v)", raw, err)
	}
	return contracts.ResumeReason(e.Reason), e.LastSeq
}

func TestD1_EventsReportALostCursor(t *testing.T) {
	eachLost(t, func(t *testing.T, r *rig, query string, reason contracts.ResumeReason) {
		res := r.get(t, "/v1/events?"+query)
		defer res.Body.Close()
		var page struct {
			Events []message              `json:"events"`
			Next   uint64                 `json:"next_after"`
			Reason contracts.ResumeReason `json:"reason"`
		}
		if err := json.UnmarshalRead(res.Body, &page); err != nil {
			t.Fatal(err)
		}
		want := 0
		if reason == contracts.ResumeCursorStale {
			want = 2 // the remaining records follow
		}
		if page.Reason != reason || page.Next != r.ledger.Head() || len(page.Events) != want || page.Events == nil {
			t.Errorf("got %+v", page)
		}
		if got := res.Header.Get("Bullpen-Epoch"); got != r.ledger.ID() {
			t.Errorf("epoch %q", got)
		}
	})
}

func TestD1_EventsWithAValidCursorHaveNoReason(t *testing.T) {
	virtual(t, func(t *testing.T, r *rig) {
		for _, query := range []string{"", "?after=0", fmt.Sprint("?after=", r.ledger.Head()), "?epoch=" + r.ledger.ID()} {
			res := r.get(t, "/v1/events"+query)
			var page map[string]any
			if err := json.UnmarshalRead(res.Body, &page); err != nil || page["reason"] != nil {
				t.Errorf("%s: %v %v", query, page, err)
			}
			res.Body.Close()
		}
	})
}

func TestD1_EventStreamReportsALostCursor(t *testing.T) {
	eachLost(t, func(t *testing.T, r *rig, query string, reason contracts.ResumeReason) {
		checkLostStream(t, r, r.get(t, "/v1/events/stream?kind=hud&"+query), query, reason)
	})
}

func TestD1_EventStreamReportsALostLastEventID(t *testing.T) {
	eachLost(t, func(t *testing.T, r *rig, query string, reason contracts.ResumeReason) {
		id, epoch, _ := strings.Cut(strings.TrimPrefix(query, "after="), "&")
		checkLostStream(t, r, r.get(t, "/v1/events/stream?kind=hud&"+epoch, "Last-Event-ID", id), query, reason)
	})
}

// checkLostStream expects a resync message without an id, then either a bare id that resets an
// invalid cursor or the remaining records, then live records.
func checkLostStream(t *testing.T, r *rig, res *http.Response, query string, reason contracts.ResumeReason) {
	t.Helper()
	defer res.Body.Close()
	if got := res.Header.Get("Bullpen-Epoch"); got != r.ledger.ID() {
		t.Errorf("epoch %q", got)
	}
	b := bufio.NewReader(res.Body)
	sse(t, b) // skips the retry interval
	e := sse(t, b)
	_, hasID := e["id"]
	got, last := resyncOf(t, decodeMessage(t, []byte(e["data"])).Payload)
	if got != reason || !strings.HasPrefix(query, fmt.Sprint("after=", last)) || e["event"] != "event" || hasID {
		t.Errorf("resync %v", e)
	}
	switch e := sse(t, b); reason {
	case contracts.ResumeCursorUnknown:
		if seq, _, _ := strings.Cut(e["id"], "."); seq != fmt.Sprint(r.ledger.Head()) || len(e) != 1 {
			t.Errorf("the cursor was not reset: %v", e)
		}
	default:
		if !strings.Contains(e["data"], `"h2"`) {
			t.Errorf("the remaining records do not follow: %v", e)
		}
	}
	r.append(hudFact("live"))
	if e := sse(t, b); !strings.Contains(e["data"], `"live"`) || strings.Contains(e["data"], "replay") {
		t.Errorf("live %v", e)
	}
}

func TestD1_HUDSocketReportsALostCursor(t *testing.T) {
	eachLost(t, func(t *testing.T, r *rig, query string, reason contracts.ResumeReason) {
		v := r.connectTo(t, "/ws/hud?agent=agent_bd&"+query)
		m := v.next()
		if got, _ := resyncOf(t, []byte(m.raw)); got != reason || m.Type != contracts.TypeEvent || m.Payload != nil {
			t.Errorf("got %s", m.raw)
		}
		if reason == contracts.ResumeCursorStale {
			if m := v.next(); m.ID != "h2" || !strings.Contains(m.raw, `"replay":true`) {
				t.Errorf("remaining records: %s", m.raw)
			}
		}
		r.append(hudFact("live"))
		if m := v.next(); m.ID != "live" || strings.Contains(m.raw, "replay") {
			t.Errorf("live: %s", m.raw)
		}
	})
}

func TestD1_SocketsNameTheirLedger(t *testing.T) {
	virtual(t, func(t *testing.T, r *rig) {
		var epoch string
		d := ws.Dialer{
			NetDial: func(context.Context, string, string) (net.Conn, error) { return r.dial() },
			OnHeader: func(key, value []byte) error {
				if http.CanonicalHeaderKey(string(key)) == "Bullpen-Epoch" {
					epoch = string(value)
				}
				return nil
			},
		}
		conn, _, _, err := d.Dial(t.Context(), "ws://127.0.0.1/ws/hud")
		if err != nil {
			t.Fatal(err)
		}
		conn.Close()
		if epoch != r.ledger.ID() {
			t.Errorf("epoch %q", epoch)
		}
	})
}

// After a restart, a browser reconnects with its original URL and the last id that it received. The
// stream continues from that id, regardless of the segment in the URL.
func TestD1_EventStreamContinuesAfterARestart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "ledger.db")
		url, last := "", ""
		for life := range 4 {
			l := fileLedger(t, path)
			r := newRig(t, onLedger(l))
			r.append(note("missed %d", life)) // before the browser reconnects
			if life == 0 {
				url = "/v1/events/stream?kind=event&epoch=" + l.ID() + "&segment=" + l.Segment()
			}
			res := r.get(t, url, "Last-Event-ID", last)
			b := bufio.NewReader(res.Body)
			sse(t, b) // skips the retry interval
			e := sse(t, b)
			if last = e["id"]; len(e) != 1 || !strings.HasSuffix(last, "."+l.Segment()) {
				t.Fatalf("life %d starts with %v", life, e)
			}
			if life > 0 {
				if e = sse(t, b); !strings.Contains(e["data"], fmt.Sprint("missed ", life)) {
					t.Fatalf("life %d: %v", life, e)
				}
				last = e["id"]
			} // the first connection reads only the opening id
			res.Body.Close()
			r.stop()
			if err := l.Close(); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// A stream does not continue from an id that belongs to another history, and refuses invalid ids.
func TestD1_EventStreamRejectsForeignIDs(t *testing.T) {
	virtual(t, func(t *testing.T, r *rig) {
		r.append(note("n"))
		for id, lost := range map[string]bool{
			"1." + r.ledger.Segment(): false, "1.lother": true, fmt.Sprint(r.ledger.Head()+1, ".", r.ledger.Segment()): true,
		} {
			res := r.get(t, "/v1/events/stream?kind=event", "Last-Event-ID", id)
			b := bufio.NewReader(res.Body)
			sse(t, b) // skips the retry interval
			if e := sse(t, b); strings.Contains(e["data"], string(contracts.ResumeCursorUnknown)) != lost {
				t.Errorf("%s: %v", id, e)
			}
			res.Body.Close()
		}
		for _, id := range []string{"1.", ".l1", "1.L1", "x", "-1.l1", "1.l1.l1"} {
			res := r.get(t, "/v1/events/stream", "Last-Event-ID", id)
			res.Body.Close()
			if res.StatusCode != http.StatusBadRequest {
				t.Errorf("%q: %d", id, res.StatusCode)
			}
		}
	})
}
