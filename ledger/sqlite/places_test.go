package sqlite

import (
	"bytes"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/ledger"
)

// crowd appends n records, mostly events. every is the distance between chats; 0 means no chats.
func crowd(t testing.TB, l *Ledger, n, every int) {
	t.Helper()
	for at := 0; at < n; at += 500 {
		recs := make([]contracts.Record, min(500, n-at))
		for i := range recs {
			recs[i] = contracts.Record{TS: 1, Kind: contracts.KindEvent, ID: fmt.Sprintf("e_%d", at+i), Body: []byte(`{}`)}
			if every > 0 && (at+i)%every == every-1 {
				recs[i].Kind = contracts.KindChat
			}
		}
		if err := l.Append(t.Context(), ledger.AnySeq, recs); err != nil {
			t.Fatal(err)
		}
	}
}

func openAt(t testing.TB, path string, log *slog.Logger) *Ledger {
	t.Helper()
	l, err := Open(t.Context(), Config{Path: path, Logger: log})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return l
}

// Reading a rare kind reads only the blocks that contain it; adjacent blocks of a frequent kind are
// read in one run.
func TestReadOfRareKindSkipsBlocks(t *testing.T) {
	l := openAt(t, filepath.Join(t.TempDir(), "ledger.db"), nil)
	crowd(t, l, 4_000, 1000)
	looked := func(kinds ...contracts.Kind) (seqs uint64, runs int) {
		found, _, err := spans(t.Context(), l.reads, 0, l.Head(), kinds)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range found {
			seqs += s.last - s.first + 1
		}
		return seqs, len(found)
	}
	if seqs, runs := looked(contracts.KindChat); seqs > 4*placeBlock || runs != 4 {
		t.Errorf("the search for 4 chats in 4,000 records covers %d in %d runs", seqs, runs)
	}
	if seqs, runs := looked(contracts.KindEvent); seqs != 4_000 || runs != 1 {
		t.Errorf("the search for events covers %d in %d runs", seqs, runs)
	}
	if seqs, _ := looked(contracts.KindHUD); seqs != 0 {
		t.Errorf("the search for a kind without records covers %d", seqs)
	}
}

// A file from a version without the index is indexed in batches when it is opened. Verify finds a
// missing entry.
func TestFileWithoutIndexIsIndexed(t *testing.T) {
	path := filepath.Join(t.TempDir(), "ledger.db")
	l := openAt(t, path, nil)
	crowd(t, l, 1023, 100)
	if _, err := l.writes.Exec("DROP TABLE places"); err != nil {
		t.Fatal(err)
	}
	l.Close()
	chats := func(l *Ledger, want int) {
		t.Helper()
		recs, err := l.readPage(t.Context(), 0, l.Head(), 1000, []contracts.Kind{contracts.KindChat})
		if err != nil || len(recs) != want {
			t.Errorf("%d chats, want %d: %v", len(recs), want, err)
		}
		if err := l.Verify(t.Context()); err != nil {
			t.Error(err)
		}
	}
	l = openAt(t, path, nil)
	chats(l, 10)
	if err := l.Append(t.Context(), ledger.AnySeq, []contracts.Record{{TS: 1, Kind: contracts.KindChat, ID: "c", Body: []byte(`{}`)}}); err != nil {
		t.Fatal(err)
	}
	if _, err := l.writes.Exec("DELETE FROM places WHERE block = 4"); err != nil {
		t.Fatal(err)
	}
	if err := l.Verify(t.Context()); err == nil || !strings.Contains(err.Error(), "record 1024 is missing from the index by kind") {
		t.Errorf("Verify did not find the missing entry: %v", err)
	}
	l.Close()
	chats(openAt(t, path, nil), 11)
}

// Slow indexing is logged, and interrupted indexing continues.
func TestIndexingIsLoggedAndContinues(t *testing.T) {
	var log bytes.Buffer
	path := filepath.Join(t.TempDir(), "ledger.db")
	l := openAt(t, path, nil)
	crowd(t, l, 1000, 10)
	var steps []string
	if _, err := l.writes.Exec("DELETE FROM places WHERE block > 1"); err != nil {
		t.Fatal(err)
	}
	if err := fillPlaces(t.Context(), l.writes, l.Head(), func(done, of uint64) { steps = append(steps, fmt.Sprint(done, "/", of)) }); err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(steps, " "); got != "745/745" {
		t.Errorf("indexing continued with %s", got)
	}
	l.config.Logger = slog.New(slog.NewTextHandler(&log, nil))
	tell := l.progress("indexing the ledger by kind", placeBatch)
	tell(360, 360)
	if log.Len() > 0 {
		t.Errorf("quick indexing was logged: %s", &log)
	}
	tell(placeBatch, 2*placeBatch)
	tell(placeBatch+1, 2*placeBatch) // in the same second
	tell(2*placeBatch, 2*placeBatch)
	if got := strings.Count(log.String(), "indexing the ledger by kind"); got != 2 {
		t.Errorf("progress was logged %d times: %s", got, &log)
	}
}

// If a transaction fails, its blocks are not stored: the next record stores its block again.
func TestPlacesOfAFailedAppend(t *testing.T) {
	l := openAt(t, filepath.Join(t.TempDir(), "ledger.db"), nil)
	crowd(t, l, 10, 0)
	broken := l.submit(t.Context(), &request{work: func(w *writer) error {
		if err := w.insertPlace(&contracts.Record{Seq: 11, Kind: contracts.KindChat}); err != nil {
			return err
		}
		return ledger.ErrFull
	}})
	if broken == nil {
		t.Fatal("the transaction did not fail")
	}
	if err := l.Append(t.Context(), ledger.AnySeq, []contracts.Record{{TS: 1, Kind: contracts.KindChat, ID: "c", Body: []byte(`{}`)}}); err != nil {
		t.Fatal(err)
	}
	if err := l.Verify(t.Context()); err != nil {
		t.Error(err)
	}
}
