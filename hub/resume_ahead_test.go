package hub

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/ledger"
)

// behindLedger hides its newest records from readers, so that the view is ahead of the ledger, as
// on a node that is starting.
type behindLedger struct {
	ledger.Ledger
	head  atomic.Uint64 // seq of the newest record that readers see; 0 means no limit
	reads atomic.Int64
}

func (l *behindLedger) Head() uint64 {
	if head := l.head.Load(); head != 0 {
		return head
	}
	return l.Ledger.Head()
}

func (l *behindLedger) Read(ctx context.Context, after uint64, limit int, kinds ...contracts.Kind) ([]contracts.Record, error) {
	l.reads.Add(1)
	head := l.Head()
	recs, err := l.Ledger.Read(ctx, after, limit, kinds...)
	return slices.DeleteFunc(slices.Clone(recs), func(r contracts.Record) bool { return r.Seq > head }), err
}

// While the ledger is behind the view, a replay waits without polling the ledger constantly, and
// replies are still sent. The replay continues once the ledger has caught up.
func TestReplayWaitsForALedgerBehindTheView(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &behindLedger{Ledger: memoryLedger(t)}
		defer l.Close()
		r := newRig(t, onLedger(l), withConfig(func(c *Config) { c.Limits.RingBytes = 1 }))
		defer r.stop()
		for i := range 40 {
			r.append(note("%d", i))
		}
		synctest.Wait()
		l.head.Store(20)
		v := r.connect(t)
		if ack := v.hello(helloResume(5, "")); ack.Resume.Reason != contracts.ResumeCursorOK {
			t.Fatalf("resume %+v", ack.Resume)
		}
		v.subscribe(everything)
		res := r.get(t, "/v1/events/stream?kind=event&after=5")
		defer res.Body.Close()
		events := bufio.NewReader(res.Body)
		sse(t, events) // skips the retry interval
		expect := func(from, to uint64) {
			t.Helper()
			for seq := from; seq <= to; seq++ {
				if m := v.expect(contracts.TypeEvent); m.Seq != seq {
					t.Fatalf("the socket sent record %d, want %d", m.Seq, seq)
				}
				if e := sse(t, events); e["id"] != fmt.Sprint(seq) {
					t.Fatalf("the stream sent record %s, want %d", e["id"], seq)
				}
			}
		}
		expect(6, 20)
		v.send(contracts.TypePing, `{}`)
		v.expect(contracts.TypePong)
		before := l.reads.Load()
		time.Sleep(time.Second)
		if n, most := l.reads.Load()-before, 2*int64(time.Second/contracts.ReplayRetry)+2; n > most {
			t.Errorf("%d reads in a second, want at most %d", n, most)
		}
		l.head.Store(0)
		expect(21, l.Head())
		v.expect(contracts.TypeSnapshot)
	})
}

// Await implements awaiter, so that the hub treats l as a ledger that other nodes append to.
func (l *behindLedger) Await(ctx context.Context, seq uint64) error {
	for l.Head() < seq {
		select {
		case <-time.After(time.Millisecond):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// A viewer may have a cursor from a node with newer records. The cursor counts as unknown only if
// the record at the cursor does not arrive in time.
func TestW9_CursorAheadOfANodeIsAwaited(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &behindLedger{Ledger: memoryLedger(t)}
		defer l.Close()
		r := newRig(t, onLedger(l))
		defer r.stop()
		cursor := r.append(note("seen on another node"))
		synctest.Wait()
		l.head.Store(cursor - 1)
		time.AfterFunc(contracts.CursorWait/2, func() { l.head.Store(0) })
		v := r.connect(t)
		if ack := v.hello(helloResume(cursor, "")); ack.Resume.Reason != contracts.ResumeCursorOK {
			t.Errorf("resume %+v", ack.Resume)
		}
		v.subscribe(everything)
		v.expect(contracts.TypeSnapshot)
		late := r.connect(t)
		if ack := late.hello(helloResume(cursor+1, "")); ack.Resume.Status != "snapshot_required" {
			t.Errorf("resume %+v", ack.Resume)
		}
		l.head.Store(cursor - 1)
		time.AfterFunc(contracts.CursorWait/2, func() { l.head.Store(0) })
		res := r.get(t, fmt.Sprint("/v1/events?after=", cursor))
		defer res.Body.Close()
		body, err := io.ReadAll(res.Body)
		if err != nil || strings.Contains(string(body), "reason") {
			t.Errorf("%s, %v", body, err)
		}
	})
}

// heldLedger can withhold new records from its followers, while reads return them.
type heldLedger struct {
	ledger.Ledger
	gate chan struct{} // full while records are withheld
}

func (l *heldLedger) Follow(ctx context.Context, after uint64, fn func([]contracts.Record) error) error {
	return l.Ledger.Follow(ctx, after, func(recs []contracts.Record) error {
		l.gate <- struct{}{}
		defer func() { <-l.gate }()
		return fn(recs)
	})
}

// A replay that reads records from the ledger before the log has them does not send them again when
// they arrive in the log.
func TestReplayAheadOfTheLog(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &heldLedger{Ledger: memoryLedger(t), gate: make(chan struct{}, 1)}
		defer l.Close()
		r := newRig(t, onLedger(l), withConfig(func(c *Config) { c.Limits.RingBytes = 1 }))
		defer r.stop()
		for l.Head() < contracts.LimitReplayPage+5 {
			r.append(note("%d", l.Head()))
		}
		synctest.Wait()
		v := r.connect(t)
		if ack := v.hello(helloResume(contracts.LimitReplayPage-5, "")); ack.Resume.Reason != contracts.ResumeCursorOK {
			t.Fatalf("resume %+v", ack.Resume)
		}
		l.gate <- struct{}{}
		r.append(note("first withheld"))
		early := r.append(note("last withheld"))
		v.subscribe(everything)
		expect := func(from, to uint64) {
			t.Helper()
			for seq := from; seq <= to; seq++ {
				if m := v.expect(contracts.TypeEvent); m.Seq != seq {
					t.Fatalf("got record %d, want %d", m.Seq, seq)
				}
			}
		}
		expect(contracts.LimitReplayPage-4, early)
		synctest.Wait()
		<-l.gate
		v.expect(contracts.TypeSnapshot)
		expect(early+1, r.append(note("live")))
	})
}
