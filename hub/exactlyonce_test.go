package hub

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/bullpen-office/bullpen/contracts"
)

// failer has the methods that *testing.T and *rapid.T share.
type failer interface {
	Helper()
	Fatalf(format string, args ...any)
}

// watcher is a client that follows the protocol: it keeps a cursor across connections and remembers
// every recorded message that it processed.
type watcher struct {
	failer
	rig      *rig
	channels string
	started  bool
	from     uint64 // the seq after which its timeline starts
	cursor   uint64
	snapshot string
	seen     []string
}

// session connects, processes up to limit messages (all of them if limit is negative) and drops the
// connection without a close frame.
func (w *watcher) session(limit int) {
	w.Helper()
	c := w.rig.connect(w.rig.t)
	defer c.close()
	if w.started {
		if ack := c.hello(helloResume(w.cursor, w.snapshot)); ack.Resume.Reason != contracts.ResumeCursorOK {
			w.Fatalf("resume from %d: %+v", w.cursor, ack.Resume)
		}
	} else {
		c.hello(helloPlain)
	}
	c.subscribe(w.channels)
	synctest.Wait()
	for n := 0; limit < 0 || n < limit; n++ {
		synctest.Wait()
		if len(c.got) == 0 {
			return
		}
		w.process(<-c.got)
	}
}

func (w *watcher) process(m message) {
	w.Helper()
	if m.Type == contracts.TypeSnapshot {
		if m.Seq < w.cursor {
			w.Fatalf("snapshot at seq %d, cursor at %d", m.Seq, w.cursor)
		}
		if !w.started {
			w.started, w.from = true, m.Seq
		}
		w.cursor, w.snapshot = m.Seq, m.ID
		return
	}
	if m.Seq <= w.cursor {
		w.Fatalf("message %d at cursor %d: %s", m.Seq, w.cursor, m.raw)
	}
	w.cursor = m.Seq
	w.seen = append(w.seen, m.ID)
}

// check fails the test unless the watcher has seen exactly the ledger's records of these kinds.
func (w *watcher) check(kinds ...contracts.Kind) {
	w.Helper()
	recs, err := w.rig.ledger.Read(context.Background(), w.from, 1<<20, kinds...)
	if err != nil {
		w.Fatalf("%v", err)
	}
	var want []string
	for i := range recs {
		want = append(want, recs[i].ID)
	}
	if d := cmp.Diff(want, w.seen); d != "" {
		w.Fatalf("the messages differ from the ledger (-ledger +seen):\n%s", d)
	}
}

func TestW9_CutAtEveryMessageBoundary(t *testing.T) {
	for name, ring := range map[string]int{"ring": 0, "cold": 1} {
		t.Run(name, func(t *testing.T) {
			virtual(t, func(t *testing.T, r *rig) {
				for cut := range 25 {
					w := &watcher{failer: t, rig: r, channels: everything}
					w.session(1)
					for i := range 10 {
						r.append(note("a%d", i), &contracts.Receipt{CommandID: "c"}, hudFact(fmt.Sprint("h", cut, "_", i)))
					}
					w.session(cut)
					r.append(say("x"))
					w.session(-1)
					w.check(visibleKinds...)
				}
			}, withConfig(func(c *Config) { c.Limits.RingBytes = ring }))
		})
	}
}

func TestW9_ExactlyOnceOverRandomDisconnects(t *testing.T) {
	virtual(t, func(t *testing.T, r *rig) {
		// Wrap t in a struct, because rapid calls Deadline on a *testing.T, which is not allowed in
		// a synctest bubble.
		rapid.Check(struct{ testing.TB }{t}, func(rt *rapid.T) {
			channels := rapid.SampledFrom([]struct {
				json  string
				kinds []contracts.Kind
			}{
				{everything, visibleKinds},
				{`{"events":true,"chat":true,"hud":true,"goals":true,"ui":true,"snapshots":true}`, visibleKinds},
				{`{"chat":true,"snapshots":true}`, []contracts.Kind{contracts.KindChat}},
				{`{"hud":true,"events":true}`, []contracts.Kind{contracts.KindHUD, contracts.KindEvent}},
			}).Draw(rt, "channels")
			w := &watcher{failer: rt, rig: r, channels: channels.json}
			w.session(1)
			for range rapid.IntRange(1, 6).Draw(rt, "sessions") {
				for range rapid.IntRange(0, 12).Draw(rt, "records") {
					kind := rapid.IntRange(0, 3).Draw(rt, "kind")
					id := fmt.Sprint("h", r.made.Add(1))
					body := []contracts.Body{note("n"), say("s"), hudFact(id), &contracts.Receipt{CommandID: "c"}}[kind]
					r.append(body)
				}
				w.session(rapid.IntRange(0, 30).Draw(rt, "cut"))
			}
			w.session(-1)
			w.check(channels.kinds...)
		})
	}, withConfig(func(c *Config) { c.Limits.RingBytes = 4096 }))
}

// TestRingFindsFramesBySeq checks that, whatever was appended, the position found for a seq is
// followed by exactly the frames of later records, and that the log stays within its size limit.
func TestRingFindsFramesBySeq(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		limit := rapid.IntRange(1, 4000).Draw(rt, "limit")
		l := newFrameLog(limit, 0)
		var all []uint64
		seq := uint64(0)
		for range rapid.IntRange(0, 100).Draw(rt, "records") {
			seq += uint64(rapid.IntRange(1, 3).Draw(rt, "step"))
			size := rapid.IntRange(0, 300).Draw(rt, "size")
			l.put(seq, chanEvents, make([]byte, size))
			l.head = seq
			all = append(all, seq)
		}
		if len(l.chunks) > 1 && l.bytes > limit {
			rt.Fatalf("%d bytes are kept, limit %d", l.bytes, limit)
		}
		cursor := uint64(rapid.IntRange(0, int(seq)+2).Draw(rt, "cursor"))
		pos, ok := l.after(cursor)
		if !ok {
			return
		}
		var got []uint64
		l.visit(pos, l.end, func(c *chunk, i, j int) bool {
			for ; i < j; i++ {
				got = append(got, c.entries[i].seq)
			}
			return true
		})
		want := slices.DeleteFunc(slices.Clone(all), func(s uint64) bool { return s <= cursor })
		if !slices.Equal(got, want) {
			rt.Fatalf("after %d: %v, want %v", cursor, got, want)
		}
	})
}
