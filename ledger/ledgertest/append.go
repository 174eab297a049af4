package ledgertest

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"sync"
	"testing"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/ledger"
)

func testIdentity(t *testing.T, b *bench) {
	if id := b.ID(); !regexp.MustCompile(`^[a-z][a-z0-9]{7,}$`).MatchString(id) {
		t.Errorf("identity %q must be a letter followed by letters and digits", id)
	}
}

func testFirstSeq(t *testing.T, b *bench) {
	wantHead(t, b, 0)
	recs := []contracts.Record{{Kind: contracts.KindEvent, ID: "a", Body: []byte("{}")}}
	mustAppend(t, b, ledger.AnySeq, recs)
	if recs[0].Seq != 1 {
		t.Errorf("the first record got seq %d in the caller's slice, want 1", recs[0].Seq)
	}
	wantHead(t, b, 1)
	if b.Floor() != 0 {
		t.Errorf("the floor is %d before any retention", b.Floor())
	}
}

func testRoundTrip(t *testing.T, b *bench) {
	want := []contracts.Record{
		{Seq: 1, TS: -5, Kind: contracts.KindEvent, ID: "evt_s1", Key: "cmd/p/1", Body: []byte(`{"a":"é\u0000"}`)},
		{Seq: 2, TS: 1 << 60, Kind: "a_kind_of_the_future", ID: "", Body: []byte{0, 255, '"', '\n'}},
		{Seq: 3, Kind: contracts.KindHUD, ID: "x", Key: "a'b;--", Body: make([]byte, 20_000)},
		{Seq: 4, Kind: contracts.KindHUD, ID: "empty"},
	}
	mustAppend(t, b, 0, want)
	wantRecords(t, mustRead(t, b, 0, all), want)
	if b.Durable() {
		b.reopen(t)
		wantRecords(t, mustRead(t, b, 0, all), want)
	}
}

func testWholeBatch(t *testing.T, b *bench) {
	mustAppend(t, b, 0, []contracts.Record{{Seq: 1, Kind: contracts.KindEvent, Key: "taken"}})
	recs := batch(1, 5)
	recs[4].Key = "taken"
	wantError(t, b.Append(t.Context(), 1, recs), ledger.ErrDuplicateKey)
	wantHead(t, b, 1)
	if got := mustRead(t, b, 1, all); len(got) != 0 {
		t.Errorf("%d records of a refused batch were appended", len(got))
	}
	mustAppend(t, b, 1, batch(1, 500))
	wantRecords(t, mustRead(t, b, 1, all), batch(1, 500))
}

func testStaleHead(t *testing.T, b *bench) {
	mustAppend(t, b, 0, batch(0, 3))
	for _, after := range []uint64{0, 2, 4} {
		var stale *ledger.StaleError
		err := b.Append(t.Context(), after, batch(after, 1))
		if !errors.As(err, &stale) || stale.Head != 3 || stale.Expected != after {
			t.Errorf("append after %d at head 3: %v", after, err)
		}
	}
	wantHead(t, b, 3)
	mustAppend(t, b, 3, batch(3, 1))
}

func testMisnumbered(t *testing.T, b *bench) {
	recs := batch(0, 3)
	recs[1].Seq = 7
	if err := b.Append(t.Context(), 0, recs); err == nil {
		t.Error("a batch numbered 1, 7, 3 was appended")
	}
	wantHead(t, b, 0)
}

func testDuplicateKey(t *testing.T, b *bench) {
	keyed := func(key string) []contracts.Record {
		return []contracts.Record{{Kind: contracts.KindReceipt, Key: key, Body: []byte("{}")}}
	}
	mustAppend(t, b, ledger.AnySeq, keyed("k"))
	wantError(t, b.Append(t.Context(), ledger.AnySeq, keyed("k")), ledger.ErrDuplicateKey)
	twice := append(keyed("new"), keyed("new")...)
	wantError(t, b.Append(t.Context(), ledger.AnySeq, twice), ledger.ErrDuplicateKey)
	mustAppend(t, b, ledger.AnySeq, keyed("new")) // the refused batch changed nothing
	mustAppend(t, b, ledger.AnySeq, keyed(""))
	mustAppend(t, b, ledger.AnySeq, keyed("")) // records without a key never conflict
	wantHead(t, b, 4)
}

// testNeighbours appends from many goroutines, so that refused and accepted requests share commits:
// a refusal must not affect other requests.
func testNeighbours(t *testing.T, b *bench) {
	const producers, each = 16, 20
	var wg sync.WaitGroup
	var mu sync.Mutex
	accepted := map[string]int{}
	for range producers {
		wg.Go(func() {
			for i := range each {
				key := fmt.Sprintf("k%d", i)
				err := b.Append(context.Background(), ledger.AnySeq, []contracts.Record{{Kind: contracts.KindEvent}, {Kind: contracts.KindReceipt, Key: key}})
				if err == nil {
					mu.Lock()
					accepted[key]++
					mu.Unlock()
				} else if !errors.Is(err, ledger.ErrDuplicateKey) {
					t.Errorf("append: %v", err)
				}
			}
		})
	}
	wg.Wait()
	for i := range each {
		if key := fmt.Sprintf("k%d", i); accepted[key] != 1 {
			t.Errorf("key %s was accepted %d times", key, accepted[key])
		}
	}
	wantHead(t, b, 2*each)
	seqs(t, mustRead(t, b, 0, all), 0)
}

// testRivals runs writers that each read the head and append after it: only one append succeeds at
// each head.
func testRivals(t *testing.T, b *bench) {
	const writers, each = 8, 25
	var wg sync.WaitGroup
	for range writers {
		wg.Go(func() {
			for done := 0; done < each; {
				head := b.Head()
				err := b.Append(context.Background(), head, batch(head, 2))
				var stale *ledger.StaleError
				if err == nil {
					done++
				} else if !errors.As(err, &stale) {
					t.Errorf("append: %v", err)
					return
				}
			}
		})
	}
	wg.Wait()
	wantHead(t, b, writers*each*2)
	wantRecords(t, mustRead(t, b, 0, all), batch(0, writers*each*2))
}

func testProducers(t *testing.T, b *bench) {
	const producers, each = 64, 20
	var wg sync.WaitGroup
	acked := make([][]contracts.Record, producers)
	for p := range producers {
		wg.Go(func() {
			for i := range each {
				recs := []contracts.Record{{TS: int64(i), Kind: contracts.KindEvent, ID: fmt.Sprintf("%d/%d", p, i), Body: []byte("{}")}}
				if err := b.Append(context.Background(), ledger.AnySeq, recs); err != nil {
					t.Errorf("append: %v", err)
					return
				}
				if head := b.Head(); head < recs[0].Seq {
					t.Errorf("head %d is behind the acknowledged record %d", head, recs[0].Seq)
				}
				acked[p] = append(acked[p], recs[0])
			}
		})
	}
	wg.Wait()
	got := mustRead(t, b, 0, all)
	if last := seqs(t, got, 0); last != producers*each {
		t.Fatalf("%d records, want %d", last, producers*each)
	}
	for _, recs := range acked {
		for _, r := range recs {
			wantRecords(t, got[r.Seq-1:r.Seq], []contracts.Record{r})
		}
	}
}

func testCancelledAppend(t *testing.T, b *bench) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	wantError(t, b.Append(ctx, ledger.AnySeq, []contracts.Record{{Kind: contracts.KindEvent, ID: "cancelled"}}), context.Canceled)
	appended, unknown := 0, 0
	for i := range 20 {
		ctx, cancel := context.WithCancel(t.Context())
		go cancel()
		switch err := b.Append(ctx, ledger.AnySeq, batch(uint64(i), 1)); {
		case err == nil:
			appended++
		case errors.Is(err, ledger.ErrUnconfirmed):
			unknown++
		case !errors.Is(err, context.Canceled):
			t.Errorf("append: %v", err)
		}
	}
	mustAppend(t, b, ledger.AnySeq, batch(0, 1)) // committed after all appends above
	appended++
	recs := mustRead(t, b, 0, all)
	seqs(t, recs, 0)
	if slices.ContainsFunc(recs, func(r contracts.Record) bool { return r.ID == "cancelled" }) {
		t.Error("an append was carried out although its context was already cancelled")
	}
	if n := len(recs); n < appended || n > appended+unknown {
		t.Errorf("%d records after %d successful and %d unconfirmed appends", n, appended, unknown)
	}
}
