package ledgertest

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/ledger"
)

// testRetainOwned checks that removing a record also removes the content that the rule assigns to
// it: by age, by count and across batches. Everything else stays.
func testRetainOwned(t *testing.T, b *bench) {
	const total = contracts.LimitRetainBatch + 60
	put := func(text string) string {
		t.Helper()
		name, err := b.PutBlob(t.Context(), []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		return name
	}
	shared := put("a deliverable without an owner")
	recs := make([]contracts.Record, total)
	for i := range recs {
		recs[i] = contracts.Record{Seq: uint64(i + 1), TS: int64(i + 1), Kind: contracts.KindHUD, ID: fmt.Sprint(i + 1), Body: []byte(`{"sha":""}`)}
		if i%2 == 0 {
			recs[i].Body = []byte(put(fmt.Sprintf("the result of %d", i+1)))
		}
	}
	mustAppend(t, b, 0, recs)
	owns := func(r *contracts.Record) string {
		if r.Body[0] == '{' {
			return ""
		}
		return string(r.Body)
	}
	check := func(gone int) {
		t.Helper()
		for _, r := range recs {
			name := owns(&r)
			if name == "" {
				continue
			}
			if _, ok, err := b.Blob(context.Background(), name); err != nil || ok != (int(r.Seq) > gone) {
				t.Fatalf("%d records are removed; the content of record %d exists: %v, %v", gone, r.Seq, ok, err)
			}
		}
		if _, ok, err := b.Blob(context.Background(), shared); err != nil || !ok {
			t.Fatalf("content without an owner was not found: %v, %v", ok, err)
		}
	}
	mustRetain(t, b, 11, 9, ledger.Rule{Kind: contracts.KindHUD, MaxAge: time.Millisecond, Owns: owns})
	check(9)
	mustRetain(t, b, 0, total-9-20, ledger.Rule{Kind: contracts.KindHUD, MaxCount: 20, Owns: owns})
	check(total - 20)
	mustRetain(t, b, 0, 10, ledger.Rule{Kind: contracts.KindHUD, MaxCount: 10})
	check(total - 20) // without Owns in the rule, no content is removed
	if b.Durable() {
		b.reopen(t)
		check(total - 20)
	}
}
