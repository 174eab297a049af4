package sqlite_test

import (
	"database/sql"
	"errors"
	"testing"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/ledger"
	"github.com/bullpen-office/bullpen/ledger/sqlite"
)

// TestScrubFindsDamage checks that a scrub finds every kind of damage that makes a read fail.
func TestScrubFindsDamage(t *testing.T) {
	for name, change := range map[string]string{
		"body":         "UPDATE records SET body = zeroblob(300) WHERE seq = 42",
		"removed":      "DELETE FROM records WHERE seq = 42",
		"many removed": "DELETE FROM records WHERE seq BETWEEN 42 AND 99",
		"blob":         "UPDATE blobs SET content = 'other'",
	} {
		t.Run(name, func(t *testing.T) {
			l := damaged(t, func(db *sql.DB) { execute(t, db, change) })
			if err := l.Damage(); err != nil {
				t.Fatalf("damage before any read: %v", err)
			}
			if err := l.Scrub(t.Context()); !errors.Is(err, ledger.ErrCorrupt) {
				t.Errorf("scrub: %v", err)
			}
			if err := l.Damage(); !errors.Is(err, ledger.ErrCorrupt) {
				t.Errorf("damage was not remembered: %v", err)
			}
		})
	}
	whole := damaged(t, func(*sql.DB) {})
	if err := errors.Join(whole.Scrub(t.Context()), whole.Damage()); err != nil {
		t.Errorf("damage in an intact ledger: %v", err)
	}
}

// TestReadsRememberDamage checks that Damage returns the first damage that any read found.
func TestReadsRememberDamage(t *testing.T) {
	for name, read := range map[string]func(l *sqlite.Ledger) error{
		"read":   func(l *sqlite.Ledger) error { _, err := l.Read(t.Context(), 40, 5); return err },
		"lookup": func(l *sqlite.Ledger) error { _, _, err := l.Lookup(t.Context(), "k"); return err },
		"follow": func(l *sqlite.Ledger) error {
			return l.Follow(t.Context(), 0, func([]contracts.Record) error { return nil })
		},
		"verify": func(l *sqlite.Ledger) error { return l.Verify(t.Context()) },
	} {
		t.Run(name, func(t *testing.T) {
			l := damaged(t, func(db *sql.DB) { execute(t, db, "UPDATE records SET key = 'k' WHERE seq = 42") })
			var corrupt *ledger.CorruptError
			if err := read(l); !errors.As(err, &corrupt) {
				t.Fatalf("the damaged record was read: %v", err)
			}
			if err := l.Damage(); !errors.As(err, &corrupt) || corrupt.Seq != 42 {
				t.Errorf("damage: %v", err)
			}
		})
	}
}

// TestAlteredCheckpointIsIgnored checks that an altered checkpoint is never used, and that the
// records still count as intact.
func TestAlteredCheckpointIsIgnored(t *testing.T) {
	for name, change := range map[string]string{
		"text":           "UPDATE checkpoint SET state = replace(state, 'true', 'fake')",
		"seq":            "UPDATE checkpoint SET seq = seq + 1",
		"version":        "UPDATE checkpoint SET version = version + 1",
		"no checksum":    "DELETE FROM meta WHERE name = 'checkpoint_sha256'",
		"other checksum": "UPDATE meta SET value = 'x' WHERE name = 'checkpoint_sha256'",
		"nothing":        "SELECT 1",
	} {
		t.Run(name, func(t *testing.T) {
			path := t.TempDir() + "/ledger.db"
			l := openFile(t, path)
			if err := l.SaveCheckpoint(t.Context(), ledger.Checkpoint{Seq: 7, Version: 2, State: []byte("a true state")}); err != nil {
				t.Fatal(err)
			}
			l.Close()
			db, err := sql.Open("sqlite", path)
			if err != nil {
				t.Fatal(err)
			}
			execute(t, db, change)
			db.Close()
			l = openFile(t, path)
			whole := name == "nothing"
			if _, ok, err := l.Checkpoint(t.Context()); ok != whole || err != nil {
				t.Errorf("checkpoint: %v %v", ok, err)
			}
			if err := l.VerifyCheckpoint(t.Context()); (err == nil) != whole {
				t.Errorf("verify: %v", err)
			}
			if err := errors.Join(l.Verify(t.Context()), l.Damage()); err != nil {
				t.Errorf("the records count as damaged: %v", err)
			}
		})
	}
}
