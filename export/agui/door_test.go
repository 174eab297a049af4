package agui

import (
	"bufio"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/e2e/leaktest"
	"github.com/bullpen-office/bullpen/ledger"
	"github.com/bullpen-office/bullpen/ledger/sqlite"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

// rig serves a Door that reads a real ledger.
type rig struct {
	t     *testing.T
	store *sqlite.Ledger
	door  *Door
	url   string
}

func newRig(t *testing.T, cfg Config) *rig {
	t.Helper()
	store, err := sqlite.Open(t.Context(), sqlite.Config{})
	if err != nil {
		t.Fatal(err)
	}
	cfg.Ledger, cfg.Open = store, openIn(store)
	cfg.State = func() contracts.Snapshot {
		return contracts.Snapshot{Agents: []contracts.Agent{{AgentProfile: contracts.AgentProfile{AgentID: "agent_eng_1"}}}}
	}
	cfg.Principal = func(r *http.Request) contracts.Principal { return contracts.Principal{ID: r.Header.Get("As")} }
	r := &rig{t: t, store: store, door: New(cfg)}
	srv := httptest.NewServer(r.door)
	r.url = srv.URL
	t.Cleanup(func() {
		r.door.Close()
		srv.Close()
		store.Close()
	})
	return r
}

// openIn returns an Open that reads the whole ledger. In production, the office tracks open
// activity.
func openIn(store *sqlite.Ledger) Open {
	return func(ctx context.Context, upTo uint64) (open []contracts.Record, err error) {
		recs, err := store.Read(ctx, 0, 1<<20, contracts.KindHUD)
		for _, rec := range recs {
			h, _ := rec.Head()
			if h.Event.Ends() {
				open = slices.DeleteFunc(open, func(o contracts.Record) bool { began, _ := o.Head(); return began.CorrelationID == h.CorrelationID })
			} else if h.Event.Starts() {
				open = append(open, rec)
			}
		}
		return slices.DeleteFunc(open, func(o contracts.Record) bool { return o.Seq > upTo }), err
	}
}

func (r *rig) append(bodies ...contracts.Body) {
	r.t.Helper()
	for _, b := range bodies {
		if h, ok := b.(*contracts.HUD); ok && h.UUID == "" {
			h.UUID = fmt.Sprintf("u%d", r.store.Head()+1)
		}
		if err := r.store.Append(r.t.Context(), ledger.AnySeq, []contracts.Record{record(r.t, r.store.Head()+1, b)}); err != nil {
			r.t.Fatal(err)
		}
	}
}

// reader is a client of the stream.
type reader struct {
	t      *testing.T
	lines  *bufio.Scanner
	header http.Header
	lastID string
	events []Event
	closed func()
}

func (r *rig) open(query string, header ...string) *reader {
	r.t.Helper()
	ctx, cancel := context.WithCancel(r.t.Context())
	req, _ := http.NewRequestWithContext(ctx, http.MethodGet, r.url+"/v1/agui/stream?"+query, nil)
	for i := 0; i+1 < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil || resp.StatusCode != 200 || resp.Header.Get("Content-Type") != "text/event-stream" {
		r.t.Fatalf("%v %+v", err, resp)
	}
	c := &reader{t: r.t, lines: bufio.NewScanner(resp.Body), header: resp.Header, closed: func() { cancel(); resp.Body.Close() }}
	c.lines.Buffer(nil, 1<<20)
	r.t.Cleanup(c.closed)
	return c
}

// next reads one event; ok is false at the end of the stream.
func (c *reader) next() (e Event, ok bool) {
	c.t.Helper()
	for c.lines.Scan() {
		if id, is := strings.CutPrefix(c.lines.Text(), "id: "); is {
			c.lastID = id
		}
		if data, is := strings.CutPrefix(c.lines.Text(), "data: "); is {
			if err := json.Unmarshal([]byte(data), &e); err != nil {
				c.t.Fatalf("%s: %v", data, err)
			}
			c.events = append(c.events, e)
			return e, true
		}
	}
	return e, false
}

func (c *reader) until(typ Type) Event {
	c.t.Helper()
	for {
		e, ok := c.next()
		if !ok {
			c.t.Fatalf("the stream ended before %s", typ)
		}
		if e.Type == typ {
			return e
		}
	}
}

// A client that is cut off anywhere and reconnects with Last-Event-ID sees every record, and each
// response is a valid sequence on its own.
func TestStreamResumes(t *testing.T) {
	r := newRig(t, Config{})
	r.append(fact(contracts.HUDTurnStart, "t"), fact(contracts.HUDToolStart, "c"), fact(contracts.HUDReceived, ""))
	first := r.open("agent=agent_eng_1&after=0")
	first.until(Custom)
	if first.lastID != "3" || first.header.Get(contracts.HeaderEpoch) != r.store.ID() {
		t.Errorf("id %q, epoch %q", first.lastID, first.header.Get(contracts.HeaderEpoch))
	}
	first.closed()
	checkRules(t, first.events)
	r.append(fact(contracts.HUDToolEnd, "c", result(`{"ok":true}`)), fact(contracts.HUDTurnEnd, "t"))
	second := r.open("agent=agent_eng_1", "Last-Event-ID", first.lastID)
	if e := second.until(RunStarted); e.RunID != "t" {
		t.Errorf("the run in progress is missing: %+v", e)
	}
	if e := second.until(StateSnapshot); !strings.HasPrefix(string(e.Snapshot), `{"agent":{"agent_id":"agent_eng_1"`) {
		t.Errorf("state %s", e.Snapshot)
	}
	if e := second.until(ToolCallStart); e.ToolCallID != "c" {
		t.Errorf("the call in progress is missing: %+v", e)
	}
	second.until(ToolCallResult)
	second.until(RunFinished)
	checkRules(t, second.events)
	r.append(fact(contracts.HUDTurnStart, "live"))
	if e := second.until(RunStarted); e.RunID != "live" || second.lastID != "6" {
		t.Errorf("%+v after %s", e, second.lastID)
	}
	third := r.open("agent=agent_eng_1&epoch=past&segment=lpast", "Last-Event-ID", "6."+r.store.Segment()) // the URL is older than the id
	r.append(fact(contracts.HUDTurnEnd, "live"))
	if third.until(RunFinished); third.lastID != "7."+r.store.Segment() {
		t.Errorf("id %q", third.lastID)
	}
}

// Runs and calls in progress are sent with their arguments, however long ago they began; activity
// that has ended since is not shown as open.
func TestStreamShowsLongRunningActivity(t *testing.T) {
	r := newRig(t, Config{})
	call := fact(contracts.HUDToolStart, "c")
	call.Args = jsontext.Value(`{"path":"a.go"}`)
	r.append(fact(contracts.HUDTurnStart, "t"), call)
	var batch []contracts.Record
	for i := range 6000 {
		h := fact(contracts.HUDReceived, "")
		h.UUID = fmt.Sprint("much", i)
		batch = append(batch, record(t, r.store.Head()+uint64(i)+1, h))
	}
	for part := range slices.Chunk(batch, contracts.LimitAppendBatch) {
		if err := r.store.Append(t.Context(), ledger.AnySeq, part); err != nil {
			t.Fatal(err)
		}
	}
	r.append(fact(contracts.HUDToolStart, "over"), fact(contracts.HUDToolEnd, "over"))
	c := r.open("agent=agent_eng_1")
	if e := c.until(RunStarted); e.RunID != "t" {
		t.Errorf("the run in progress is missing: %+v", e)
	}
	if e := c.until(ToolCallStart); e.ToolCallID != "c" {
		t.Errorf("the call in progress is missing: %+v", e)
	}
	if e := c.until(ToolCallArgs); e.Delta != `{"path":"a.go"}` {
		t.Errorf("its arguments: %+v", e)
	}
	r.append(fact(contracts.HUDToolEnd, "c", result(`{"ok":true}`)), fact(contracts.HUDTurnEnd, "t"))
	if e := c.until(ToolCallResult); e.ToolCallID != "c" {
		t.Errorf("%+v", e)
	}
	c.until(RunFinished)
	checkRules(t, c.events)
}

func TestStreamReportsALostCursor(t *testing.T) {
	r := newRig(t, Config{})
	r.append(fact(contracts.HUDTurnStart, "t"))
	c := r.open("after=99")
	if e := c.until(Custom); e.Name != "bullpen.resync" || string(e.Value) != `{"reason":"CURSOR_UNKNOWN","last_seq":99}` || c.lastID != "1" {
		t.Errorf("%+v with id %s", e, c.lastID)
	}
	c = r.open("after=1&epoch=another")
	if e := c.until(Custom); e.Name != "bullpen.resync" {
		t.Errorf("%+v", e)
	}
	if _, err := r.store.Retain(t.Context(), time.UnixMilli(now).Add(time.Hour), []ledger.Rule{{Kind: contracts.KindHUD, MaxAge: time.Minute}}); err != nil {
		t.Fatal(err)
	}
	c = r.open("after=0&agent=agent_eng_1")
	if e := c.until(Custom); !strings.Contains(string(e.Value), "CURSOR_STALE") {
		t.Errorf("%s", e.Value)
	}
	checkRules(t, c.events)
}

func TestStreamRefusals(t *testing.T) {
	r := newRig(t, Config{})
	for _, query := range []string{"agent=Bob", "after=-1", "after=x", "session=" + strings.Repeat("x", 1000)} {
		resp, err := http.Get(r.url + "/?" + query)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != 400 {
			t.Errorf("%s: %d", query, resp.StatusCode)
		}
	}
}

// Streams end with their credential and with the server, and send keep-alives until then.
func TestStreamEnds(t *testing.T) {
	r := newRig(t, Config{KeepAlive: time.Millisecond})
	revoked, stays := r.open("", "As", "tok_a"), r.open("", "As", "tok_b")
	revoked.until(StateSnapshot)
	stays.until(StateSnapshot)
	for stays.lines.Scan() && stays.lines.Text() != ": keep-alive" {
	}
	r.door.CloseRevoked("tok_a")
	if _, ok := revoked.next(); ok {
		t.Error("a revoked stream continues")
	}
	r.append(fact(contracts.HUDTurnStart, "t"))
	stays.until(StepStarted)
	r.door.Close()
	if _, ok := stays.next(); ok {
		t.Error("a closed stream continues")
	}
	resp, err := http.Get(r.url)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode != 503 || resp.Header.Get("Retry-After") == "" {
		t.Errorf("after Close: %d", resp.StatusCode)
	}
}
