package sqlite

import (
	"context"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/ledger"
)

// BenchmarkLookupUnknown measures the query that the office makes for every fact: whether a record
// has a given key.
func BenchmarkLookupUnknown(b *testing.B) {
	l, err := Open(b.Context(), Config{Path: filepath.Join(b.TempDir(), "ledger.db")})
	if err != nil {
		b.Fatal(err)
	}
	defer l.Close()
	recs := make([]contracts.Record, 10_000)
	for i := range recs {
		recs[i] = contracts.Record{Kind: contracts.KindHUD, ID: "hud_" + strconv.Itoa(i), Key: "hud/" + strconv.Itoa(i), Body: []byte(`{}`)}
	}
	if err := l.Append(b.Context(), ledger.AnySeq, recs); err != nil {
		b.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(b.Context(), time.Hour)
	defer cancel()
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		if _, ok, err := l.Lookup(ctx, "hud/new"+strconv.Itoa(i)); ok || err != nil {
			b.Fatal(ok, err)
		}
	}
}
