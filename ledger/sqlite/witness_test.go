package sqlite_test

import (
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/ledger"
	"github.com/bullpen-office/bullpen/ledger/sqlite"
)

// files lists the suffixes of a ledger's files.
var files = []string{"", "-wal", ".witness"}

// copyLedger copies a ledger's files from one path to another, in the state in which a kill would
// leave them. It removes files at the destination that the source lacks.
func copyLedger(t testing.TB, from, to string, suffixes ...string) {
	t.Helper()
	for _, suffix := range suffixes {
		content, err := os.ReadFile(from + suffix)
		if errors.Is(err, os.ErrNotExist) {
			os.Remove(to + suffix)
			continue
		}
		if err == nil {
			err = os.WriteFile(to+suffix, content, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

func appendSome(t testing.TB, l *sqlite.Ledger, n int) {
	t.Helper()
	for range n {
		body := []byte(`{"text":"` + strings.Repeat("x", 200) + `"}`)
		if err := l.Append(t.Context(), ledger.AnySeq, []contracts.Record{{TS: 1, Kind: contracts.KindEvent, ID: "e", Body: body}}); err != nil {
			t.Fatal(err)
		}
	}
}

// A ledger that lost records can be read, but appends fail until a person accepts the loss; the
// ledger then gets a new identity and continues.
func TestLossBlocksAppendsUntilAccepted(t *testing.T) {
	dir := t.TempDir()
	live, old := filepath.Join(dir, "live.db"), filepath.Join(dir, "old.db")
	l := openFile(t, live)
	appendSome(t, l, 5)
	copyLedger(t, live, old, files...)
	appendSome(t, l, 5)
	for name, c := range map[string]struct {
		from string   // path of the copied files
		lost []string // suffixes that are not copied
		want string   // empty means no loss
	}{
		"killed":                   {live, nil, ""},
		"no log":                   {live, []string{"-wal"}, "10 were written: 10 are missing"},
		"no log, no witness":       {live, []string{"-wal", ".witness"}, "is missing and the ledger was not closed"},
		"no witness":               {live, []string{".witness"}, "is missing and the ledger was not closed"},
		"an older file":            {old, []string{".witness"}, "ends at record 5, but 10 were written"},
		"an older file, truncated": {old, []string{".witness", "-wal"}, "10 were written"},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "ledger.db")
			copyLedger(t, live, path, files...)
			copyLedger(t, c.from, path, "", "-wal")
			for _, suffix := range c.lost {
				if c.from == live || suffix != ".witness" {
					os.Remove(path + suffix)
				}
			}
			l := openFile(t, path)
			err := l.Append(t.Context(), ledger.AnySeq, []contracts.Record{{Kind: contracts.KindEvent}})
			loss := (*ledger.LossError)(nil)
			if c.want == "" {
				if err != nil || l.Damage() != nil || l.Head() != 11 {
					t.Errorf("%v %v, head %d", err, l.Damage(), l.Head())
				}
				return
			}
			if !errors.As(err, &loss) || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "bullpen new-epoch") {
				t.Fatalf("append: %v", err)
			}
			if err := l.Damage(); !errors.Is(err, ledger.ErrCorrupt) {
				t.Errorf("damage: %v", err)
			}
			id, head := l.ID(), l.Head()
			l.Close()
			if again := openFile(t, path); again.Damage() == nil {
				t.Error("opening the ledger twice accepted the loss")
			} else {
				again.Close()
			}
			accepted, err := sqlite.Open(t.Context(), sqlite.Config{Path: path, NewEpoch: true})
			if err != nil {
				t.Fatal(err)
			}
			if accepted.ID() == id || accepted.Head() != head {
				t.Errorf("%s at %d was accepted as %s at %d", id, head, accepted.ID(), accepted.Head())
			}
			appendSome(t, accepted, 1)
			if err := errors.Join(accepted.Verify(t.Context()), accepted.Close()); err != nil {
				t.Error(err)
			}
			if l := openFile(t, path); l.Damage() != nil || l.Head() != head+1 {
				t.Errorf("append after the loss was accepted: %v", l.Damage())
			}
		})
	}
	l.Close()
}

// A copy of a closed ledger's main file alone is complete, but starts a new epoch, because it may
// not be the newest copy.
func TestCopyOfAClosedLedger(t *testing.T) {
	dir := t.TempDir()
	path, copied := filepath.Join(dir, "ledger.db"), filepath.Join(dir, "copied.db")
	l := openFile(t, path)
	appendSome(t, l, 5)
	id := l.ID()
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	copyLedger(t, path, copied, "")
	c := openFile(t, copied)
	if c.Head() != 5 || c.ID() == id || c.Damage() != nil {
		t.Errorf("head %d, %s, %v", c.Head(), c.ID(), c.Damage())
	}
	if l = openFile(t, path); l.ID() != id {
		t.Error("opening a ledger again started an epoch")
	}
}

// A kill at any moment during the first start, an upgrade or the first start of a copy leaves a
// ledger that can be opened.
func TestKilledWhileOpening(t *testing.T) {
	const never = "DELETE FROM segments; DELETE FROM meta WHERE name = 'closed_at'"
	for name, c := range map[string]struct {
		change  string
		removed []string
	}{
		"before the witness":        {never, []string{".witness"}},
		"before the first segment":  {never, nil},
		"a copy with its new id":    {"UPDATE meta SET value = 'l' || value WHERE name = 'id'; INSERT OR REPLACE INTO meta SELECT 'root', substr(value, 2) FROM meta WHERE name = 'id'", []string{".witness"}},
		"a copy before its segment": {"SELECT 1", nil},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "ledger.db")
			l := openFile(t, path)
			if c.change != never {
				appendSome(t, l, 3)
			}
			l.Close()
			db, err := sql.Open("sqlite", path)
			if err != nil {
				t.Fatal(err)
			}
			execute(t, db, c.change)
			db.Close()
			for _, suffix := range c.removed {
				if err := os.Remove(path + suffix); err != nil {
					t.Fatal(err)
				}
			}
			l = openFile(t, path)
			if l.Damage() != nil {
				t.Fatal(l.Damage())
			}
			appendSome(t, l, 1)
			if err := l.Verify(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
}

// A cursor distinguishes the history in which it was read from a history that was rolled back and
// continued differently, even if the ledger's files agree with each other.
func TestSegmentsTellHistoriesApart(t *testing.T) {
	dir := t.TempDir()
	path, back := filepath.Join(dir, "ledger.db"), filepath.Join(dir, "back.db")
	l := openFile(t, path)
	appendSome(t, l, 3)
	first := l.Segment()
	copyLedger(t, path, back, files...)
	appendSome(t, l, 3)
	if !l.Holds(first, 6) || l.Holds(first, 7) || l.Holds("another", 1) || !l.Holds(first, 0) {
		t.Error("Holds is wrong for cursors of this run")
	}
	l.Close()
	l = openFile(t, path)
	second := l.Segment()
	appendSome(t, l, 3)
	if !l.Holds(first, 6) || l.Holds(first, 7) || !l.Holds(second, 9) {
		t.Error("Holds is wrong for cursors from before a restart")
	}
	rolled := openFile(t, back)
	appendSome(t, rolled, 9)
	if rolled.Damage() != nil || rolled.ID() != l.ID() {
		t.Fatalf("%v, %s", rolled.Damage(), rolled.ID())
	}
	if !rolled.Holds(first, 3) || rolled.Holds(first, 4) || rolled.Holds(second, 3) {
		t.Error("Holds is wrong for cursors of the lost history")
	}
}

// Records written after the directory was removed or replaced would be lost, so appends fail.
func TestDirectoryGoneOrReplaced(t *testing.T) {
	for name, replace := range map[string]bool{"gone": false, "replaced": true} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "data")
			path := filepath.Join(dir, "ledger.db")
			l := openFile(t, path)
			appendSome(t, l, 2)
			if err := os.Rename(dir, dir+".moved"); err != nil {
				t.Fatal(err)
			}
			if replace {
				openFile(t, path).Close()
			}
			err := l.Append(t.Context(), ledger.AnySeq, []contracts.Record{{Kind: contracts.KindEvent}})
			if err == nil || !strings.Contains(err.Error(), "removed or replaced") || l.Head() != 2 {
				t.Errorf("append: %v, head %d", err, l.Head())
			}
			if err := l.Writable(); err == nil || !strings.Contains(err.Error(), "removed or replaced") {
				t.Errorf("writable: %v", err)
			}
			if recs, err := l.Read(t.Context(), 0, 10); err != nil || len(recs) != 2 {
				t.Errorf("records cannot be read: %d %v", len(recs), err)
			}
			if replace {
				os.RemoveAll(dir)
			}
			if err := os.Rename(dir+".moved", dir); err != nil {
				t.Fatal(err)
			}
			appendSome(t, l, 1)
			if l.Head() != 3 {
				t.Errorf("head %d after the directory was put back", l.Head())
			}
		})
	}
}

// A path has one lock, even if it is reached through symlinks.
func TestPathIsLockedThroughSymlinks(t *testing.T) {
	dir, locks := t.TempDir(), t.TempDir()
	data, link := filepath.Join(dir, "data"), filepath.Join(dir, "link")
	open := func(dir string) (*sqlite.Ledger, error) {
		return sqlite.Open(t.Context(), sqlite.Config{Path: filepath.Join(dir, "ledger.db"), LockDir: locks})
	}
	first, err := open(data)
	if err != nil {
		t.Fatal(err)
	}
	defer first.Close()
	if err := errors.Join(os.Rename(data, data+".moved"), os.Mkdir(data, 0o700), os.Symlink(data, link)); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{data, link} {
		if second, err := open(dir); err == nil {
			second.Close()
			t.Errorf("a second ledger was opened at %s", dir)
		}
	}
}
