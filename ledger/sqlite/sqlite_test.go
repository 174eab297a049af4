package sqlite_test

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"testing"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/ledger"
	"github.com/bullpen-office/bullpen/ledger/ledgertest"
	"github.com/bullpen-office/bullpen/ledger/sqlite"
)

func TestContractOnDisk(t *testing.T) {
	ledgertest.Run(t, func(t *testing.T) ledgertest.Opener {
		path := filepath.Join(t.TempDir(), "data", "ledger.db")
		return func(ctx context.Context) (ledger.Ledger, error) {
			return sqlite.Open(ctx, sqlite.Config{Path: path})
		}
	})
}

func TestContractInMemory(t *testing.T) {
	ledgertest.Run(t, func(t *testing.T) ledgertest.Opener {
		return func(ctx context.Context) (ledger.Ledger, error) {
			return sqlite.Open(ctx, sqlite.Config{})
		}
	})
}

// An append does not search again for a key that HasKeys did not find, unless records have been
// added since: a key that was taken in the meantime is refused.
func TestKeysTakenAfterHasKeys(t *testing.T) {
	l := openFile(t, filepath.Join(t.TempDir(), "ledger.db"))
	keyed := func(seq uint64, keys ...string) (recs []contracts.Record) {
		for i, key := range keys {
			recs = append(recs, contracts.Record{Seq: seq + uint64(i), TS: 1, Kind: contracts.KindEvent, ID: key, Key: key, Body: []byte("{}")})
		}
		return recs
	}
	if known, err := l.HasKeys(t.Context(), []string{"a", "b", "c"}); err != nil || slices.Contains(known, true) {
		t.Fatalf("%v, %v", known, err)
	}
	if err := l.Append(t.Context(), 0, keyed(1, "a", "a")); !errors.Is(err, ledger.ErrDuplicateKey) {
		t.Errorf("the same key twice in one append: %v", err)
	}
	if err := l.Append(t.Context(), 0, keyed(1, "a", "b")); err != nil {
		t.Fatal(err)
	}
	if err := l.Append(t.Context(), 0, keyed(1, "c")); !errors.As(err, new(*ledger.StaleError)) {
		t.Errorf("an append after an older head: %v", err)
	}
	for after, recs := range map[uint64][]contracts.Record{2: keyed(3, "c", "b"), ledger.AnySeq: keyed(0, "a")} {
		if err := l.Append(t.Context(), after, recs); !errors.Is(err, ledger.ErrDuplicateKey) {
			t.Errorf("a key that was taken after HasKeys: %v", err)
		}
	}
	if err := l.Verify(t.Context()); err != nil || l.Head() != 2 {
		t.Errorf("head %d, %v", l.Head(), err)
	}
}
