package sqlite

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/ledger"
)

const secret = "ann@example.com-4711"

// talk appends n chats, every third with the secret in it. It also puts the secret into
// checkpoints and into content, whose hash it returns.
func talk(t *testing.T, l *Ledger, n int) (content string) {
	t.Helper()
	var recs []contracts.Record
	for i := range n {
		text := fmt.Sprint("hello ", i)
		if i%3 == 0 {
			text = "write to " + secret + strings.Repeat(", please", 200)
		}
		r, err := contracts.NewRecord(l.Head()+uint64(i)+1, int64(i), "", &contracts.Chat{ThreadID: "bd_main", From: "user", To: "agent_bd", Text: text})
		if err != nil {
			t.Fatal(err)
		}
		recs = append(recs, r)
	}
	if err := l.Append(t.Context(), l.Head(), recs); err != nil {
		t.Fatal(err)
	}
	for seq := range l.Head() {
		if err := l.SaveCheckpoint(t.Context(), ledger.Checkpoint{Seq: seq, State: bytes.Repeat([]byte(secret), 1000*int(5-seq%4))}); err != nil {
			t.Fatal(err)
		}
	}
	content, err := l.PutBlob(t.Context(), []byte(strings.Repeat("about "+secret, 2000)))
	if err != nil {
		t.Fatal(err)
	}
	return content
}

// redactSecrets redacts all records that contain the secret and returns their number.
func redactSecrets(t *testing.T, l *Ledger, contents ...string) (n int64) {
	t.Helper()
	recs, err := l.Read(t.Context(), 0, 1000)
	if err != nil {
		t.Fatal(err)
	}
	var list []ledger.Erasure
	for i := range recs {
		if !bytes.Contains(recs[i].Body, []byte(secret)) {
			continue
		}
		body, _, err := recs[i].Tombstone()
		if err != nil {
			t.Fatal(err)
		}
		sum := sha256.Sum256(body)
		confirmed, err := contracts.NewRecord(l.Head()+uint64(len(list))+1, 9999, "", &contracts.Event{Name: contracts.EventRecordRedacted,
			Redaction: &contracts.Redaction{Seq: recs[i].Seq, SHA256: hex.EncodeToString(sum[:])}})
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, ledger.Erasure{Seq: recs[i].Seq, Body: body, Contents: contents, Record: confirmed})
	}
	if err := l.Redact(t.Context(), l.Head(), list); err != nil {
		t.Fatal(err)
	}
	return int64(len(list))
}

// foundIn returns the names of the files in a directory that contain the secret.
func foundIn(t *testing.T, dir string) (names []string) {
	t.Helper()
	files, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		content, err := os.ReadFile(filepath.Join(dir, f.Name()))
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Contains(content, []byte(secret)) {
			names = append(names, f.Name())
		}
	}
	return names
}

// After a redaction, neither the files nor the records that followers receive from memory contain
// the text, and the chain is unchanged.
func TestRedactLeavesNothing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "ledger.db")
	l := openAt(t, path, nil)
	content := talk(t, l, 9)
	if len(foundIn(t, filepath.Dir(path))) == 0 {
		t.Fatal("the secret is not in the files before the redaction")
	}
	link := l.state.Load().link
	n := redactSecrets(t, l, content)
	if err := l.Wipe(t.Context()); err != nil {
		t.Fatal(err)
	}
	if found := foundIn(t, filepath.Dir(path)); len(found) > 0 {
		t.Errorf("after the redaction the secret is in %v", found)
	}
	tail, ok := l.state.Load().since(0)
	if !ok {
		t.Fatal("the tail does not reach back to the first record")
	}
	for _, r := range tail {
		if bytes.Contains(r.Body, []byte(secret)) {
			t.Errorf("followers get record %d with the secret", r.Seq)
		}
	}
	if at, _, err := linkBefore(t.Context(), l.reads, l.root, 9); err != nil || at != link {
		t.Errorf("the chain was changed: %v", err)
	}
	for range 2 {
		if report, err := l.Inspect(t.Context()); err != nil || report.Redacted != n {
			t.Errorf("%+v, %v", report, err)
		}
		l.Close()
		if found := foundIn(t, filepath.Dir(path)); len(found) > 0 {
			t.Errorf("after Close the secret is in %v", found)
		}
		l = openAt(t, path, nil)
	}
}

// If the process ends before the files are wiped, the next start wipes them.
func TestRedactWipesAfterACrash(t *testing.T) {
	path := filepath.Join(t.TempDir(), "ledger.db")
	l := openAt(t, path, nil)
	content := talk(t, l, 9)
	redactSecrets(t, l, content)
	crashed := t.TempDir()
	for _, suffix := range []string{"", "-wal", witnessSuffix} {
		b, err := os.ReadFile(path + suffix)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(crashed, "ledger.db"+suffix), b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if len(foundIn(t, crashed)) == 0 {
		t.Fatal("the secret was already gone before the next start")
	}
	again := openAt(t, filepath.Join(crashed, "ledger.db"), nil)
	if found := foundIn(t, crashed); len(found) > 0 {
		t.Errorf("the secret is in %v", found)
	}
	if err := again.Verify(t.Context()); err != nil {
		t.Error(err)
	}
}

// Wipe fails if a long read prevents it from truncating the log, and succeeds after the read.
func TestRedactWaitsForReaders(t *testing.T) {
	path := filepath.Join(t.TempDir(), "ledger.db")
	l := openAt(t, path, nil)
	content := talk(t, l, 3)
	tx, err := l.reads.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer tx.Rollback()
	if _, _, err := readHead(t.Context(), tx); err != nil {
		t.Fatal(err)
	}
	redactSecrets(t, l, content)
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if err := l.Wipe(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Fatalf("wipe during a read: %v", err)
	}
	tx.Rollback()
	if err := l.Wipe(t.Context()); err != nil {
		t.Fatal(err)
	}
	if found := foundIn(t, filepath.Dir(path)); len(found) > 0 {
		t.Errorf("the secret is in %v", found)
	}
}

// Neither a changed tombstone nor a made-up one is accepted: the chain does not cover a tombstone's
// body, but another record confirms it.
func TestVerifyFindsForgedTombstones(t *testing.T) {
	for name, forge := range map[string]func(l *Ledger, r *contracts.Record, p proof) proof{
		"a changed tombstone": func(_ *Ledger, r *contracts.Record, p proof) proof {
			r.Body = bytes.Replace(r.Body, []byte(contracts.Redacted), []byte("I confess"), 1)
			return p
		},
		"a made-up tombstone": func(_ *Ledger, r *contracts.Record, p proof) proof {
			d := p.digest(r.Body)
			r.Body = bytes.Replace(r.Body, []byte("hello"), []byte("I confess"), 1)
			return append(d[:], p[len(p)-linkSize:]...)
		},
	} {
		t.Run(name, func(t *testing.T) {
			l := openAt(t, filepath.Join(t.TempDir(), "ledger.db"), nil)
			talk(t, l, 9)
			redactSecrets(t, l)
			seq := uint64(4) // redacted
			if name == "a made-up tombstone" {
				seq = 5
			}
			w := newWriter(l.writes, l.sums, nil)
			err := w.transact(0, ledger.Link{}, func() error {
				r, p, err := w.readWithProof(seq)
				if err != nil {
					return err
				}
				p = forge(l, &r, p)
				return w.exec("UPDATE records SET body = ?, sum = ?, proof = ? WHERE seq = ?", r.Body, int64(l.sums.sum(&r)), []byte(p), int64(seq))
			})
			w.close()
			if err != nil {
				t.Fatal(err)
			}
			if damage := (*ledger.CorruptError)(nil); !errors.As(l.Verify(t.Context()), &damage) || damage.Seq != seq {
				t.Errorf("verify says %v", l.Verify(t.Context()))
			}
		})
	}
}

// Records that are older than the chain can be redacted too, and their tombstones are kept in
// backups, exports and salvaged ledgers.
func TestTombstonesSurviveCopies(t *testing.T) {
	dir := t.TempDir()
	l := openAt(t, filepath.Join(dir, "ledger.db"), nil)
	talk(t, l, 9)
	downgrade(t, l)
	l = openAt(t, filepath.Join(dir, "ledger.db"), nil)
	n := redactSecrets(t, l)
	want, err := l.Read(t.Context(), 0, 1000)
	if err != nil {
		t.Fatal(err)
	}
	check := func(what, path string) {
		t.Helper()
		made := openAt(t, path, nil)
		report, err := made.Inspect(t.Context())
		if err != nil || report.Redacted != n {
			t.Errorf("%s: %+v, %v", what, report, err)
		}
		got, err := made.Read(t.Context(), 0, 1000)
		if err != nil || !reflect.DeepEqual(plain(got), plain(want)) {
			t.Errorf("%s: the records differ: %v", what, err)
		}
		made.Close()
	}
	if report, err := l.Backup(t.Context(), filepath.Join(dir, "copy.db")); err != nil || report.Redacted != n {
		t.Errorf("%+v, %v", report, err)
	}
	check("backup", filepath.Join(dir, "copy.db"))
	var archive bytes.Buffer
	if _, err := ledger.WriteArchive(t.Context(), l, &archive, ledger.ArchiveOptions{Content: true}); err != nil {
		t.Fatal(err)
	}
	a, err := ledger.ReadArchive(&archive)
	if err != nil {
		t.Fatal(err)
	}
	if err := Restore(t.Context(), filepath.Join(dir, "imported", "ledger.db"), a); err != nil {
		t.Fatal(err)
	}
	check("import", filepath.Join(dir, "imported", "ledger.db"))
	l.Close()
	if _, err := Salvage(t.Context(), filepath.Join(dir, "ledger.db"), filepath.Join(dir, "salvaged", "ledger.db")); err != nil {
		t.Fatal(err)
	}
	check("salvage", filepath.Join(dir, "salvaged", "ledger.db"))
}

// plain returns copies of the records without their decoded bodies.
func plain(recs []contracts.Record) (list []contracts.Record) {
	for _, r := range recs {
		list = append(list, contracts.Record{Seq: r.Seq, TS: r.TS, Kind: r.Kind, ID: r.ID, Key: r.Key, Body: r.Body, Redacted: r.Redacted})
	}
	return list
}
