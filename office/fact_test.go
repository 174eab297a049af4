package office_test

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/ledger"
	"github.com/bullpen-office/bullpen/ledger/sqlite"
	"github.com/google/go-cmp/cmp"
)

func uiFact(source, id string) contracts.Fact {
	return contracts.UISeen{UI: contracts.UI{Name: "abstract.status", Kind: contracts.UIStatus, Raw: []byte(`"x"`), Source: source, EventID: id}}
}

func seqs(replies []contracts.Reply) (out []string) {
	for _, r := range replies {
		word := fmt.Sprint(r.Seq)
		switch {
		case r.Refusal != nil:
			word = string(r.Refusal.Code)
		case r.Duplicate:
			word += " again"
		}
		out = append(out, word)
	}
	return out
}

// U3: an event with the same source and id is stored only once. Duplicates in the same batch, in the
// next one and after a restart are answered with the first seq. Without an id, every event is stored.
func TestFactCountsOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "ledger.db")
	l := open(t, sqlite.Config{Path: path})
	o, stop := run(t, l)
	first := o.Tell(t.Context(), uiFact("a", "1"), uiFact("a", "1"), uiFact("b", "1"), uiFact("a", ""), uiFact("a", ""))
	base := first[0].Seq
	want := func(after ...string) []string {
		for i, w := range after {
			var n int
			if _, err := fmt.Sscan(w, &n); err == nil {
				after[i] = fmt.Sprint(base+uint64(n)) + w[1:]
			}
		}
		return after
	}
	if diff := cmp.Diff(want("0", "0 again", "1", "2", "3"), seqs(first)); diff != "" {
		t.Fatal(diff)
	}
	if diff := cmp.Diff(want("0 again", "1 again"), seqs(o.Tell(t.Context(), uiFact("a", "1"), uiFact("b", "1")))); diff != "" {
		t.Error(diff)
	}
	stop()
	o, _ = run(t, l)
	if diff := cmp.Diff(want("0 again"), seqs(o.Tell(t.Context(), uiFact("a", "1")))); diff != "" {
		t.Errorf("after a restart: %s", diff)
	}
}

// A refused fact does not affect the facts that are reported with it, and its key stays free.
func TestRefusedFactDoesNotAffectOthers(t *testing.T) {
	o, _ := run(t, open(t, sqlite.Config{Path: filepath.Join(t.TempDir(), "ledger.db")}))
	stranger := contracts.UISeen{UI: contracts.UI{Name: "x", Raw: []byte(`1`), Source: "s", EventID: "1", AgentID: "agent_nobody"}}
	got := o.Tell(t.Context(), stranger, uiFact("s", "1"))
	if got[0].Refusal == nil || got[0].Refusal.Code != contracts.CodeNotFound || got[1].Refusal != nil || got[1].Duplicate {
		t.Errorf("%+v", got)
	}
}

// U6: repeating an ask returns the decision that the first ask created.
func TestAskAgainNamesItsDecision(t *testing.T) {
	o, _ := run(t, open(t, sqlite.Config{Path: filepath.Join(t.TempDir(), "ledger.db")}))
	ask := contracts.UISeen{
		UI:  contracts.UI{Name: "abstract.ask", Kind: contracts.UIAsk, Raw: []byte(`"?"`), Source: "s", EventID: "1"},
		Ask: &contracts.AskSeen{Kind: contracts.DecisionAsk, Prompt: "Which?", Options: []string{"A"}},
	}
	first, again := o.Tell(t.Context(), ask)[0], o.Tell(t.Context(), ask)[0]
	if first.Result.DecisionID == "" || again.Result.DecisionID != first.Result.DecisionID || !again.Duplicate || again.Seq != first.Seq {
		t.Errorf("%+v, then %+v", first, again)
	}
}

// appends is a ledger that counts the workflow events in each append.
type appends struct {
	ledger.Ledger
	mu     sync.Mutex
	counts []int
}

func (a *appends) Append(ctx context.Context, after uint64, recs []contracts.Record) error {
	n := 0
	for _, r := range recs {
		if r.Kind == contracts.KindUI {
			n++
		}
	}
	if n > 0 { // ignore the crew's appends
		a.mu.Lock()
		a.counts = append(a.counts, n)
		a.mu.Unlock()
	}
	return a.Ledger.Append(ctx, after, recs)
}

// Facts that are reported together share an append. The replies to known and repeated facts are marked
// as duplicates and have the seq of the first record.
func TestFactsToldTogetherShareAnAppend(t *testing.T) {
	l := &appends{Ledger: open(t, sqlite.Config{})}
	o, stop := run(t, l)
	defer stop()
	first := o.Tell(t.Context(), uiFact("s", "1"))
	l.mu.Lock()
	l.counts = nil
	l.mu.Unlock()
	again := o.Tell(t.Context(), uiFact("s", "2"), uiFact("s", "1"), uiFact("s", "3"), uiFact("s", "2"))
	l.mu.Lock()
	defer l.mu.Unlock()
	if !slices.Equal(l.counts, []int{2}) {
		t.Errorf("appends of %v workflow events, want one of 2", l.counts)
	}
	if !again[1].Duplicate || again[1].Seq != first[0].Seq || !again[3].Duplicate || again[3].Seq != again[0].Seq || again[0].Duplicate || again[2].Duplicate {
		t.Errorf("%+v after %+v", again, first)
	}
}

// countingLedger counts appends.
type countingLedger struct {
	*sqlite.Ledger
	appends atomic.Int64
}

func (l *countingLedger) Append(ctx context.Context, after uint64, recs []contracts.Record) error {
	l.appends.Add(1)
	return l.Ledger.Append(ctx, after, recs)
}

// smallLedger is a ledger without large appends.
type smallLedger struct{ ledger.Ledger }

// Facts that are reported together share an append, up to the ledger's limit.
func TestFactsShareAnAppend(t *testing.T) {
	facts := make([]contracts.Fact, 600)
	for i := range facts {
		facts[i] = uiFact("a", fmt.Sprint(i))
	}
	told := func(l ledger.Ledger, count *countingLedger) int64 {
		o, stop := run(t, l)
		defer stop()
		before := count.appends.Load()
		for _, reply := range o.Tell(t.Context(), facts...) {
			if reply.Refusal != nil {
				t.Fatal(reply.Refusal)
			}
		}
		return count.appends.Load() - before
	}
	large := &countingLedger{Ledger: open(t, sqlite.Config{})}
	if n := told(large, large); n != 1 {
		t.Errorf("%d appends, want 1", n)
	}
	small := &countingLedger{Ledger: open(t, sqlite.Config{})}
	if n := told(smallLedger{small}, small); n != 5 {
		t.Errorf("%d appends of at most 128 facts, want 5", n)
	}
}
