package ledgertest

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/ledger"
)

func testRead(t *testing.T, b *bench) {
	want := batch(0, 100)
	mustAppend(t, b, 0, batch(0, 100))
	check := func() {
		t.Helper()
		wantRecords(t, mustRead(t, b, 0, 10), want[:10])
		wantRecords(t, mustRead(t, b, 37, 10), want[37:47])
		wantRecords(t, mustRead(t, b, 95, 10), want[95:])
		wantRecords(t, mustRead(t, b, 100, 10), nil)
		wantRecords(t, mustRead(t, b, 1000, 10), nil)
		wantRecords(t, mustRead(t, b, 0, 0), nil)
		var some []contracts.Record
		for _, r := range want[10:] {
			if r.Kind != contracts.KindGoal {
				some = append(some, r)
			}
		}
		wantRecords(t, mustRead(t, b, 10, 20, contracts.KindEvent, contracts.KindHUD), some[:20])
		wantRecords(t, mustRead(t, b, 0, 10, contracts.KindChat), nil)
	}
	check()
	if b.Durable() {
		b.reopen(t) // read from disk
		check()
	}
}

// testReadRare reads kinds that occur rarely: from several positions, in pages, together with a
// frequent kind, and after some of the records were removed.
func testReadRare(t *testing.T, b *bench) {
	const total = 3000
	rare := map[uint64]contracts.Kind{1: contracts.KindChat, 63: contracts.KindChat, 64: contracts.KindChat, 65: contracts.KindUI, 1000: contracts.KindChat,
		1001: contracts.KindUI, 2047: contracts.KindChat, 2048: contracts.KindUI, total: contracts.KindChat}
	all := batch(0, total)
	for i := range all {
		if k, ok := rare[all[i].Seq]; ok {
			all[i].Kind = k
		} else {
			all[i].Kind = contracts.KindEvent
		}
	}
	for at := 0; at < total; at += 500 {
		mustAppend(t, b, uint64(at), slices.Clone(all[at:at+500]))
	}
	of := func(recs []contracts.Record, after uint64, limit int, kinds ...contracts.Kind) (want []contracts.Record) {
		for _, r := range recs {
			if r.Seq > after && len(want) < limit && slices.Contains(kinds, r.Kind) {
				want = append(want, r)
			}
		}
		return want
	}
	check := func(recs []contracts.Record) {
		t.Helper()
		for _, kinds := range [][]contracts.Kind{{contracts.KindChat}, {contracts.KindUI}, {contracts.KindChat, contracts.KindUI}, {contracts.KindUI, contracts.KindEvent}, {contracts.KindHUD}} {
			for _, after := range []uint64{0, 1, 62, 63, 64, 999, 1000, 2047, total - 1, total, total + 100} {
				for _, limit := range []int{1, 2, 100} {
					wantRecords(t, mustRead(t, b, after, limit, kinds...), of(recs, after, limit, kinds...))
				}
			}
		}
	}
	check(all)
	if b.Durable() {
		b.reopen(t) // read from disk
		check(all)
	}
	if _, err := b.Retain(t.Context(), time.UnixMilli(0), []ledger.Rule{{Kind: contracts.KindChat, MaxCount: 2}}); err != nil {
		t.Fatal(err)
	}
	left := slices.DeleteFunc(slices.Clone(all), func(r contracts.Record) bool { return r.Kind == contracts.KindChat && r.Seq < 2047 })
	check(left)
	more := batch(total, 2)
	more[0].Kind, more[1].Kind = contracts.KindChat, contracts.KindUI
	mustAppend(t, b, total, slices.Clone(more))
	if b.Durable() {
		b.reopen(t)
	}
	check(append(left, more...))
}

// testReadIsDurable reads while others append: a reader never sees a record beyond the head that is
// reported after the read.
func testReadIsDurable(t *testing.T, b *bench) {
	stop := make(chan struct{})
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				recs, err := b.Read(context.Background(), 0, all)
				if err != nil {
					t.Errorf("read: %v", err)
					return
				}
				if head := b.Head(); uint64(len(recs)) > head {
					t.Errorf("read %d records, but the head is %d", len(recs), head)
					return
				}
			}
		})
	}
	for i := range uint64(40) {
		mustAppend(t, b, i, batch(i, 1))
	}
	close(stop)
	wg.Wait()
}

// testCancelledRead checks that an engine stops a read whose context is done, and that concurrent
// appends, possibly on the same connection, do not fail.
func testCancelledRead(t *testing.T, b *bench) {
	const total = 60
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for b.Head() < total && !t.Failed() {
				ctx, cancel := context.WithCancel(context.Background())
				go cancel()
				if _, _, err := b.Lookup(ctx, "k"); err != nil && !errors.Is(err, context.Canceled) {
					t.Errorf("lookup: %v", err)
				}
				if _, _, err := b.Checkpoint(ctx); err != nil && !errors.Is(err, context.Canceled) {
					t.Errorf("checkpoint: %v", err)
				}
			}
		})
	}
	for i := range uint64(total) {
		if err := b.Append(t.Context(), i, batch(i, 1)); err != nil {
			t.Errorf("append: %v", err)
			break
		}
	}
	wg.Wait()
	wantRecords(t, mustRead(t, b, 0, all), batch(0, total))
}

// testFollow checks that a stream is ordered, has no duplicates or gaps, and can be resumed from
// any cursor while 8 producers append.
func testFollow(t *testing.T, b *bench) {
	const producers, each, followers = 8, 60, 12
	const total = producers * each
	var producing, following sync.WaitGroup
	for range producers {
		producing.Go(func() {
			for range each {
				if err := b.Append(context.Background(), ledger.AnySeq, batch(0, 1)); err != nil {
					t.Errorf("append: %v", err)
				}
			}
		})
	}
	for i := range followers {
		after := uint64(rand.N(total))
		if i == 0 {
			after = 0
		}
		following.Go(func() { followTo(t, b, after, total) })
	}
	producing.Wait()
	following.Wait()
}

// followTo follows the ledger from one seq to another and checks that the stream has no gap.
func followTo(t *testing.T, l ledger.Ledger, after, to uint64) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	at := after
	err := l.Follow(ctx, after, func(recs []contracts.Record) error {
		if len(recs) == 0 {
			t.Error("the follower got an empty batch")
		}
		for _, r := range recs {
			if r.Seq != at+1 {
				t.Errorf("a follower that started after %d received record %d after record %d", after, r.Seq, at)
				cancel()
			}
			at = r.Seq
		}
		if head := l.Head(); head < at {
			t.Errorf("a follower is at %d, beyond the head %d", at, head)
		}
		if at >= to {
			cancel()
		}
		return nil
	})
	if err != context.Canceled || at != to {
		t.Errorf("a follower that started after %d ended at %d, want %d: %v", after, at, to, err)
	}
}

// testFollowCold follows from a seq before the oldest record that an engine may keep in memory.
func testFollowCold(t *testing.T, b *bench) {
	total := uint64(contracts.LimitTailRecords + 2*contracts.LimitFollowBatch)
	for at := uint64(0); at < total; at += 512 {
		mustAppend(t, b, at, batch(at, 512))
	}
	total = b.Head()
	for _, after := range []uint64{0, 1, contracts.LimitFollowBatch - 1, contracts.LimitFollowBatch, total - contracts.LimitTailRecords - 1, total - 1} {
		followTo(t, b, after, total)
	}
	if b.Durable() {
		b.reopen(t)
		followTo(t, b, 3, total)
	}
}

func testFollowEnds(t *testing.T, b *bench) {
	mustAppend(t, b, 0, batch(0, 3))
	stop := context.DeadlineExceeded // any error
	wantError(t, b.Follow(t.Context(), 0, func([]contracts.Record) error { return stop }), stop)

	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 2)
	go func() { ended <- b.Follow(ctx, 3, func([]contracts.Record) error { return nil }) }()
	cancel()
	wantError(t, <-ended, context.Canceled)

	// A follower beyond the head waits; it never receives earlier records.
	go func() {
		ended <- b.Follow(t.Context(), 10, func(recs []contracts.Record) error {
			t.Errorf("a follower that starts after record 10 got %d", recs[0].Seq)
			return nil
		})
	}()
	go func() { ended <- b.Follow(t.Context(), 3, func([]contracts.Record) error { return nil }) }()
	mustAppend(t, b, 3, batch(3, 1))
	if err := b.Close(); err != nil {
		t.Fatalf("close: %v", err)
	}
	wantError(t, <-ended, ledger.ErrClosed)
	wantError(t, <-ended, ledger.ErrClosed)
}

// testFollowKeepsValue checks that a record still has the decoded body it was appended with when it
// is read or followed, so that no reader decodes it again.
func testFollowKeepsValue(t *testing.T, b *bench) {
	body := &contracts.Chat{}
	rec, err := contracts.NewRecord(1, 5, "", body)
	if err != nil {
		t.Fatal(err)
	}
	mustAppend(t, b, 0, []contracts.Record{rec})
	recs := mustRead(t, b, 0, 1)
	if got, err := recs[0].Decode(); err != nil || got != contracts.Body(body) {
		t.Skipf("this engine decodes records again: %v", err)
	}
}

func testLookup(t *testing.T, b *bench) {
	recs := batch(0, 3)
	recs[1].Key = "art/1"
	mustAppend(t, b, 0, recs)
	got, ok, err := b.Lookup(t.Context(), "art/1")
	if err != nil || !ok {
		t.Fatalf("lookup: %v %v", ok, err)
	}
	wantRecords(t, []contracts.Record{got}, recs[1:2])
	for _, key := range []string{"art/2", "", "ART/1"} {
		if _, ok, err := b.Lookup(t.Context(), key); ok || err != nil {
			t.Errorf("lookup %q: %v %v", key, ok, err)
		}
	}
	if known, err := b.HasKeys(t.Context(), []string{"art/2", "art/1", "", "art/1"}); err != nil || !slices.Equal(known, []bool{false, true, false, true}) {
		t.Errorf("HasKeys: %v %v", known, err)
	}
	if known, err := b.HasKeys(t.Context(), nil); err != nil || len(known) != 0 {
		t.Errorf("HasKeys returned %v, %v for no keys", known, err)
	}
}

func testBlobs(t *testing.T, b *bench) {
	contents := [][]byte{[]byte("hello"), {}, bytes.Repeat([]byte{0, 1, 2, 255}, 1<<18)}
	for range 2 {
		for _, content := range contents {
			sum := sha256.Sum256(content)
			want := hex.EncodeToString(sum[:])
			name, err := b.PutBlob(t.Context(), slices.Clone(content))
			if err != nil || name != want {
				t.Fatalf("put: %s %v, want %s", name, err, want)
			}
			got, ok, err := b.Blob(t.Context(), name)
			if err != nil || !ok || !bytes.Equal(got, content) {
				t.Fatalf("get %d bytes: %d bytes, %v %v", len(content), len(got), ok, err)
			}
		}
	}
	if _, ok, err := b.Blob(t.Context(), "00"); ok || err != nil {
		t.Errorf("Blob of an unknown hash returned %v, %v", ok, err)
	}
	wantHead(t, b, 0)
}

func testCheckpoint(t *testing.T, b *bench) {
	if _, ok, err := b.Checkpoint(t.Context()); ok || err != nil {
		t.Fatalf("a new ledger has a checkpoint: %v %v", ok, err)
	}
	for i := range 3 {
		want := ledger.Checkpoint{Seq: uint64(i * 10), Version: i, State: bytes.Repeat([]byte{byte(i)}, i*50_000)}
		if err := b.SaveCheckpoint(t.Context(), want); err != nil {
			t.Fatalf("save: %v", err)
		}
		got, ok, err := b.Checkpoint(t.Context())
		if err != nil || !ok || got.Seq != want.Seq || got.Version != want.Version || !bytes.Equal(got.State, want.State) {
			t.Fatalf("checkpoint %d came back as seq %d version %d, %d bytes: %v %v", i, got.Seq, got.Version, len(got.State), ok, err)
		}
	}
}
