package sqlite

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/ledger"
)

// downgrade turns the ledger into a file from a version without the chain.
func downgrade(t testing.TB, l *Ledger) {
	t.Helper()
	if _, err := l.writes.Exec("ALTER TABLE records DROP COLUMN proof; DROP TABLE proofs; DROP TABLE segments; UPDATE meta SET value = '1' WHERE name = 'format'"); err != nil {
		t.Fatal(err)
	}
	l.Close()
	if err := os.Remove(l.config.Path + witnessSuffix); err != nil {
		t.Fatal(err)
	}
}

// Opening a file from an older version chains its records and marks the file. Records can then be
// appended, whether or not retention has removed records.
func TestUpgradeChainsOlderRecords(t *testing.T) {
	path := filepath.Join(t.TempDir(), "ledger.db")
	l := openAt(t, path, nil)
	crowd(t, l, 60, 3)
	keepChats := func(n int) {
		t.Helper()
		if _, err := l.Retain(t.Context(), time.Now(), []ledger.Rule{{Kind: contracts.KindChat, MaxCount: n}}); err != nil {
			t.Fatal(err)
		}
	}
	keepChats(15)
	downgrade(t, l)
	l = openAt(t, path, nil)
	if mark, err := readMeta(t.Context(), l.reads, chainAfter); err != nil || mark != "60" {
		t.Errorf("the file is not marked as upgraded: %q %v", mark, err)
	}
	for n := 14; n >= 10; n-- { // between the appends, so that runs of removed records grow
		keepChats(n)
		crowd(t, l, 10, 5)
		if err := l.Verify(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	head, link := l.Head(), l.state.Load().link
	l.Close()
	l = openAt(t, path, nil)
	if l.Head() != head || l.state.Load().link != link {
		t.Errorf("the chain changed on reopening: %d %s, want %d %s", l.Head(), l.state.Load().link, head, link)
	}
	if err := l.Verify(t.Context()); err != nil {
		t.Error(err)
	}
}

// The chain detects damage that a record's own checksum cannot detect.
func TestChainDetectsWhatChecksumsMiss(t *testing.T) {
	for name, c := range map[string]struct {
		change string
		seq    uint64
	}{
		"rewritten with its checksum": {"UPDATE records SET body = '{\"n\":9}', sum = %d WHERE seq = 5", 5},
		"another link":                {"UPDATE records SET proof = (SELECT proof FROM records WHERE seq = 6) WHERE seq = 5", 5},
		"no link":                     {"UPDATE records SET proof = NULL WHERE seq = 5", 5},
		"a short link":                {"UPDATE records SET proof = x'00' WHERE seq = 5", 5},
		"a segment too many":          {"INSERT INTO segments (n, after, token) VALUES (0, 0, 'x')", 1},
		"no segments":                 {"DELETE FROM segments", 1},
	} {
		t.Run(name, func(t *testing.T) {
			l := openAt(t, filepath.Join(t.TempDir(), "ledger.db"), nil)
			crowd(t, l, 10, 0)
			if name == "rewritten with its checksum" {
				c.change = fmt.Sprintf(c.change, l.sums.sum(&contracts.Record{Seq: 5, TS: 1, Kind: contracts.KindEvent, ID: "e_4", Body: []byte(`{"n":9}`)}))
			}
			if _, err := l.writes.Exec(c.change); err != nil {
				t.Fatal(err)
			}
			var corrupt *ledger.CorruptError
			if err := l.Verify(t.Context()); !errors.As(err, &corrupt) || corrupt.Seq != c.seq {
				t.Errorf("verify: %v", err)
			}
		})
	}
}
