package world_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"pgregory.net/rapid"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/world"
	"github.com/bullpen-office/bullpen/world/scene"
)

// read returns a copy of a record without its decoded body, as a ledger returns it.
func read(r contracts.Record) contracts.Record {
	return contracts.Record{Seq: r.Seq, TS: r.TS, Kind: r.Kind, ID: r.ID, Key: r.Key, Body: r.Body}
}

func hashOf(t interface{ Fatal(...any) }, w *world.World) string {
	s, err := w.Hash()
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// history is an office and its ledger, from which retention removes activity.
type history struct {
	*rapid.T
	live  *world.World
	saved *world.World       // the last checkpoint, decoded
	kept  []contracts.Record // the records that are left
	seq   uint64
	ts    int64
}

func (h *history) add(b contracts.Body) {
	h.seq++
	r, err := contracts.NewRecord(h.seq, h.ts, "", b)
	if err == nil {
		err = h.live.Apply(r)
	}
	if err != nil {
		h.Fatal(err)
	}
	h.kept = append(h.kept, read(r))
}

// checkpoint saves the world; the office does so before it removes anything.
func (h *history) checkpoint() {
	var err error
	if h.saved, err = h.live.Clone(); err != nil {
		h.Fatal(err)
	}
}

// sweep removes, oldest first, activity that is older than the given time and that the checkpoint
// does not need. It stops at the first record that is too recent, or after limit records, as if the
// process crashed between two batches.
func (h *history) sweep(before int64, limit int) {
	retained, stopped := h.saved.RetainedSeqs(), false
	h.kept = slices.DeleteFunc(h.kept, func(r contracts.Record) bool {
		if r.Kind != contracts.KindHUD || stopped {
			return false
		}
		if stopped = r.Seq > h.saved.Seq() || r.TS >= before || limit == 0; stopped {
			return false
		}
		if _, found := slices.BinarySearch(retained, r.Seq); found {
			return false
		}
		limit--
		return true
	})
}

// foldKept folds the remaining records into a world, up to seq upTo.
func (h *history) foldKept(w *world.World, upTo uint64) *world.World {
	for _, r := range h.kept {
		if r.Seq <= w.Seq() || r.Seq > upTo {
			continue
		}
		if err := w.Apply(r); err != nil {
			h.Fatal(err)
		}
	}
	w.SkipTo(upTo)
	return w
}

// check compares folds of the remaining records with the full history: from the start, from the
// checkpoint, and up to the checkpoint.
func (h *history) check() {
	want := hashOf(h, h.live)
	if got := hashOf(h, h.foldKept(world.New(scene.Default()), h.seq)); got != want {
		h.Fatalf("at %d the remaining records lead to a different world", h.seq)
	}
	if got := hashOf(h, h.foldKept(world.New(scene.Default()), h.saved.Seq())); got != hashOf(h, h.saved) {
		h.Fatalf("the checkpoint at %d differs from the fold of the records", h.saved.Seq())
	}
	again, err := h.saved.Clone()
	if err != nil {
		h.Fatal(err)
	}
	if got := hashOf(h, h.foldKept(again, h.seq)); got != want {
		h.Fatalf("at %d the records after the checkpoint at %d lead to a different world", h.seq, h.saved.Seq())
	}
}

var guest = &contracts.Event{Name: contracts.EventAgentJoined, Agents: []contracts.AgentProfile{{AgentID: "agent_g", Name: "G", Source: "claude", ParentID: "agent_bd"}}}

// addRandom adds a random input, valid or not.
func (h *history) addRandom() {
	pick := func(what string, of ...string) string { return rapid.SampledFrom(of).Draw(h.T, what) }
	// Time moves forwards or backwards, because the clock may be set back across a restart.
	h.ts = max(1, h.ts+int64(rapid.IntRange(-30, 50).Draw(h.T, "time")))
	switch rapid.IntRange(0, 12).Draw(h.T, "what") {
	case 0:
		if h.live.Agent("agent_g") == nil {
			h.add(guest)
		} else {
			h.add(&contracts.Event{Name: contracts.EventAgentLeft, AgentID: "agent_g"})
		}
	case 1:
		o := &contracts.Owner{ID: pick("owner", "life_1", "life_2", "watch_ui@n"), Node: "n", Up: rapid.Bool().Draw(h.T, "up")}
		if !o.Up {
			o.Until = int64(rapid.IntRange(0, 500).Draw(h.T, "until"))
		}
		h.add(o)
	case 2: // a short turn, the common case
		for _, text := range []string{"turn_start t1", "tool_start c1 in t1", "turn_end t1"} {
			h.add(hud(text))
		}
	default:
		x := contracts.HUD{
			UUID: fmt.Sprint(h.seq), AgentID: pick("agent", "agent_bd", "agent_bd", "agent_bd", "agent_g", "agent_g", "agent_nobody", ""), Session: pick("session", "s", "s", "s", "s2"),
			Event: contracts.HUDEvent(pick("event", "turn_start", "turn_start", "turn_end", "tool_start", "tool_start", "tool_end", "think_start", "think_end", "received")),
			Owner: pick("owner", "life_1", "watch_ui@n", ""), Label: fmt.Sprint("record ", h.seq+1),
		}
		if x.Event == contracts.HUDTurnStart || x.Event == contracts.HUDTurnEnd {
			x.CorrelationID = pick("turn", "t1", "t1", "t2", "c1", "")
		} else {
			x.CorrelationID, x.ParentID = pick("call", "c1", "c1", "c2", ""), pick("parent", "t1", "t1", "t1", "t2", "c1", "")
		}
		if x.Event == contracts.HUDToolStart {
			x.Tool, x.Args = "read", jsontext.Value(pick("args", `{"path":"a"}`, ` {"p":"\u0061", "n":1.0} `, "[1]"))
		}
		switch x.Event {
		case contracts.HUDToolEnd:
			x.Impact = h.impact()
		case contracts.HUDTurnEnd:
			x.Impact = &contracts.Impact{Kind: contracts.ImpactKind(pick("turn impact", "done", "done", "edit")), At: h.ts}
		}
		h.add(&x)
	}
}

// impact returns a random impact, or nil.
func (h *history) impact() *contracts.Impact {
	kind := rapid.SampledFrom([]contracts.ImpactKind{"", "edit", "edit", "check", "command", "other"}).Draw(h.T, "impact")
	if kind == "" {
		return nil
	}
	at := h.ts - int64(rapid.IntRange(0, 40).Draw(h.T, "late"))
	return &contracts.Impact{Kind: kind, At: at, Since: at - int64(rapid.IntRange(0, 9).Draw(h.T, "took")), What: fmt.Sprint("file ", h.seq+1), Prose: rapid.Bool().Draw(h.T, "prose")}
}

// Retention leaves the world bit-for-bit identical for any history: reused ids, ends without a
// start, calls in other agents' turns, agents that leave and return, late reports of sub-agents'
// impacts, clocks that go backwards, and sweeps that are interrupted at any point.
func TestRetentionKeepsTheWorld(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := &history{T: t, live: world.New(scene.Default()), ts: 1}
		h.add(opened())
		h.add(guest)
		h.checkpoint()
		for range rapid.IntRange(5, 60).Draw(t, "steps") {
			h.addRandom()
			switch rapid.IntRange(0, 7).Draw(t, "upkeep") {
			case 0:
				h.checkpoint()
				fallthrough
			case 1: // another sweep with the same checkpoint, later
				h.sweep(int64(rapid.IntRange(1, 3000).Draw(t, "before")), rapid.IntRange(-1, 8).Draw(t, "most"))
			}
			h.check()
		}
	})
}

// An older checkpoint may need a record that the current world no longer needs, so a new checkpoint
// must be saved first.
func TestRetentionNeedsTheCheckpointFirst(t *testing.T) {
	recs := tape(t, opened(), hud("turn_start t"), hud("turn_end t"))
	before, after := fold(t, recs[:2]), fold(t, recs)
	if len(before.RetainedSeqs()) != 1 || len(after.RetainedSeqs()) != 0 {
		t.Fatal(before.RetainedSeqs(), after.RetainedSeqs())
	}
	rest := fold(t, recs[:1])
	rest.SkipTo(2)
	if hashOf(t, rest) == hashOf(t, before) {
		t.Error("the older world does not need the start")
	}
}
