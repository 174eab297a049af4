package director

import (
	"slices"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/world"
)

// ownerGone is the reason that people see.
const ownerGone = "the server stopped in the middle"

// endsAt is when what an owner has open ends: never while it is up, at once when
// nobody ever heard of it, as in ledgers from before there were owners.
func endsAt(w *world.World, owner string) (at int64, ends bool) {
	o := w.Owner(owner)
	switch {
	case o == nil:
		return 0, true
	case o.Up:
		return 0, false
	}
	return o.Until, true
}

// stepTurns ends what is open although its owner is gone: calls first, newest first,
// then the turn. All of it is one step: a crash leaves at most an append.
func (a *act) stepTurns() bool {
	before := len(a.out)
	for _, t := range slices.Clone(a.w.Turns()) {
		if at, ends := endsAt(a.w, t.Owner); !ends || at > a.now.MS {
			continue
		}
		for _, c := range slices.Backward(slices.Clone(t.Calls)) {
			a.endCall(c, t.AgentID, t.Session, t.ID, t.Owner)
		}
		a.emit(a.end(contracts.HUDTurnEnd, t.Seq, t.TS, t.Owner, contracts.HUD{CorrelationID: t.ID, AgentID: t.AgentID, Session: t.Session, TaskID: t.TaskID}))
	}
	for _, c := range slices.Clone(a.w.LooseCalls()) {
		if at, ends := endsAt(a.w, c.Owner); ends && at <= a.now.MS {
			a.endCall(c, c.AgentID, c.Session, "", c.Owner)
		}
	}
	for _, d := range slices.Clone(a.w.Decisions()) {
		if at, ends := endsAt(a.w, d.Owner); d.Owner != "" && d.Status == contracts.DecisionOpen && ends && at <= a.now.MS {
			a.withdraw(d, ownerGone)
		}
	}
	return len(a.out) > before
}

func (a *act) endCall(c *world.Call, agent, session, turn, owner string) {
	event := contracts.HUDToolEnd
	if c.Event == contracts.HUDThinkStart {
		event = contracts.HUDThinkEnd
	}
	a.emit(a.end(event, c.Seq, c.TS, owner, contracts.HUD{CorrelationID: c.ID, ParentID: turn, AgentID: agent, Session: session, Tool: c.Tool, Label: c.Label}))
}

// end makes an end fact. Its id follows from the start: the same rule on another node
// makes the same fact.
func (a *act) end(event contracts.HUDEvent, seq uint64, since int64, owner string, h contracts.HUD) *contracts.HUD {
	last := a.now.MS
	if o := a.w.Owner(owner); o != nil && o.At > 0 {
		last = o.At // it went on until then at least; how much longer, nobody knows
	}
	ms := max(last-since, 0)
	h.UUID, h.Event, h.DurationMS = contracts.DerivedUUID("end", a.w.OfficeID(), string(event), time.UnixMilli(int64(seq)).String()), event, &ms
	h.Result, _ = json.Marshal(map[string]any{"ok": false, "error": ownerGone}, json.Deterministic(true))
	return &h
}

// Begin opens a life: the owners of this node that an earlier life left up are down,
// except the watches that the new life holds.
func (d *Director) Begin(w *world.World, now Now, node string, lastSign int64, watches []string) (life string, recs []contracts.Record, err error) {
	a := d.act(w, now)
	recs, _, err = a.play(func() *contracts.Refusal {
		for _, o := range slices.Clone(w.Owners()) {
			if o.Node == node && o.Up && !slices.Contains(watches, o.ID) {
				a.emit(&contracts.Owner{ID: o.ID, Node: node, At: lastSign, Until: a.graceOf(o.ID)})
			}
		}
		life = contracts.LifeID(w.Seq() + 1)
		a.emit(&contracts.Owner{ID: life, Node: node, Up: true})
		for _, id := range watches {
			a.emit(&contracts.Owner{ID: id, Node: node, Up: true})
		}
		a.stepTurns()
		return nil
	})
	return life, recs, err
}

func (a *act) graceOf(owner string) int64 {
	if contracts.IsLife(owner) {
		return 0
	}
	return a.now.MS + contracts.SilenceTool.Milliseconds()
}
