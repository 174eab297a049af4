package ledgertest

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/ledger"
)

// mustRetain applies the rules at time now, in Unix milliseconds, and checks how many records are
// removed.
func mustRetain(t fataler, l ledger.Ledger, now int64, want int, rules ...ledger.Rule) {
	t.Helper()
	removed, err := l.Retain(context.Background(), time.UnixMilli(now), rules)
	if err != nil || removed != want {
		t.Fatalf("retain removed %d, want %d: %v", removed, want, err)
	}
}

// without returns the records that gone does not select.
func without(recs []contracts.Record, gone func(contracts.Record) bool) (left []contracts.Record) {
	for _, r := range recs {
		if !gone(r) {
			left = append(left, r)
		}
	}
	return left
}

func testRetainAge(t *testing.T, b *bench) {
	recs := batch(0, 30)
	recs[2].Key = "goes" // record 3 is an event
	mustAppend(t, b, 0, recs)
	mustRetain(t, b, recs[29].TS, 0, ledger.Rule{Kind: contracts.KindHUD}) // zero means no limit
	mustRetain(t, b, recs[20].TS, 6, ledger.Rule{Kind: contracts.KindEvent, MaxAge: time.Millisecond})
	// Events are 3, 6 … 30. Events more than a millisecond older than record 21 are removed.
	want := without(recs, func(r contracts.Record) bool { return r.Kind == contracts.KindEvent && r.Seq < 20 })
	check := func() {
		t.Helper()
		wantRecords(t, mustRead(t, b, 0, all), want)
		wantHead(t, b, 30)
		if b.Floor() != 18 {
			t.Fatalf("floor is %d, want 18", b.Floor())
		}
	}
	check()
	if b.Durable() {
		b.reopen(t)
		check()
	}
	mustAppend(t, b, ledger.AnySeq, []contracts.Record{{Kind: contracts.KindEvent, Key: "goes"}}) // the key can be used again
	followTo(t, b, 18, 31)
}

func testRetainCount(t *testing.T, b *bench) {
	recs := batch(0, 30)
	mustAppend(t, b, 0, batch(0, 30))
	mustRetain(t, b, 0, 6, ledger.Rule{Kind: contracts.KindHUD, MaxCount: 4})
	// HUD records are 2, 5 … 29; the last four stay.
	want := without(recs, func(r contracts.Record) bool { return r.Kind == contracts.KindHUD && r.Seq < 20 })
	wantRecords(t, mustRead(t, b, 0, all), want)
	if b.Floor() != 17 {
		t.Errorf("floor is %d, want 17", b.Floor())
	}
	mustRetain(t, b, 0, 0, ledger.Rule{Kind: contracts.KindHUD, MaxCount: 4})
	mustRetain(t, b, 0, 8, ledger.Rule{Kind: contracts.KindEvent, MaxCount: 2}, ledger.Rule{Kind: contracts.KindChat, MaxCount: 1})
	if b.Floor() != 24 {
		t.Errorf("floor is %d, want 24", b.Floor())
	}
	mustAppend(t, b, 30, batch(30, 1))
}

// testRetainOrder sets the clock back between two records, so that the later record looks older. The
// later record must not be removed before the earlier one.
func testRetainOrder(t *testing.T, b *bench) {
	recs := make([]contracts.Record, 6)
	for i, ts := range []int64{10, 20, 900, 30, 40, 950} {
		recs[i] = contracts.Record{Seq: uint64(i + 1), TS: ts, Kind: contracts.KindHUD, ID: fmt.Sprint(i), Body: []byte("{}")}
	}
	owns := func(*contracts.Record) string { return "" }
	mustAppend(t, b, 0, recs)
	mustRetain(t, b, 100, 2, ledger.Rule{Kind: contracts.KindHUD, MaxAge: time.Millisecond})
	mustRetain(t, b, 100, 0, ledger.Rule{Kind: contracts.KindHUD, MaxAge: time.Millisecond, Owns: owns})
	mustRetain(t, b, 100, 0, ledger.Rule{Kind: contracts.KindHUD, MaxAge: time.Millisecond, Keep: []uint64{3}})
	wantRecords(t, mustRead(t, b, 0, all), recs[2:])
	mustRetain(t, b, 930, 3, ledger.Rule{Kind: contracts.KindHUD, MaxAge: time.Millisecond, Owns: owns})
	wantRecords(t, mustRead(t, b, 0, all), recs[5:])
}

// testRetainKeep checks that records kept by a rule stay even if the records around them are
// removed, and that no record after UpTo is removed.
func testRetainKeep(t *testing.T, b *bench) {
	const total = contracts.LimitRetainBatch + 60
	recs := make([]contracts.Record, total)
	for i := range recs {
		recs[i] = contracts.Record{Seq: uint64(i + 1), TS: int64(i + 1), Kind: contracts.KindHUD, ID: fmt.Sprint(i), Key: fmt.Sprint("k", i+1), Body: []byte("{}")}
	}
	mustAppend(t, b, 0, recs)
	keep := []uint64{1, 2, 7, 300, contracts.LimitRetainBatch, contracts.LimitRetainBatch + 1, contracts.LimitRetainBatch + 5}
	stays := func(upTo uint64) []contracts.Record {
		return without(recs, func(r contracts.Record) bool { return r.Seq <= upTo && !slices.Contains(keep, r.Seq) })
	}
	mustRetain(t, b, 0, 10, ledger.Rule{Kind: contracts.KindHUD, MaxCount: total - 10, Keep: keep})
	wantRecords(t, mustRead(t, b, 0, all), stays(13)) // 1, 2 and 7 are kept
	rule := ledger.Rule{Kind: contracts.KindHUD, MaxCount: 1, UpTo: total - 20, Keep: keep}
	mustRetain(t, b, 0, total-20-len(keep)-10, rule)
	wantRecords(t, mustRead(t, b, 0, all), stays(total-20))
	mustRetain(t, b, 0, 0, rule)
	if _, ok, err := b.Lookup(context.Background(), "k300"); err != nil || !ok {
		t.Errorf("the key of a kept record was not found: %v, %v", ok, err)
	}
	if b.Durable() {
		b.reopen(t)
		wantRecords(t, mustRead(t, b, 0, all), stays(total-20))
	}
	rule.Keep = keep[2:]
	mustRetain(t, b, 0, 2, rule)
	followTo(t, b, total-20, total)
}

func testRetainHead(t *testing.T, b *bench) {
	mustAppend(t, b, 0, batch(0, 2)) // a goal and a hud record
	mustRetain(t, b, record(9).TS, 1, ledger.Rule{Kind: contracts.KindHUD, MaxAge: time.Millisecond})
	check := func() {
		t.Helper()
		wantHead(t, b, 2)
		if b.Floor() != 2 {
			t.Fatalf("floor is %d, want 2", b.Floor())
		}
		wantRecords(t, mustRead(t, b, 0, all), batch(0, 1))
	}
	check()
	if b.Durable() {
		b.reopen(t)
		check()
	}
	mustAppend(t, b, 2, batch(2, 1))
	followTo(t, b, 2, 3)
}

// testRetainDuringAppends checks that readers see all history above the floor while retention runs.
func testRetainDuringAppends(t *testing.T, b *bench) {
	const total = 3000
	var wg sync.WaitGroup
	wg.Go(func() {
		for at := uint64(0); at < total; at += 50 {
			if err := b.Append(context.Background(), at, batch(at, 50)); err != nil {
				t.Errorf("append: %v", err)
				return
			}
		}
	})
	wg.Go(func() {
		for b.Head() < total && !t.Failed() {
			if _, err := b.Retain(context.Background(), time.Now(), []ledger.Rule{{Kind: contracts.KindHUD, MaxCount: 5}}); err != nil {
				t.Errorf("retain: %v", err)
				return
			}
		}
	})
	wg.Go(func() {
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		events := 0
		err := b.Follow(ctx, 0, func(recs []contracts.Record) error {
			for _, r := range recs {
				if r.Kind == contracts.KindEvent {
					events++
				}
				if r.Seq == total {
					cancel()
				}
			}
			return nil
		})
		if err != context.Canceled || events != total/3 {
			t.Errorf("a follower got %d of %d events that no rule removes: %v", events, total/3, err)
		}
	})
	wg.Wait()
}

func testStats(t *testing.T, b *bench) {
	mustAppend(t, b, 0, batch(0, 10))
	if _, err := b.PutBlob(t.Context(), []byte("x")); err != nil {
		t.Fatal(err)
	}
	mustRetain(t, b, 0, 2, ledger.Rule{Kind: contracts.KindHUD, MaxCount: 1})
	s, err := b.Stats(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if s.Records != 8 || s.Bytes <= 0 || s.Blobs != 1 && s.Blobs != -1 {
		t.Errorf("stats %+v", s)
	}
	// 10 records are 3 events, 4 goals, 3 hud.
	want := map[contracts.Kind]int64{contracts.KindEvent: 3, contracts.KindGoal: 4, contracts.KindHUD: 1}
	if s.ByKind != nil && !maps.Equal(s.ByKind, want) {
		t.Errorf("records by kind: %v, want %v", s.ByKind, want)
	}
}

func testClosed(t *testing.T, b *bench) {
	mustAppend(t, b, 0, batch(0, 1))
	for range 2 {
		if err := b.Close(); err != nil {
			t.Fatalf("close: %v", err)
		}
	}
	ctx := t.Context()
	calls := map[string]func() error{
		"append":     func() error { return b.Append(ctx, 1, batch(1, 1)) },
		"read":       func() error { _, err := b.Read(ctx, 0, 1); return err },
		"follow":     func() error { return b.Follow(ctx, 0, func([]contracts.Record) error { return nil }) },
		"lookup":     func() error { _, _, err := b.Lookup(ctx, "k"); return err },
		"has keys":   func() error { _, err := b.HasKeys(ctx, []string{"k", "l"}); return err },
		"put":        func() error { _, err := b.PutBlob(ctx, nil); return err },
		"blob":       func() error { _, _, err := b.Blob(ctx, "k"); return err },
		"save":       func() error { return b.SaveCheckpoint(ctx, ledger.Checkpoint{}) },
		"checkpoint": func() error { _, _, err := b.Checkpoint(ctx); return err },
		"retain": func() error {
			_, err := b.Retain(ctx, time.Now(), []ledger.Rule{{Kind: contracts.KindHUD, MaxCount: 1}})
			return err
		},
		"stats": func() error { _, err := b.Stats(ctx); return err },
	}
	for name, call := range calls {
		t.Run(name, func(t *testing.T) { wantError(t, call(), ledger.ErrClosed) })
	}
}

func testReopen(t *testing.T, b *bench) {
	if !b.Durable() {
		t.Skip("not durable")
	}
	recs := batch(0, 20)
	recs[19].Key = "k"
	mustAppend(t, b, 0, recs)
	name, err := b.PutBlob(t.Context(), []byte("content"))
	if err != nil {
		t.Fatal(err)
	}
	if err := b.SaveCheckpoint(t.Context(), ledger.Checkpoint{Seq: 12, Version: 3, State: []byte("fold")}); err != nil {
		t.Fatal(err)
	}
	mustRetain(t, b, 0, 1, ledger.Rule{Kind: contracts.KindGoal, MaxCount: 6})
	id := b.ID()
	for range 3 {
		b.reopen(t)
		if b.ID() != id || b.Floor() != 1 {
			t.Fatalf("identity %s became %s, floor 1 became %d", id, b.ID(), b.Floor())
		}
		wantHead(t, b, 20)
		wantRecords(t, mustRead(t, b, 0, all), recs[1:])
		wantError(t, b.Append(t.Context(), ledger.AnySeq, []contracts.Record{{Kind: contracts.KindEvent, Key: "k"}}), ledger.ErrDuplicateKey)
		if content, ok, err := b.Blob(t.Context(), name); err != nil || !ok || string(content) != "content" {
			t.Fatalf("blob: %q %v %v", content, ok, err)
		}
		if c, ok, err := b.Checkpoint(t.Context()); err != nil || !ok || c.Seq != 12 || c.Version != 3 || string(c.State) != "fold" {
			t.Fatalf("checkpoint: %+v %v %v", c, ok, err)
		}
	}
	mustAppend(t, b, 20, batch(20, 1))
}

func testSegments(t *testing.T, b *bench) {
	mustAppend(t, b, 0, batch(0, 3))
	first := b.Segment()
	if first == "" || !b.Holds(first, 0) || !b.Holds(first, 3) || b.Holds(first, 4) || b.Holds("another", 1) || b.Holds("", 1) {
		t.Errorf("segment %q of this run is not valid", first)
	}
	if !b.Durable() {
		return
	}
	b.reopen(t)
	if at := b.Segment(); !b.Holds(at, 3) {
		t.Errorf("segment %q before the first append does not hold record 3", at)
	}
	mustAppend(t, b, 3, batch(3, 2))
	second := b.Segment()
	if second == first || !b.Holds(first, 3) || b.Holds(first, 4) || !b.Holds(second, 5) || !b.Holds(second, 3) {
		t.Errorf("wrong segments before and after reopening: %q, %q", first, second)
	}
}
