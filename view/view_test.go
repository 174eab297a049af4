package view_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/office"
	"github.com/bullpen-office/bullpen/view"
	"github.com/bullpen-office/bullpen/world"
	"github.com/bullpen-office/bullpen/world/scene"
)

func (r *rig) pendingChat(agentID string) (seq uint64) {
	r.Look(func(w *world.World) {
		if chats := w.PendingChats(agentID); len(chats) > 0 {
			seq = chats[0].Seq
		}
	})
	return seq
}

// A reader sees every acknowledged write. A view that has ended shows its last state without
// waiting.
func TestLookSeesEveryWrite(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		defer r.stop()
		r.run()
		shown := func() (seq uint64) {
			r.Look(func(w *world.World) { seq = w.Seq() })
			return seq
		}
		if last := r.tell(contracts.AskSeen{Kind: contracts.DecisionAsk, Prompt: "?", Options: []string{"A"}}).Seq; shown() < last {
			t.Errorf("record %d is written, but the world is at %d", last, shown())
		}
		r.stop()
		start := time.Now()
		if shown(); time.Since(start) != 0 {
			t.Errorf("after the view ended, Look took %v", time.Since(start))
		}
	})
}

// screen checks that the batches it is shown match the world.
type screen struct {
	t        *testing.T
	view     *view.View
	seq      uint64
	notified uint64
}

func (s *screen) Show(b view.Batch) { s.seq = b.Records[len(b.Records)-1].Seq }
func (s *screen) Shown(view.Batch) {
	s.view.Peek(func(w *world.World) {
		if w.Seq() != s.seq {
			s.t.Errorf("the world is at %d and the screen at %d", w.Seq(), s.seq)
		}
	})
	s.notified = s.seq
}

// Screens and the world advance together: when a record is in the world, it is on the screen.
func TestScreensMoveWithTheWorld(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		defer r.stop()
		s := &screen{t: t, view: r.View}
		r.Attach(s)
		r.run()
		for range 20 {
			r.resolve(r.ask())
			r.Look(func(w *world.World) {
				if s.seq != w.Seq() {
					t.Errorf("the world is at %d and the screen at %d", w.Seq(), s.seq)
				}
			})
		}
		synctest.Wait()
		if s.notified != r.ledger.Head() {
			t.Errorf("notified up to %d of %d", s.notified, r.ledger.Head())
		}
	})
}

// An office without nodes also watches guests that are recorded for a node, because its ledger may
// have been moved from an office with nodes. A node watches only its own guests.
func TestGuestsOfAMovedLedger(t *testing.T) {
	r := newRig(t)
	r.run()
	guest := contracts.AgentProfile{AgentID: "agent_claude_ada", Name: "shop", Role: contracts.RoleGuest, Source: "claude", Node: "tower"}
	if refusal := r.office.Tell(t.Context(), contracts.AgentSeen{Profile: guest})[0].Refusal; refusal != nil {
		t.Fatal(refusal)
	}
	for shared, want := range map[bool]int{false: 1, true: 0} {
		w, err := office.Load(t.Context(), r.ledger, scene.Default())
		if err != nil {
			t.Fatal(err)
		}
		v := view.New(view.Config{Ledger: r.ledger, World: w, Node: "local", Shared: shared})
		if guests, _ := v.AgentsOf("claude"); len(guests) != want {
			t.Errorf("shared %t: %d guests, want %d", shared, len(guests), want)
		}
	}
}
