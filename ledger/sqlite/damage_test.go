package sqlite_test

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/ledger"
	"github.com/bullpen-office/bullpen/ledger/sqlite"
)

// damaged creates a closed ledger with 100 records and one blob, calls change to modify the file as
// another program would, and opens the ledger again.
func damaged(t *testing.T, change func(db *sql.DB)) *sqlite.Ledger {
	t.Helper()
	path := filepath.Join(t.TempDir(), "ledger.db")
	l := openFile(t, path)
	recs := make([]contracts.Record, 100)
	for i := range recs {
		recs[i] = contracts.Record{Kind: contracts.KindEvent, ID: "id", Body: bytes.Repeat([]byte{'a' + byte(i%26)}, 300)}
	}
	if err := l.Append(t.Context(), ledger.AnySeq, recs); err != nil {
		t.Fatal(err)
	}
	if _, err := l.PutBlob(t.Context(), []byte("content")); err != nil {
		t.Fatal(err)
	}
	if err := l.Verify(t.Context()); err != nil {
		t.Fatalf("before the damage: %v", err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	change(db)
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	return openFile(t, path)
}

func execute(t *testing.T, db *sql.DB, statement string) {
	t.Helper()
	if _, err := db.Exec(statement); err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
}

// TestVerifyNamesTheRecord checks that Verify finds silent damage in the middle of the ledger, and
// that reads fail too, so that a damaged record is never folded.
func TestVerifyNamesTheRecord(t *testing.T) {
	changes := map[string]string{
		"body":    "UPDATE records SET body = zeroblob(300) WHERE seq = 42",
		"time":    "UPDATE records SET ts = ts + 1 WHERE seq = 42",
		"kind":    "UPDATE records SET kind = 'chat' WHERE seq = 42",
		"key":     "UPDATE records SET key = 'k' WHERE seq = 42",
		"removed": "DELETE FROM records WHERE seq = 42",
		"swapped": "UPDATE records SET body = (SELECT body FROM records WHERE seq = 43) WHERE seq = 42",
	}
	for name, change := range changes {
		t.Run(name, func(t *testing.T) {
			l := damaged(t, func(db *sql.DB) { execute(t, db, change) })
			err := l.Verify(t.Context())
			var corrupt *ledger.CorruptError
			if !errors.As(err, &corrupt) || corrupt.Seq != 42 || !errors.Is(err, ledger.ErrCorrupt) {
				t.Errorf("verify: %v", err)
			}
			err = l.Follow(t.Context(), 0, func([]contracts.Record) error { return nil })
			if !errors.As(err, &corrupt) || corrupt.Seq != 42 {
				t.Errorf("follow: %v", err)
			}
		})
	}
}

func TestVerifyFindsOtherDamage(t *testing.T) {
	changes := map[string]string{
		"lost tail": "DELETE FROM records WHERE seq > 90",
		"blob":      "UPDATE blobs SET content = 'other'",
	}
	for name, change := range changes {
		t.Run(name, func(t *testing.T) {
			l := damaged(t, func(db *sql.DB) { execute(t, db, change) })
			if err := l.Verify(t.Context()); !errors.Is(err, ledger.ErrCorrupt) {
				t.Errorf("verify: %v", err)
			}
		})
	}
}

// TestVerifyFlippedByte checks that Verify finds a changed byte in the file itself.
func TestVerifyFlippedByte(t *testing.T) {
	path := filepath.Join(t.TempDir(), "ledger.db")
	l := openFile(t, path)
	recs := make([]contracts.Record, 100)
	for i := range recs {
		recs[i] = contracts.Record{Kind: contracts.KindEvent, Body: bytes.Repeat([]byte{'a'}, 300)}
	}
	recs[41].Body = bytes.Repeat([]byte("needle"), 50)
	if err := l.Append(t.Context(), ledger.AnySeq, recs); err != nil {
		t.Fatal(err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	file, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	at := bytes.Index(file, []byte("needleneedle"))
	if at < 0 {
		t.Fatal("the record is not in the file after Close")
	}
	file[at+100] ^= 4
	if err := os.WriteFile(path, file, 0o600); err != nil {
		t.Fatal(err)
	}
	var corrupt *ledger.CorruptError
	if err := openFile(t, path).Verify(t.Context()); !errors.As(err, &corrupt) || corrupt.Seq != 42 {
		t.Errorf("verify: %v", err)
	}
}

func TestOpenRefuses(t *testing.T) {
	cases := []struct{ name, change, want string }{
		{"a newer format", "UPDATE meta SET value = '99' WHERE name = 'format'", "newer version of Bullpen"},
		{"another program's database", "PRAGMA application_id = 7", "not a Bullpen ledger"},
		{"a ledger without identity", "DELETE FROM meta WHERE name = 'id'", "damaged"},
		{"a ledger without floor", "DELETE FROM meta WHERE name = 'floor'", "damaged"},
		{"a floor that retention never reached", "UPDATE meta SET value = '9200' WHERE name = 'floor'", "damaged at record 9200"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "ledger.db")
			openFile(t, path).Close()
			db, err := sql.Open("sqlite", path)
			if err != nil {
				t.Fatal(err)
			}
			execute(t, db, c.change)
			db.Close()
			wantRefusal(t, path, c.want)
		})
	}
	t.Run("not a database", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "ledger.db")
		if err := os.WriteFile(path, bytes.Repeat([]byte("text "), 1000), 0o600); err != nil {
			t.Fatal(err)
		}
		wantRefusal(t, path, "damaged")
	})
}

// Opening a file read-only neither creates a ledger in an empty file nor upgrades an older ledger.
func TestReadOnlyChangesNothing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "ledger.db")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	read := func(want string) {
		t.Helper()
		before, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		l, err := sqlite.Open(t.Context(), sqlite.Config{Path: path, ReadOnly: true})
		if err == nil {
			l.Close()
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
		if after, err := os.ReadFile(path); err != nil || !bytes.Equal(before, after) {
			t.Errorf("the file was changed: %v", err)
		}
	}
	read("the file is empty")
	openFile(t, path).Close()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	execute(t, db, "ALTER TABLE records DROP COLUMN proof; DROP TABLE proofs; DROP TABLE segments; UPDATE meta SET value = '1' WHERE name = 'format'")
	db.Close()
	read("start the office once to upgrade it")
}

// If a read by kind encounters a damaged record, the error names that record.
func TestDamagedRecordIsNamed(t *testing.T) {
	path := filepath.Join(t.TempDir(), "ledger.db")
	l := openFile(t, path)
	appendSome(t, l, 20)
	l.Close()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	execute(t, db, "UPDATE records SET ts = ts + 1 WHERE seq = 10")
	db.Close()
	var corrupt *ledger.CorruptError
	if _, err := openFile(t, path).Read(t.Context(), 0, 100, contracts.KindChat); !errors.As(err, &corrupt) || corrupt.Seq != 10 {
		t.Errorf("%v", err)
	}
}

func wantRefusal(t *testing.T, path, want string) {
	t.Helper()
	l, err := sqlite.Open(context.Background(), sqlite.Config{Path: path})
	if err == nil {
		l.Close()
		t.Fatal("the ledger was opened")
	}
	if text := err.Error(); !strings.Contains(text, want) || !strings.Contains(text, path) {
		t.Errorf("the error does not contain %q and the path: %v", want, err)
	}
}

// TestRetainIgnoresDamagedBodies checks that a retention rule removes a damaged record, and that
// the damaged body does not decide which content is removed.
func TestRetainIgnoresDamagedBodies(t *testing.T) {
	l := damaged(t, func(db *sql.DB) { execute(t, db, "UPDATE records SET body = zeroblob(300) WHERE seq = 42") })
	asked := 0
	owns := func(r *contracts.Record) string {
		if asked++; r.Seq == 42 {
			t.Error("Owns was called for a damaged record")
		}
		return ""
	}
	removed, err := l.Retain(t.Context(), time.Now(), []ledger.Rule{{Kind: contracts.KindEvent, MaxCount: 10, Owns: owns}})
	if err != nil || removed != 90 || asked != 89 {
		t.Errorf("removed %d, asked %d: %v", removed, asked, err)
	}
}
