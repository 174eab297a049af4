package sqlite_test

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/bullpen-office/bullpen/ledger"
	"github.com/bullpen-office/bullpen/ledger/sqlite"
)

// Salvage copies the records up to the first damaged one and reports what is lost.
func TestSalvage(t *testing.T) {
	for name, c := range map[string]struct {
		change string
		upTo   uint64
		lost   uint64
		says   string
	}{
		"nothing is wrong": {"SELECT 1", 602, 0, ""},
		"a changed record": {"UPDATE records SET ts = ts + 1 WHERE seq = 560", 559, 43, "damaged at record 560"},
		"a missing record": {"DELETE FROM records WHERE seq = 560", 559, 43, "damaged at record 560, which is missing"},
		"a lost tail":      {"DELETE FROM records WHERE seq > 590", 590, 12, "damaged at record 591, which is missing"},
		"another link":     {"UPDATE records SET proof = zeroblob(48) WHERE seq = 560", 559, 43, "does not continue the chain"},
		"lost content":     {"DELETE FROM blobs", 602, 0, ""},
		"an older format":  {"ALTER TABLE records DROP COLUMN proof; DROP TABLE proofs; DROP TABLE segments; UPDATE meta SET value = '1' WHERE name = 'format'", 602, 0, ""},
	} {
		t.Run(name, func(t *testing.T) {
			l := filled(t)
			stats, err := l.Stats(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			want := records(t, l)
			l.Close()
			db, err := sql.Open("sqlite", stats.Path)
			if err != nil {
				t.Fatal(err)
			}
			execute(t, db, c.change)
			db.Close()
			before, err := os.ReadFile(stats.Path)
			if err != nil {
				t.Fatal(err)
			}
			path := filepath.Join(t.TempDir(), "new", "ledger.db")
			done, err := sqlite.Salvage(t.Context(), stats.Path, path)
			if err != nil || done.UpTo != c.upTo || done.Lost != c.lost || !strings.Contains(done.Break, c.says) || (c.says == "") != (done.Break == "") {
				t.Fatalf("%+v %v", done, err)
			}
			if missing := done.Blobs == 0; missing != (name == "lost content") {
				t.Errorf("content: %+v", done)
			}
			if after, err := os.ReadFile(stats.Path); err != nil || !bytes.Equal(before, after) {
				t.Errorf("the damaged file was changed: %v", err)
			}
			if left, _ := filepath.Glob(path + "?*"); !slices.Equal(left, []string{path + ".witness"}) {
				t.Errorf("files other than the ledger and its witness were left: %v", left)
			}
			again := openFile(t, path)
			if err := again.Verify(t.Context()); err != nil || again.Damage() != nil || again.Head() != c.upTo || again.ID() != done.LedgerID {
				t.Errorf("the new ledger: %v %v, head %d", err, again.Damage(), again.Head())
			}
			if got := records(t, again); !reflect.DeepEqual(got, want[:len(got)]) || int64(len(got)) != done.Records {
				t.Errorf("%d records differ", len(got))
			}
			if report, err := again.Inspect(t.Context()); err != nil || report.Missing != done.Missing {
				t.Errorf("%d pieces of content are missing, %v; want %d", report.Missing, err, done.Missing)
			}
			appendSome(t, again, 1)
		})
	}
}

// A backup taken while the ledger is being written is a consistent snapshot, and gets its own
// identity when it is opened.
func TestBackupWhileWriting(t *testing.T) {
	dir := t.TempDir()
	l := openFile(t, filepath.Join(dir, "ledger.db"))
	appendSome(t, l, 10)
	writing := make(chan struct{})
	go func() {
		defer close(writing)
		appendSome(t, l, 30)
	}()
	path := filepath.Join(dir, "backup.db")
	report, err := l.Backup(t.Context(), path)
	<-writing
	if err != nil || report.Head < 10 || report.LedgerID != l.ID() || report.Records != int64(report.Head) {
		t.Fatalf("%+v %v", report, err)
	}
	if left, _ := filepath.Glob(path + "?*"); len(left) > 0 {
		t.Errorf("%v was left behind", left)
	}
	copied := openFile(t, path)
	if copied.Head() != report.Head || copied.ID() == l.ID() || copied.Damage() != nil {
		t.Errorf("head %d, %v", copied.Head(), copied.Damage())
	}
	appendSome(t, copied, 1)
	mine := filepath.Join(dir, "mine.txt")
	if err := os.WriteFile(mine, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := l.Backup(t.Context(), mine); !errors.Is(err, fs.ErrExist) {
		t.Errorf("backup over an existing file: %v", err)
	}
	if content, err := os.ReadFile(mine); string(content) != "mine" {
		t.Errorf("the existing file is now %q, %v", content, err)
	}
}

// Backup refuses a ledger that lost records or whose file was replaced.
func TestBackupRefusesDamagedLedger(t *testing.T) {
	dir := t.TempDir()
	path, other, to := filepath.Join(dir, "ledger.db"), filepath.Join(dir, "other.db"), filepath.Join(dir, "backup.db")
	l := openFile(t, path)
	appendSome(t, l, 5)
	appendSome(t, openFile(t, other), 2)
	if err := os.Rename(other, path); err != nil {
		t.Fatal(err)
	}
	if _, err := l.Backup(t.Context(), to); err == nil || !strings.Contains(err.Error(), "replaced") {
		t.Errorf("backup of a replaced file: %v", err)
	}
	held := filled(t)
	stats, err := held.Stats(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	held.Close()
	db, err := sql.Open("sqlite", stats.Path)
	if err != nil {
		t.Fatal(err)
	}
	execute(t, db, "DELETE FROM records WHERE seq > 590")
	db.Close()
	if _, err := openFile(t, stats.Path).Backup(t.Context(), to); !errors.As(err, new(*ledger.LossError)) {
		t.Errorf("backup of a ledger that lost records: %v", err)
	}
	if _, err := os.Lstat(to); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a file was left behind: %v", err)
	}
}

// An interrupted Salvage leaves no file and never reports the interruption as damage. A completed
// Salvage reports one piece of content as missing, because the ledger from filled lacks it.
func TestSalvageInterrupted(t *testing.T) {
	l := filled(t)
	stats, err := l.Stats(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	l.Close()
	for after := range int32(24) { // number of calls to ctx.Err before ctx is done
		ctx := &countdown{Context: t.Context()}
		ctx.left.Store(after)
		path := filepath.Join(t.TempDir(), "new", "ledger.db")
		done, err := sqlite.Salvage(ctx, stats.Path, path)
		if _, lstat := os.Lstat(path); err == nil && (done.Break != "" || done.Missing != 1 || done.UpTo != 602) || err != nil && !errors.Is(lstat, fs.ErrNotExist) {
			t.Errorf("after %d checks: %+v %v, file %v", after, done, err, lstat)
		}
	}
}

// countdown is a context that is done after a number of calls to Err.
type countdown struct {
	context.Context
	left atomic.Int32
}

func (c *countdown) Err() error {
	if c.left.Add(-1) < 0 {
		return context.Canceled
	}
	return c.Context.Err()
}
