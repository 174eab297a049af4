package sqlite

import (
	"context"
	"errors"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/ledger"
)

// A request that arrives while a batch is being inserted joins the batch's transaction, and the
// chain covers both.
func TestRequestJoinsRunningBatch(t *testing.T) {
	l, err := Open(t.Context(), Config{Path: filepath.Join(t.TempDir(), "ledger.db")})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	appendOf := func(id string) *request {
		r := &request{after: ledger.AnySeq, recs: []contracts.Record{{TS: 1, Kind: contracts.KindEvent, ID: id, Body: []byte("{}")}}, done: make(chan struct{})}
		r.seals = sealRecords(nil, r.recs)
		return r
	}
	first, late := appendOf("first"), appendOf("late")
	first.work = func(w *writer) error {
		if err := l.enqueue(context.Background(), late); err != nil {
			return err
		}
		return w.accept(first)
	}
	if err := l.submit(t.Context(), first); err != nil {
		t.Fatal(err)
	}
	if head := l.Head(); head != 2 {
		t.Errorf("the head is %d after the first request, want 2: the late request was not part of the same commit", head)
	}
	<-late.done
	if late.err != nil || late.recs[0].Seq != 2 {
		t.Errorf("the late request got seq %d, %v", late.recs[0].Seq, late.err)
	}
	if err := l.Verify(t.Context()); err != nil {
		t.Error(err)
	}
}

// Every append that races with Close returns, and the file contains exactly the acknowledged
// appends.
func TestCloseAnswersEveryAppend(t *testing.T) {
	path := filepath.Join(t.TempDir(), "ledger.db")
	for range 5 {
		l, err := Open(t.Context(), Config{Path: path})
		if err != nil {
			t.Fatal(err)
		}
		before := l.Head()
		var acknowledged atomic.Uint64
		started := make(chan struct{}, 64)
		var producers sync.WaitGroup
		for range 16 {
			producers.Go(func() {
				for {
					err := l.Append(context.Background(), ledger.AnySeq, []contracts.Record{{TS: 1, Kind: contracts.KindEvent, ID: "e", Body: []byte("{}")}})
					if errors.Is(err, ledger.ErrClosed) {
						return
					}
					if err != nil {
						t.Error(err)
						return
					}
					acknowledged.Add(1)
					select {
					case started <- struct{}{}:
					default:
					}
				}
			})
		}
		<-started
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
		producers.Wait()
		if l, err = Open(t.Context(), Config{Path: path}); err != nil {
			t.Fatal(err)
		}
		if got, want := l.Head()-before, acknowledged.Load(); got != want {
			t.Errorf("%d records were added, %d were acknowledged", got, want)
		}
		l.Close()
	}
}

// An append that no other request joins is committed on its caller's goroutine; after a shared
// commit, the committer takes over again.
func TestAppendAloneIsCommittedByItsCaller(t *testing.T) {
	l, err := Open(t.Context(), Config{Path: filepath.Join(t.TempDir(), "ledger.db")})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	mine := func(also *request) bool {
		r := &request{work: func(*writer) error {
			if also != nil {
				return l.enqueue(context.Background(), also)
			}
			return nil
		}}
		if l.commitAlone(r) {
			return r.err == nil
		}
		if err := l.submit(t.Context(), r); err != nil {
			t.Fatal(err)
		}
		return false
	}
	if !mine(nil) {
		t.Error("the committer got the first change although there was no other writer")
	}
	late := &request{work: func(*writer) error { return nil }, done: make(chan struct{})}
	if !mine(late) {
		t.Error("the committer got the second change although there was no other writer")
	}
	<-late.done
	for range singleCommitsLimit {
		if mine(nil) {
			t.Error("the caller committed a change right after a shared commit, want the committer")
		}
	}
	for !mine(nil) { // until the committer has released the lock
	}
}
