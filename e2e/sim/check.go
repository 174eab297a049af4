package sim

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/office"
	"github.com/bullpen-office/bullpen/world"
	"github.com/bullpen-office/bullpen/world/scene"
)

// openTurns returns the ids of the turns that have not ended.
func (l *life) openTurns() (ids []string) {
	l.view.CatchUp(context.Background())
	l.view.Peek(func(w *world.World) {
		for _, t := range w.Turns() {
			ids = append(ids, t.ID)
		}
	})
	return ids
}

// records returns the whole ledger.
func (h *history) records() []contracts.Record {
	recs, err := h.store.Open().Read(context.Background(), 0, 1<<30)
	if err != nil {
		h.addError("read the ledger: %v", err)
	}
	return recs
}

// recordExpected stores the state that a viewer must see now, compares the view's world with a
// replay, and checks that every deliverable has its content.
func (h *history) recordExpected(l *life) {
	l.view.CatchUp(context.Background())
	recs := h.records()
	l.view.Peek(func(w *world.World) {
		h.final = w.Snapshot(time.Now().UnixMilli(), nil, nil)
		h.rooms = w.RoomsMade()
		h.checkReplay("view", w, recs)
		for _, a := range w.Artifacts() {
			if _, ok := h.store.blobs[a.SHA256]; !ok {
				h.addError("artifact %s has no content", a.ArtifactID)
			}
		}
	})
	h.final.Seq = uint64(len(recs))
}

// checkRecords compares the ledger with what people, scripts and viewers have observed. It runs
// after the server has stopped.
func (h *history) checkRecords(l *life) {
	recs := h.records()
	if replica, err := l.office.Replica(); err != nil {
		h.addError("copy the office's world: %v", err)
	} else {
		h.checkReplay("office", replica, recs)
	}
	if err := office.CompareCheckpoint(context.Background(), h.store.Open(), scene.Default()); err != nil {
		h.addError("%v", err)
	}
	receipts, events, turns := map[string][]contracts.Receipt{}, map[string]int{}, map[string]string{}
	for i := range recs {
		body, err := recs[i].Decode()
		if err != nil || recs[i].Seq != uint64(i)+1 {
			h.addError("record %d has seq %d: %v", i+1, recs[i].Seq, err)
			return
		}
		switch b := body.(type) {
		case *contracts.Receipt:
			receipts[b.CommandID] = append(receipts[b.CommandID], *b)
		case *contracts.UI:
			events[b.Name]++
		case *contracts.HUD:
			switch b.Event {
			case contracts.HUDTurnStart:
				turns[b.CorrelationID] += "("
			case contracts.HUDTurnEnd:
				turns[b.CorrelationID] += ")"
			}
		}
	}
	for id, spans := range turns {
		if spans != "()" {
			h.addError("turn %s does not have exactly one start and one end: %s", id, spans)
		}
	}
	h.checkCommands(receipts)
	h.checkFacts(events)
	h.checkViewers(recs)
}

// checkReplay compares one of the server's worlds with the fold of all records.
func (h *history) checkReplay(name string, w *world.World, recs []contracts.Record) {
	folded := world.New(scene.Default())
	for _, rec := range recs {
		if err := folded.Apply(rec); err != nil {
			h.addError("replay: %v", err)
			return
		}
	}
	want, err := folded.Hash()
	if err != nil {
		h.addError("replay: %v", err)
	}
	if got, err := w.Hash(); got != want || err != nil {
		h.addError("the %s's world differs from a replay: %.12s, want %.12s: %v", name, got, want, err)
	}
}

// checkCommands compares the answers with the receipts: an acknowledged command has a receipt with
// the same result, and any other command has none. A command that was refused before a restart may
// be acknowledged after it.
func (h *history) checkCommands(receipts map[string][]contracts.Receipt) {
	acknowledged := map[string]bool{}
	for _, s := range h.sent {
		list := receipts[s.cmd.ID]
		if s.reply.Refusal != nil {
			continue
		}
		acknowledged[s.cmd.ID] = true
		if len(list) != 1 || list[0].LastSeq != s.reply.Seq || cmp.Diff(list[0].Result, s.reply.Result) != "" {
			h.addError("command %s (%T) was answered with %+v, but its receipts are %+v", s.cmd.ID, s.cmd.Data, s.reply, list)
		}
	}
	for id, list := range receipts {
		if !acknowledged[id] {
			h.addError("command %s was not acknowledged, but its receipts are %+v", id, list)
		}
	}
}

// checkFacts checks that a confirmed fact is recorded once, and any other fact at most once.
func (h *history) checkFacts(events map[string]int) {
	for _, f := range h.facts {
		if n := events[f.name]; n > 1 || f.confirmed && n == 0 {
			h.addError("fact %s was recorded %d times; confirmed: %v", f.name, n, f.confirmed)
		}
	}
}

// checkViewers checks that every viewer saw the office's final world, and that every stretch of its
// timeline contains exactly the ledger records that viewers may see.
func (h *history) checkViewers(recs []contracts.Record) {
	visible := []contracts.Kind{contracts.KindEvent, contracts.KindGoal, contracts.KindChat, contracts.KindHUD, contracts.KindUI}
	for _, v := range h.viewers {
		for _, line := range v.wrong {
			h.addError("%s: %s", v.name, line)
		}
		if diff := cmp.Diff(h.final, v.world, cmpopts.EquateEmpty()); diff != "" {
			h.addError("%s sees a different world (-office +viewer):\n%s", v.name, diff)
		}
		for _, s := range v.stretches {
			var want []string
			for _, rec := range recs[min(s.after, uint64(len(recs))):min(s.upTo, uint64(len(recs)))] {
				if slices.Contains(visible, rec.Kind) {
					want = append(want, rec.ID)
				}
			}
			if diff := cmp.Diff(want, s.seen); diff != "" {
				h.addError("%s saw different records after %d up to %d (-ledger +viewer):\n%s", v.name, s.after, s.upTo, diff)
			}
		}
	}
}

// String describes what happened, for the log.
func (h *history) String() string {
	return fmt.Sprintf("%s of activity, %d lives, %d records, %d commands, %d facts, %d rooms opened, faults: %s",
		h.plan.active.Round(time.Second), h.lives, h.store.head, len(h.sent), len(h.facts), h.rooms, h.injector)
}
