package sqlite

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/ledger"
)

func fill(kind contracts.Kind, n int) []contracts.Record {
	recs := make([]contracts.Record, n)
	for i := range recs {
		recs[i] = contracts.Record{Kind: kind, ID: "id", Body: bytes.Repeat([]byte("x"), 1000)}
	}
	return recs
}

// TestFullDiskBlocksOnlyAppends checks that reads continue on a full disk, and that appends work again
// once there is space. SQLite's page limit causes the same error as a full disk.
func TestFullDiskBlocksOnlyAppends(t *testing.T) {
	l, err := Open(t.Context(), Config{Path: filepath.Join(t.TempDir(), "ledger.db")})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	limitPages(t, l, 60)
	acked := uint64(0)
	for err == nil {
		if err = l.Append(t.Context(), ledger.AnySeq, fill(contracts.KindHUD, 10)); err == nil {
			acked += 10
		}
	}
	if !errors.Is(err, ledger.ErrFull) || !strings.Contains(err.Error(), l.config.Path) {
		t.Fatalf("append: %v", err)
	}
	if _, err := l.PutBlob(t.Context(), make([]byte, 100_000)); !errors.Is(err, ledger.ErrFull) {
		t.Errorf("put: %v", err)
	}
	for range 3 {
		if err := l.Append(t.Context(), acked, nil); err != nil {
			t.Errorf("the head moved: %v", err)
		}
		recs, err := l.Read(t.Context(), 0, 1000)
		if err != nil || uint64(len(recs)) != acked || l.Head() != acked {
			t.Fatalf("%d records at head %d, want %d: %v", len(recs), l.Head(), acked, err)
		}
	}
	limitPages(t, l, 1<<30)
	if err := l.Append(t.Context(), acked, number(acked, fill(contracts.KindHUD, 10))); err != nil {
		t.Fatalf("append with space again: %v", err)
	}
	if err := l.Verify(t.Context()); err != nil {
		t.Error(err)
	}
}

func limitPages(t *testing.T, l *Ledger, pages int) {
	t.Helper()
	if _, err := l.writes.Exec(fmt.Sprintf("PRAGMA max_page_count = %d", pages)); err != nil {
		t.Fatal(err)
	}
}

func number(after uint64, recs []contracts.Record) []contracts.Record {
	for i := range recs {
		recs[i].Seq = after + uint64(i) + 1
	}
	return recs
}

// TestLittleFreeSpaceBlocksOnlyGrowth checks that appends and copies fail if there is too little
// free space, that retention still works, and that the error gives the path and the free space.
func TestLittleFreeSpaceBlocksOnlyGrowth(t *testing.T) {
	const mib = 1 << 20
	cases := []struct {
		name                string
		minFree, free, size int64
		refused             bool
	}{
		{"a big volume below 256 MiB", 0, 255 * mib, 1 << 40, true},
		{"a big volume above 256 MiB", 0, 257 * mib, 1 << 40, false},
		{"a small volume below 2%", 0, 1 * mib, 100 * mib, true},
		{"a small volume above 2%", 0, 3 * mib, 100 * mib, false},
		{"set by the operator", 10 * mib, 9 * mib, 1 << 40, true},
		{"switched off", -1, 0, 1 << 40, false},
		{"unknown", 0, -1, -1, false},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			var free atomic.Int64
			free.Store(1 << 40)
			path := filepath.Join(t.TempDir(), "ledger.db")
			l, err := Open(t.Context(), Config{Path: path, MinFree: c.minFree, FreeSpace: func(string) (int64, int64, error) { return free.Load(), c.size, nil }})
			if err != nil {
				t.Fatal(err)
			}
			defer l.Close()
			if err := l.Append(t.Context(), 0, number(0, fill(contracts.KindHUD, 3))); err != nil {
				t.Fatal(err)
			}
			free.Store(c.free)
			err = l.Append(t.Context(), 3, number(3, fill(contracts.KindHUD, 1)))
			if !c.refused {
				if err != nil {
					t.Fatal(err)
				}
				return
			}
			if !errors.Is(err, ledger.ErrFull) || !strings.Contains(err.Error(), path) || !strings.Contains(err.Error(), fmt.Sprint(c.free)) {
				t.Errorf("append: %v", err)
			}
			if err := l.Writable(); !errors.Is(err, ledger.ErrFull) {
				t.Errorf("writable: %v", err)
			}
			_, least, _ := l.space(path, 0)
			free.Store(least + l.fileBytes() - 1) // enough for appends, but not for a copy
			if err := l.Writable(); err != nil {
				t.Errorf("Writable with little space: %v", err)
			}
			if _, err := l.Backup(t.Context(), path+".copy"); !errors.Is(err, ledger.ErrFull) || !strings.Contains(err.Error(), fmt.Sprint(l.fileBytes())) {
				t.Errorf("backup with too little space: %v", err)
			}
			if left, _ := filepath.Glob(path + ".copy*"); len(left) > 0 {
				t.Errorf("a refused backup left %v", left)
			}
			free.Store(c.free)
			if n, err := l.Retain(t.Context(), time.Now(), []ledger.Rule{{Kind: contracts.KindHUD, MaxCount: 1}}); n != 2 || err != nil {
				t.Errorf("retain removed %d: %v", n, err)
			}
			free.Store(1 << 40)
			if err := l.Append(t.Context(), 3, number(3, fill(contracts.KindHUD, 1))); err != nil {
				t.Errorf("append with space again: %v", err)
			}
		})
	}
}
