package office_test

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/ledger"
	"github.com/bullpen-office/bullpen/ledger/sqlite"
	"github.com/bullpen-office/bullpen/office"
)

// unsure returns an office whose next appends of workflow events fail in the given ways.
func unsure(t *testing.T, faults ...func(append func() error) error) (*office.Office, ledger.Ledger) {
	t.Helper()
	m := &faulty{Ledger: open(t, sqlite.Config{Path: filepath.Join(t.TempDir(), "ledger.db")}), kind: contracts.KindUI, next: faults}
	o, _ := run(t, m)
	return o, m
}

// workflowEvents returns the number of workflow events in the ledger.
func workflowEvents(t *testing.T, l ledger.Ledger) int {
	t.Helper()
	recs, err := l.Read(t.Context(), 0, 1000, contracts.KindUI)
	if err != nil {
		t.Fatal(err)
	}
	return len(recs)
}

func lost(write func() error) error { return errors.Join(write(), ledger.ErrUnconfirmed) }

func hangs(func() error) error { return ledger.ErrUnconfirmed }

// A fact whose append happened is confirmed, even if the answer to the append was lost.
func TestLostAnswerOfAFactIsFound(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o, l := unsure(t, lost)
		reply := o.Tell(t.Context(), uiFact("s", ""))[0]
		if reply.Refusal != nil || reply.Seq != l.Head() || workflowEvents(t, l) != 1 {
			t.Errorf("reply %+v, head %d, %d events", reply, l.Head(), workflowEvents(t, l))
		}
		if next := o.Tell(t.Context(), uiFact("s", ""))[0]; next.Refusal != nil || workflowEvents(t, l) != 2 {
			t.Errorf("the next fact: %+v, %d events", next, workflowEvents(t, l))
		}
	})
}

// An append that reaches the ledger late, after its context is done, is found and not repeated.
// Nothing else is appended until then, and inputs with a key are refused instead of waiting.
func TestLateAppendIsFound(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var late func() error
		keep := func(write func() error) error { late = write; return ledger.ErrUnconfirmed }
		o, l := unsure(t, keep, hangs, hangs, hangs, hangs)
		before := l.Head()
		told := make(chan []contracts.Reply, 1)
		go func() { told <- o.Tell(t.Context(), uiFact("s", ""), uiFact("s", "once")) }()
		synctest.Wait()
		if len(told) > 0 || l.Head() != before || o.Health() == nil {
			t.Fatalf("%d replies, head %d, was %d, health %v", len(told), l.Head(), before, o.Health())
		}
		refusal := o.Do(t.Context(), command("c", submit("Wait"))).Refusal
		if refusal == nil || !strings.HasPrefix(refusal.Message, "not executed") {
			t.Fatalf("the reply to a command in the meantime is %+v", refusal)
		}
		refusal = o.Tell(t.Context(), uiFact("s", "once"))[0].Refusal
		if refusal == nil || !strings.HasPrefix(refusal.Message, "outcome unknown") {
			t.Fatalf("the reply to a fact that may be recorded is %+v", refusal)
		}
		if err := late(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(5 * time.Second)
		replies := <-told
		if r := replies[0]; r.Refusal != nil || r.Seq == 0 {
			t.Errorf("the fact that is in the ledger: %+v", r)
		}
		if r := replies[1]; r.Refusal == nil || !strings.HasPrefix(r.Refusal.Message, "outcome unknown") {
			t.Errorf("the fact that counts once: %+v", r)
		}
		if again := o.Tell(t.Context(), uiFact("s", "once"))[0]; !again.Duplicate || workflowEvents(t, l) != 2 || o.Health() != nil {
			t.Errorf("told again: %+v, %d events, health %v", again, workflowEvents(t, l), o.Health())
		}
	})
}

// If another writer took the place of an append with an unknown outcome, the append did not happen,
// and the fact may be reported again.
func TestUnknownAppendThatLostItsPlace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var l ledger.Ledger
		overtaken := func(func() error) error {
			rec, err := contracts.NewRecord(l.Head()+1, time.Now().UnixMilli(), "", &contracts.UI{Name: "other", Raw: []byte(`1`)})
			if err == nil {
				err = l.(*faulty).Ledger.Append(t.Context(), l.Head(), []contracts.Record{rec})
			}
			return errors.Join(err, ledger.ErrUnconfirmed)
		}
		o, opened := unsure(t, overtaken)
		l = opened
		reply := o.Tell(t.Context(), uiFact("s", ""))[0]
		if reply.Refusal == nil || !strings.HasPrefix(reply.Refusal.Message, "not executed") {
			t.Fatalf("%+v", reply)
		}
		if again := o.Tell(t.Context(), uiFact("s", ""))[0]; again.Refusal != nil || workflowEvents(t, l) != 2 {
			t.Errorf("told again: %+v, %d events", again, workflowEvents(t, l))
		}
	})
}
