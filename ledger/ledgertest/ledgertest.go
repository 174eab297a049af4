// Package ledgertest is the test suite that every ledger must pass.
//
// An engine calls Run from its own tests. Each case gets a new, empty ledger and is named after the
// guarantee of package ledger that it tests. Cases about reopening run only if the ledger is
// durable.
package ledgertest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/ledger"
)

// Opener opens a ledger. If a durable ledger is opened again after Close, it has the same history.
type Opener func(ctx context.Context) (ledger.Ledger, error)

// Run runs the suite. place returns an Opener for a new, empty ledger.
func Run(t *testing.T, place func(t *testing.T) Opener) {
	cases := []struct {
		name string
		test func(t *testing.T, b *bench)
	}{
		{"identity is an identifier", testIdentity},
		{"sequence starts at 1", testFirstSeq},
		{"records come back as they were given", testRoundTrip},
		{"a batch is stored completely or not at all", testWholeBatch},
		{"a stale head is refused", testStaleHead},
		{"a misnumbered batch is refused", testMisnumbered},
		{"a key is used once", testDuplicateKey},
		{"a refusal does not affect other requests", testNeighbours},
		{"rival writers are fenced", testRivals},
		{"concurrent producers leave no gap", testProducers},
		{"a cancelled append may or may not happen", testCancelledAppend},
		{"reading pages and kinds", testRead},
		{"a rare kind is found among many", testReadRare},
		{"only durable records are read", testReadIsDurable},
		{"a cancelled read does not affect appends", testCancelledRead},
		{"a follower misses nothing and gets nothing twice", testFollow},
		{"following starts anywhere", testFollowCold},
		{"following ends with its context, its function and the ledger", testFollowEnds},
		{"followers get the decoded value", testFollowKeepsValue},
		{"lookup finds a key", testLookup},
		{"content is found by its hash", testBlobs},
		{"a checkpoint is replaced", testCheckpoint},
		{"retention by age raises the floor", testRetainAge},
		{"retention by count keeps the newest", testRetainCount},
		{"retention by age stops at the first record that is too young", testRetainOrder},
		{"retention keeps the records that a rule lists", testRetainKeep},
		{"removing the last record keeps the head", testRetainHead},
		{"retention runs during appends", testRetainDuringAppends},
		{"content is removed with the record that owns it", testRetainOwned},
		{"redaction erases the text and keeps the record", testRedact},
		{"stats count", testStats},
		{"a closed ledger returns ErrClosed", testClosed},
		{"reopening keeps everything", testReopen},
		{"segments distinguish runs of the writer", testSegments},
		{"random operations agree with a slice", testModel},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			c.test(t, newBench(t, place))
		})
	}
}

// bench is one ledger under test.
type bench struct {
	ledger.Ledger
	open  Opener
	place func() Opener
}

func newBench(t *testing.T, place func(t *testing.T) Opener) *bench {
	t.Helper()
	b := &bench{place: func() Opener { return place(t) }}
	b.renew(t)
	t.Cleanup(func() { b.close(t) })
	return b
}

// renew replaces the ledger with a new, empty one.
func (b *bench) renew(t fataler) {
	t.Helper()
	if b.Ledger != nil {
		b.close(t)
		b.Ledger = nil
	}
	b.open = b.place()
	b.reopen(t)
}

// close closes the ledger. If the engine can verify its ledger, verification must find no damage.
func (b *bench) close(t fataler) {
	t.Helper()
	if v, ok := b.Ledger.(interface{ Verify(context.Context) error }); ok {
		if err := v.Verify(context.Background()); err != nil && !errors.Is(err, ledger.ErrClosed) {
			t.Fatalf("verify: %v", err)
		}
	}
	if err := b.Close(); err != nil {
		t.Fatalf("close: %v", err)
	}
}

// reopen closes the ledger if it is open, and opens it again.
func (b *bench) reopen(t fataler) {
	t.Helper()
	if b.Ledger != nil {
		if err := b.Close(); err != nil {
			t.Fatalf("close: %v", err)
		}
	}
	l, err := b.open(context.Background())
	if err != nil {
		t.Fatalf("open: %v", err)
	}
	b.Ledger = l
}

// fataler has the methods that testing.T and rapid.T share.
type fataler interface {
	Helper()
	Fatalf(format string, args ...any)
}

// batch returns n different records, numbered from after+1.
func batch(after uint64, n int) []contracts.Record {
	recs := make([]contracts.Record, n)
	for i := range recs {
		recs[i] = record(after + uint64(i) + 1)
	}
	return recs
}

func record(seq uint64) contracts.Record {
	kinds := []contracts.Kind{contracts.KindEvent, contracts.KindGoal, contracts.KindHUD}
	return contracts.Record{
		Seq:  seq,
		TS:   int64(1_700_000_000_000 + seq),
		Kind: kinds[seq%3],
		ID:   fmt.Sprintf("id_%d", seq),
		Body: fmt.Appendf(nil, `{"n":%d}`, seq),
	}
}

func mustAppend(t fataler, l ledger.Ledger, after uint64, recs []contracts.Record) {
	t.Helper()
	if err := l.Append(context.Background(), after, recs); err != nil {
		t.Fatalf("append %d records after %d: %v", len(recs), after, err)
	}
}

func mustRead(t fataler, l ledger.Ledger, after uint64, limit int, kinds ...contracts.Kind) []contracts.Record {
	t.Helper()
	recs, err := l.Read(context.Background(), after, limit, kinds...)
	if err != nil {
		t.Fatalf("read after %d: %v", after, err)
	}
	return recs
}

// all is a read limit that no case reaches.
const all = 1 << 20

func wantRecords(t fataler, got, want []contracts.Record) {
	t.Helper()
	if slices.EqualFunc(want, got, sameRecord) { // cmp.Diff takes a thousand times longer
		return
	}
	if d := cmp.Diff(want, got, cmpopts.IgnoreUnexported(contracts.Record{}), cmpopts.EquateEmpty()); d != "" {
		t.Fatalf("records (-want +got):\n%s", d)
	}
}

func sameRecord(a, b contracts.Record) bool {
	return a.Seq == b.Seq && a.TS == b.TS && a.Kind == b.Kind && a.ID == b.ID && a.Key == b.Key && a.Redacted == b.Redacted && bytes.Equal(a.Body, b.Body)
}

func wantHead(t fataler, l ledger.Ledger, want uint64) {
	t.Helper()
	if got := l.Head(); got != want {
		t.Fatalf("head is %d, want %d", got, want)
	}
}

func wantError(t fataler, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Fatalf("error is %v, want %v", err, want)
	}
}

// seqs checks that records are numbered from+1, from+2 …, and returns the last seq.
func seqs(t fataler, recs []contracts.Record, from uint64) uint64 {
	t.Helper()
	for _, r := range recs {
		if r.Seq != from+1 {
			t.Fatalf("record %d follows %d", r.Seq, from)
		}
		from = r.Seq
	}
	return from
}
