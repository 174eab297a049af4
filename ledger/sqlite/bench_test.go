package sqlite_test

import (
	"bytes"
	"context"
	"path/filepath"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/ledger"
	"github.com/bullpen-office/bullpen/ledger/sqlite"
)

var benchBody = append(append([]byte(`{"text":"`), bytes.Repeat([]byte("x"), 289)...), `"}`...)

// BenchmarkAppend measures durable appends of 300 bytes by producers that wait for each append.
// BenchmarkAppendRaw shows what the machine can do at best.
func BenchmarkAppend(b *testing.B) {
	for _, producers := range []int{1, 64} {
		b.Run(strconv.Itoa(producers), func(b *testing.B) {
			l := openFile(b, filepath.Join(b.TempDir(), "ledger.db"))
			produce(b, producers, func() error {
				return l.Append(context.Background(), ledger.AnySeq, []contracts.Record{{TS: 1, Kind: contracts.KindEvent, ID: "evt_s1000000", Body: benchBody}})
			})
		})
	}
}

// BenchmarkRead measures reading pages of 1,000 records from the file.
func BenchmarkRead(b *testing.B) {
	const total = 100_000
	path := filepath.Join(b.TempDir(), "ledger.db")
	l := openFile(b, path)
	for range total / 500 {
		recs := make([]contracts.Record, 500)
		for i := range recs {
			recs[i] = contracts.Record{TS: 1, Kind: contracts.KindEvent, ID: "evt_s1000000", Body: benchBody}
		}
		if err := l.Append(b.Context(), ledger.AnySeq, recs); err != nil {
			b.Fatal(err)
		}
	}
	l.Close()
	l = openFile(b, path) // without the tail in memory
	b.ResetTimer()
	read := 0
	for b.Loop() {
		recs, err := l.Read(b.Context(), uint64(read%(total-1000)), 1000)
		if err != nil {
			b.Fatal(err)
		}
		read += len(recs)
	}
	b.ReportMetric(float64(read)/b.Elapsed().Seconds(), "records/s")
}

// BenchmarkReadRareKind measures reading a page of a kind that only one record in 50,000 has.
func BenchmarkReadRareKind(b *testing.B) {
	const total = 1_000_000
	path := filepath.Join(b.TempDir(), "ledger.db")
	l := openFile(b, path)
	for at := 0; at < total; at += 500 {
		recs := make([]contracts.Record, 500)
		for i := range recs {
			recs[i] = contracts.Record{TS: 1, Kind: contracts.KindEvent, ID: "evt_s1000000", Body: benchBody}
		}
		if at%50_000 == 0 {
			recs[250].Kind = contracts.KindChat
		}
		if err := l.Append(b.Context(), ledger.AnySeq, recs); err != nil {
			b.Fatal(err)
		}
	}
	l.Close()
	l = openFile(b, path) // without the tail in memory
	for b.Loop() {
		if recs, err := l.Read(b.Context(), 0, 1000, contracts.KindChat); err != nil || len(recs) != 20 {
			b.Fatal(len(recs), err)
		}
	}
}

func produce(b *testing.B, producers int, do func() error) {
	b.ReportAllocs()
	var left atomic.Int64
	left.Store(int64(b.N))
	b.ResetTimer()
	var wg sync.WaitGroup
	for range producers {
		wg.Go(func() {
			for left.Add(-1) >= 0 {
				if err := do(); err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()
	b.StopTimer()
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "records/s")
}

func openFile(tb testing.TB, path string) *sqlite.Ledger {
	tb.Helper()
	l, err := sqlite.Open(tb.Context(), sqlite.Config{Path: path})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { l.Close() })
	return l
}
