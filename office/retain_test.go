package office_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync/atomic"
	"testing"
	"time"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/ledger"
	"github.com/bullpen-office/bullpen/ledger/sqlite"
	"github.com/bullpen-office/bullpen/office"
	"github.com/bullpen-office/bullpen/world"
	"github.com/bullpen-office/bullpen/world/scene"
)

// runAt opens an office on a ledger with a fixed clock, runs do, and stops the office.
func runAt(t *testing.T, l ledger.Ledger, now time.Time, do func(o *office.Office)) {
	t.Helper()
	runBy(t, l, func() time.Time { return now }, do)
}

func runBy(t *testing.T, l ledger.Ledger, now func() time.Time, do func(o *office.Office)) {
	t.Helper()
	o, err := office.Open(t.Context(), office.Config{Ledger: l, Crew: crew, Watches: []string{"claude"}, Now: now})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- o.Run(ctx) }()
	do(o)
	cancel()
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
}

func turnFact(event contracts.HUDEvent, id, uuid string) contracts.HUDSeen {
	return contracts.HUDSeen{HUD: contracts.HUD{UUID: uuid, Event: event, CorrelationID: id, AgentID: "agent_bd", Session: "s"}, Watch: "claude"}
}

// loaded checks that the checkpoint matches the records, and returns the loaded world and its hash.
func loaded(t *testing.T, l ledger.Ledger) (*world.World, string) {
	t.Helper()
	if err := office.CompareCheckpoint(t.Context(), l, scene.Default()); err != nil {
		t.Error(err)
	}
	w, err := office.Load(t.Context(), l, scene.Default())
	if err != nil {
		t.Fatal(err)
	}
	hash, err := w.Hash()
	if err != nil {
		t.Fatal(err)
	}
	return w, hash
}

func tell(t *testing.T, o *office.Office, facts ...contracts.Fact) {
	t.Helper()
	for _, r := range o.Tell(t.Context(), facts...) {
		if r.Refusal != nil {
			t.Fatal(r.Refusal)
		}
	}
}

// Retention on a real ledger, across restarts, keeps the world and the checkpoint consistent with
// the records, and keeps the start records of open turns.
func TestRetainKeepsTheWorld(t *testing.T) {
	l := open(t, sqlite.Config{})
	rng, now, n, removed := rand.New(rand.NewPCG(1, 2)), time.UnixMilli(1_000_000), 0, 0
	for range 8 {
		runAt(t, l, now, func(o *office.Office) {
			for range 3 {
				for range 30 {
					n++
					event := []contracts.HUDEvent{contracts.HUDTurnStart, contracts.HUDTurnEnd}[rng.IntN(2)]
					tell(t, o, turnFact(event, fmt.Sprint("t", rng.IntN(6)), fmt.Sprint(n)))
				}
				_, before := loaded(t, l)
				some, err := o.Retain(t.Context(), []ledger.Rule{{Kind: contracts.KindHUD, MaxCount: 10}})
				if err != nil {
					t.Fatal(err)
				}
				removed += some
				if _, after := loaded(t, l); after != before {
					t.Fatal("retention changed the world")
				}
			}
		})
		now = now.Add(time.Minute)
	}
	stats, err := l.Stats(t.Context())
	if left := int(stats.ByKind[contracts.KindHUD]); err != nil || left > 10+6 || removed < n-left {
		t.Errorf("%d of %d records were removed, %d are left: %v", removed, n, left, err)
	}
}

// If the clock was set back across a restart, the end of a turn looks older than its start. The
// start is not kept longer than the end.
func TestRetainAfterTheClockWasSetBack(t *testing.T) {
	l := open(t, sqlite.Config{})
	now := time.UnixMilli(1_000_000_000)
	ahead := now.Add(time.Hour)
	runAt(t, l, now, func(*office.Office) {})
	runAt(t, l, ahead, func(o *office.Office) { tell(t, o, turnFact(contracts.HUDTurnStart, "t", "1")) })
	var clock atomic.Int64
	clock.Store(now.UnixMilli())
	runBy(t, l, func() time.Time { return time.UnixMilli(clock.Load()) }, func(o *office.Office) {
		tell(t, o, turnFact(contracts.HUDTurnEnd, "t", "2"))
		for _, at := range []time.Time{now, ahead} { // first only the end is old enough, then both are
			_, before := loaded(t, l)
			clock.Store(at.Add(time.Minute).UnixMilli())
			if _, err := o.Retain(t.Context(), []ledger.Rule{{Kind: contracts.KindHUD, MaxAge: time.Second}}); err != nil {
				t.Fatal(err)
			}
			if w, after := loaded(t, l); after != before || len(w.Turns()) != 0 {
				t.Fatalf("open: %v", w.Turns())
			}
		}
	})
	if recs, err := l.Read(t.Context(), 0, 100, contracts.KindHUD); err != nil || len(recs) != 0 {
		t.Errorf("%d records are left: %v", len(recs), err)
	}
}

// After a restart, the stored checkpoint is older than the world. Retention replaces that
// checkpoint before removing records that the older checkpoint needs.
func TestRetainReplacesAnOlderCheckpoint(t *testing.T) {
	l := open(t, sqlite.Config{})
	now := time.UnixMilli(1_000_000)
	runAt(t, l, now, func(o *office.Office) { tell(t, o, turnFact(contracts.HUDTurnStart, "t", "1")) })
	rec, err := contracts.NewRecord(l.Head()+1, now.UnixMilli(), "", &contracts.HUD{UUID: "2", Event: contracts.HUDTurnEnd, CorrelationID: "t", AgentID: "agent_bd", Session: "s"})
	if err == nil {
		err = l.Append(t.Context(), l.Head(), []contracts.Record{rec})
	}
	if err != nil {
		t.Fatal(err)
	}
	runAt(t, l, now, func(o *office.Office) {
		if n, err := o.Retain(t.Context(), []ledger.Rule{{Kind: contracts.KindHUD, MaxAge: 0, MaxCount: 1}}); n != 1 || err != nil {
			t.Fatalf("%d removed: %v", n, err)
		}
		loaded(t, l)
	})
}

// Records that the room is built from cannot be removed, and a closed office removes nothing.
func TestRetainRefuses(t *testing.T) {
	l := open(t, sqlite.Config{})
	o, stop := run(t, l)
	if _, err := o.Retain(t.Context(), []ledger.Rule{{Kind: contracts.KindEvent, MaxCount: 1}}); err == nil {
		t.Error("events were removed")
	}
	stop()
	if _, err := o.Retain(t.Context(), []ledger.Rule{{Kind: contracts.KindHUD, MaxCount: 1}}); err == nil {
		t.Error("a closed office removed records")
	}
}

// On a ledger with a checkpoint but without owners of turns, the first start folds all records and
// ends everything that was open, in one append.
func TestFirstStartOnAnOlderLedger(t *testing.T) {
	l := open(t, sqlite.Config{})
	var recs []contracts.Record
	add := func(b contracts.Body) {
		rec, err := contracts.NewRecord(uint64(len(recs)+1), 1000, "", b)
		if err != nil {
			t.Fatal(err)
		}
		recs = append(recs, rec)
	}
	add(&contracts.Event{Name: contracts.EventOfficeCreated, OfficeID: "l", Agents: crew})
	for i := range 3000 {
		add(&contracts.HUD{UUID: fmt.Sprint(i), Event: contracts.HUDTurnStart, CorrelationID: fmt.Sprint("t", i), AgentID: "agent_bd", Session: "s"})
	}
	if err := l.Append(t.Context(), 0, recs); err != nil {
		t.Fatal(err)
	}
	if err := l.SaveCheckpoint(t.Context(), ledger.Checkpoint{Seq: 3001, Version: 3, State: []byte(`{"seq":3001}`)}); err != nil {
		t.Fatal(err)
	}
	runAt(t, l, time.UnixMilli(5000), func(o *office.Office) {
		ends, err := l.Read(t.Context(), 3001, 10_000, contracts.KindHUD)
		if err != nil || len(ends) != 3000 {
			t.Fatalf("%d ends: %v", len(ends), err)
		}
		if w, _ := loaded(t, l); len(w.Turns()) != 0 {
			t.Errorf("%d turns are open", len(w.Turns()))
		}
	})
}

// Upkeep removes old activity, but not the start of an open turn.
func TestUpkeepRemovesOldActivity(t *testing.T) {
	l := open(t, sqlite.Config{})
	o, _ := run(t, l)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	fact := func(event contracts.HUDEvent, id string) contracts.HUDSeen {
		f := turnFact(event, id, id+string(event))
		f.Watch = ""
		return f
	}
	tell(t, o, fact(contracts.HUDTurnStart, "open"), fact(contracts.HUDTurnStart, "over"), fact(contracts.HUDTurnEnd, "over"))
	go func() {
		ended <- o.Upkeep(ctx, time.Millisecond, []ledger.Rule{{Kind: contracts.KindHUD, MaxAge: time.Nanosecond}})
	}()
	for left := int64(3); left > 1 && t.Context().Err() == nil; time.Sleep(time.Millisecond) {
		stats, err := l.Stats(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		left = stats.ByKind[contracts.KindHUD]
	}
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if w, _ := loaded(t, l); len(w.Turns()) != 1 || w.Turns()[0].ID != "open" {
		t.Errorf("open: %v", w.Turns())
	}
}

// A start whose text was redacted still keeps its turn open, without the text, and retention does
// not remove the start.
func TestRedactedStartStaysOpen(t *testing.T) {
	l := open(t, sqlite.Config{})
	runAt(t, l, time.UnixMilli(1_000_000), func(o *office.Office) {
		f := turnFact(contracts.HUDTurnStart, "t", "1")
		f.HUD.Label, f.HUD.Root = "Call Ada Lovelace", "/home/ada/shop"
		tell(t, o, f, turnFact(contracts.HUDTurnStart, "u", "2"), turnFact(contracts.HUDTurnEnd, "u", "3"))
		w, _ := loaded(t, l)
		if _, err := o.Redact(t.Context(), office.RedactRequest{Seqs: []uint64{w.Turns()[0].Seq}, By: "test", Reason: "by request"}); err != nil {
			t.Fatal(err)
		}
		if n, err := o.Retain(t.Context(), []ledger.Rule{{Kind: contracts.KindHUD, MaxCount: 1}}); n != 2 || err != nil {
			t.Fatalf("%d removed: %v", n, err)
		}
		if w, _ := loaded(t, l); len(w.Turns()) != 1 || w.Turns()[0].Label != contracts.Redacted || w.Turns()[0].Root != contracts.Redacted || w.Turns()[0].Owner != contracts.WatchID("claude", "local") {
			t.Errorf("%+v", w.Turns())
		}
	})
}
