package hub

import (
	"bufio"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/go-json-experiment/json"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/ledger"
)

// writersLedger is a ledger whose writer changes while it is open, as with several nodes.
type writersLedger struct {
	ledger.Ledger
	reading func() // called before every Read; optional

	mu     sync.Mutex
	starts []segmentStart
}

type segmentStart struct {
	after uint64
	token string
}

// takeOver starts a segment with the next record.
func (l *writersLedger) takeOver(token string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.starts = append(l.starts, segmentStart{l.Head(), token})
}

func (l *writersLedger) Segment() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, s := range slices.Backward(l.starts) {
		if s.after < l.Head() {
			return s.token
		}
	}
	return l.ID()
}

func (l *writersLedger) Holds(token string, seq uint64) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	head := l.Head()
	for _, s := range slices.Backward(l.starts) {
		if s.token == token {
			return seq <= head
		}
		head = s.after
	}
	return token == l.ID() && seq <= head
}

func (l *writersLedger) Durable() bool { return true }

func (l *writersLedger) Read(ctx context.Context, after uint64, limit int, kinds ...contracts.Kind) ([]contracts.Record, error) {
	if l.reading != nil {
		l.reading()
	}
	return l.Ledger.Read(ctx, after, limit, kinds...)
}

// withWriters runs a test on a ledger whose writer changes. The first segment is "l1".
func withWriters(t *testing.T, test func(t *testing.T, r *rig, l *writersLedger), opts ...rigOption) {
	synctest.Test(t, func(t *testing.T) {
		l := &writersLedger{Ledger: memoryLedger(t)}
		defer l.Close()
		l.takeOver("l1")
		r := newRig(t, append([]rigOption{onLedger(l)}, opts...)...)
		defer r.stop()
		synctest.Wait()
		test(t, r, l)
	})
}

func segmentOf(t *testing.T, m message) string {
	t.Helper()
	var n contracts.SegmentNotice
	if err := json.Unmarshal(m.Payload, &n); err != nil || m.Type != contracts.TypeSegment || m.Seq != 0 {
		t.Fatalf("want a segment, got %s (%v)", m.raw, err)
	}
	return n.Segment
}

func helloCursor(seq uint64, segment string) string {
	return fmt.Sprintf(`{"client":{"name":"t"},"resume":{"last_seq":%d,"segment":%q}}`, seq, segment)
}

func TestW9_SegmentPrecedesItsFirstRecord(t *testing.T) {
	withWriters(t, func(t *testing.T, r *rig, l *writersLedger) {
		a, quiet := r.connect(t), r.connect(t)
		for _, v := range []*client{a, quiet} {
			if ack := v.hello(helloPlain); ack.Segment != "l1" {
				t.Fatalf("hello_ack names segment %q", ack.Segment)
			}
		}
		a.subscribe(everything)
		a.expect(contracts.TypeSnapshot)
		quiet.subscribe(`{"chat":true}`)
		quiet.expect(contracts.TypeSnapshot)
		l.takeOver("l2")
		seq := r.append(note("by another node"))
		if got := segmentOf(t, a.next()); got != "l2" {
			t.Errorf("segment %q", got)
		}
		if m := a.expect(contracts.TypeEvent); m.Seq != seq {
			t.Errorf("record %d, want %d", m.Seq, seq)
		}
		r.append(note("by the same node"))
		a.expect(contracts.TypeEvent)
		if got := segmentOf(t, quiet.next()); got != "l2" {
			t.Errorf("a viewer that got no record was told segment %q", got)
		}
		b := r.connect(t)
		if ack := b.hello(helloPlain); ack.Segment != "l2" {
			t.Errorf("a later hello_ack names segment %q", ack.Segment)
		}
		b.subscribe(everything)
		b.expect(contracts.TypeSnapshot)
	})
}

func TestW9_CursorWithTheNewSegmentResumes(t *testing.T) {
	for name, ring := range map[string]int{"ring": 0, "cold": 1} {
		t.Run(name, func(t *testing.T) {
			withWriters(t, func(t *testing.T, r *rig, l *writersLedger) {
				a := r.connect(t)
				a.join()
				l.takeOver("l2")
				r.append(note("seen"))
				segment := segmentOf(t, a.next())
				last := a.expect(contracts.TypeEvent).Seq
				a.close()
				l.takeOver("l3")
				missedSeq := r.append(note("missed"))
				head := r.append(say("missed"))
				synctest.Wait()
				for cursor, want := range map[string]contracts.ResumeReason{segment: contracts.ResumeCursorOK, "l1": contracts.ResumeCursorUnknown} {
					b := r.connect(t)
					if ack := b.hello(helloCursor(last, cursor)); ack.Resume.Reason != want {
						t.Errorf("a cursor with segment %s: %s, want %s", cursor, ack.Resume.Reason, want)
					}
					if want != contracts.ResumeCursorOK {
						continue
					}
					b.subscribe(everything)
					seqs, _ := missed(t, b)
					checkRun(t, seqs, missedSeq, head)
				}
			}, withConfig(func(c *Config) { c.Limits.RingBytes = ring }))
		})
	}
}

// The notice of a segment precedes a page of history with records from that segment, even if the
// log does not have those records yet.
func TestW9_SegmentPrecedesAPageOfHistory(t *testing.T) {
	withWriters(t, func(t *testing.T, r *rig, l *writersLedger) {
		cursor := r.append(note("0"))
		for i := range 40 {
			r.append(note("%d %s", i, strings.Repeat("x", 100)))
		}
		synctest.Wait()
		b := r.connect(t)
		if ack := b.hello(helloCursor(cursor, "l1")); ack.Segment != "l1" || ack.Resume.Reason != contracts.ResumeCursorOK {
			t.Fatalf("hello_ack %+v", ack)
		}
		r.hub.pages.clear()
		l.reading = sync.OnceFunc(func() {
			l.takeOver("l2")
			r.append(note("while the page is read"))
		})
		b.subscribe(everything)
		if got := segmentOf(t, b.next()); got != "l2" {
			t.Errorf("segment %q", got)
		}
		seqs, _ := missed(t, b)
		checkRun(t, seqs, cursor+1, l.Head())
	}, withConfig(func(c *Config) { c.Limits.RingBytes = 1000 }))
}

func TestD1_StreamsNameTheNewSegment(t *testing.T) {
	withWriters(t, func(t *testing.T, r *rig, l *writersLedger) {
		res := r.get(t, "/v1/events/stream?kind=hud&segment=")
		defer res.Body.Close()
		events := bufio.NewReader(res.Body)
		sse(t, events) // skips the retry interval
		if id := sse(t, events)["id"]; id != fmt.Sprintf("%d.l1", l.Head()) {
			t.Errorf("the stream starts with id %q", id)
		}
		flat, plain := r.connectTo(t, "/ws/hud?segment=l1"), r.connectTo(t, "/ws/hud")
		synctest.Wait()
		l.takeOver("l2")
		seq := r.append(hudFact("h1"))
		if id := sse(t, events)["id"]; id != fmt.Sprintf("%d.l2", seq) {
			t.Errorf("the record of the new segment has id %q", id)
		}
		if m := flat.next(); m.Type != contracts.TypeSegment || !strings.Contains(m.raw, `"segment":"l2"`) {
			t.Errorf("the HUD socket sent %s", m.raw)
		}
		for _, v := range []*client{flat, plain} {
			if m := v.next(); m.ID != "h1" {
				t.Errorf("the HUD socket sent %s", m.raw)
			}
		}
		page := r.get(t, "/v1/events")
		defer page.Body.Close()
		if got := page.Header.Get(contracts.HeaderSegment); got != "l2" {
			t.Errorf("a page names segment %q", got)
		}
	})
}
