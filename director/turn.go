package director

import (
	"slices"
	"strconv"
	"time"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/hud"
	"github.com/bullpen-office/bullpen/world"
)

// Reasons recorded when the office ends something that its owner did not end.
const (
	serverStopped = "the server stopped during the turn"
	watchStopped  = "it is no longer watched"
	tooManyOpen   = "too many turns are open"
	turnEnded     = "The turn has ended."
	asksAgain     = "The server restarted. The agent will ask again if it still needs this."
	asksOn        = "the server restarted; answer in the terminal"
	notAnswered   = "I could not answer: the office was restarted. Please ask again."
)

// Begin starts a new life of a node. It marks the node's earlier owners as down, except the watches
// that this life takes over, and ends everything they had open. No other code cleans up after an
// earlier life. lastSign is when the earlier life was last active.
func (d *Director) Begin(w *world.World, now Now, lastSign int64, watches []string) (life string, recs []contracts.Record, err error) {
	a := d.act(w, now)
	recs, _, err = a.play(func() *contracts.Refusal {
		held := make([]string, len(watches))
		for i, source := range watches {
			held[i] = contracts.WatchID(source, now.Node)
		}
		for _, o := range slices.Clone(w.Owners()) {
			if o.Node == now.Node && o.Up && !slices.Contains(held, o.ID) {
				a.ownerDown(o.ID, lastSign)
			}
		}
		a.stepTurns() // ends the turns of unknown owners
		a.withdrawUnowned()
		life = contracts.LifeID(w.Seq() + 1)
		a.emit(&contracts.Owner{ID: life, Node: now.Node, Up: true})
		for _, id := range held {
			if o := w.Owner(id); o == nil || !o.Up {
				a.emit(&contracts.Owner{ID: id, Node: now.Node, Up: true})
			}
		}
		return nil
	})
	return life, recs, err
}

// End ends the life of a node at a clean shutdown, together with everything that the life has open.
// The node's watches stay up for the next life to take over.
func (d *Director) End(w *world.World, now Now) ([]contracts.Record, error) {
	a := d.act(w, now)
	recs, _, err := a.play(func() *contracts.Refusal {
		a.ownerDown(now.Life, now.MS)
		return nil
	})
	return recs, err
}

// ownerDown marks an owner as down. Everything that a life ran ends now; the agents of a watch run
// elsewhere, so another watcher has WatchGrace to take over.
func (a *act) ownerDown(id string, lastSign int64) {
	down := &contracts.Owner{ID: id, Node: a.now.Node, At: lastSign}
	if !contracts.IsLife(id) {
		down.Until = a.now.MS + contracts.WatchGrace.Milliseconds()
	}
	a.emit(down)
	a.stepTurns()
}

// withdrawUnowned cancels permission requests that older versions recorded without an owner: the calls
// that waited for them have ended.
func (a *act) withdrawUnowned() {
	for _, d := range matching(a.w.Decisions(), func(d *contracts.Decision) bool { return isOpen(d) && d.Permission != nil && d.Owner == "" }) {
		a.withdraw(d, a.withdrawnWith(d))
	}
}

// owner returns the owner of a turn, call or question that a fact starts: the one that the fact
// names, else the watch of its source, else the life of this office.
func (a *act) owner(named, watch string) string {
	switch {
	case named != "":
		return named
	case watch != "":
		return contracts.WatchID(watch, a.now.Node)
	}
	return a.now.Life
}

// fence returns a refusal if an owner is down or unknown, because everything it had open has ended
// and another owner may have taken over; otherwise nil.
func (a *act) fence(owner string) *contracts.Refusal {
	if o := a.w.Owner(owner); owner != "" && (o == nil || !o.Up) {
		return contracts.Refuse(contracts.CodeConflict, "owner %s has ended, and its turns with it; start again under a running owner", owner)
	}
	return nil
}

// endsAt returns when everything that an owner has open ends. ends is false while the owner is up;
// an unknown owner, as in ledgers of older versions, ends immediately.
func endsAt(w *world.World, owner string) (at int64, ends bool) {
	switch o := w.Owner(owner); {
	case o == nil:
		return 0, true
	case o.Up:
		return 0, false
	default:
		return o.Until, true
	}
}

// turnsEnd returns the earliest time at which turns, calls or questions end because their owner is
// down; ok is false if there are none.
func turnsEnd(w *world.World) (at int64, ok bool) {
	for _, o := range w.Owners() {
		if !o.Up && (!ok || o.Until < at) && owns(w, o.ID) {
			at, ok = o.Until, true
		}
	}
	return at, ok
}

// owns reports whether an owner has anything open.
func owns(w *world.World, owner string) bool {
	return slices.ContainsFunc(w.Turns(), func(t *world.Turn) bool { return t.Owner == owner }) ||
		slices.ContainsFunc(w.LooseCalls(), func(c *world.Call) bool { return c.Owner == owner }) ||
		slices.ContainsFunc(w.Decisions(), func(d *contracts.Decision) bool {
			return d.Owner == owner && isOpen(d)
		})
}

// over reports whether an owner is gone, so that everything it has open must end.
func (a *act) over(owner string) bool {
	at, ends := endsAt(a.w, owner)
	return ends && at <= a.now.MS
}

// stepTurns ends the turns, calls and questions whose owner is gone, and answers people's messages
// to guests if the life that delivered them is gone. It ends all of them in one step, so that a
// restart needs one batch, and reports whether there were any.
func (a *act) stepTurns() bool {
	before := len(a.out)
	for _, t := range matching(a.w.Turns(), func(t *world.Turn) bool { return a.over(t.Owner) }) {
		a.endTurn(t, endReason(t.Owner))
	}
	for _, c := range matching(a.w.LooseCalls(), func(c *world.Call) bool { return a.over(c.Owner) }) {
		a.endLoose(c, endReason(c.Owner))
	}
	for _, d := range matching(a.w.Decisions(), func(d *contracts.Decision) bool { return isOpen(d) && d.Owner != "" && a.over(d.Owner) }) {
		a.withdraw(d, a.withdrawnWith(d))
	}
	for _, mail := range a.w.GuestMail() {
		if !a.delivering(mail) {
			a.emit(&contracts.Chat{ThreadID: mail.Chat.ThreadID, From: mail.Chat.To, To: contracts.UserID, Text: notAnswered, AnswersSeq: mail.Seq})
		}
	}
	return len(a.out) > before
}

// delivering reports whether a life that started before the message is still up and may be
// delivering it. If not, the message is not delivered again, because the guest may have read it.
func (a *act) delivering(mail world.PendingChat) bool {
	return slices.ContainsFunc(a.w.Owners(), func(o *contracts.Owner) bool {
		seq, life := contracts.LifeSeq(o.ID)
		return life && o.Up && seq < mail.Seq
	})
}

func isOpen(d *contracts.Decision) bool { return d.Status == contracts.DecisionOpen }

// matching returns the matching rows in a new slice, because the rules change the original.
func matching[T any](rows []*T, is func(*T) bool) (list []*T) {
	for _, row := range rows {
		if is(row) {
			list = append(list, row)
		}
	}
	return list
}

func endReason(owner string) string {
	if owner == "" || contracts.IsLife(owner) {
		return serverStopped
	}
	return watchStopped
}

// withdrawnWith returns the reason for withdrawing a question whose owner is gone. An agent that
// runs elsewhere still asks in its terminal; a program that the office ran has ended.
func (a *act) withdrawnWith(d *contracts.Decision) string {
	if ag := a.w.Agent(d.AskedBy); ag != nil && ag.Guest() && ag.Source != contracts.SourceBridge {
		return asksOn
	}
	return asksAgain
}

// limitOpen ends the oldest open turn or call if a start exceeds a limit.
func (a *act) limitOpen(h *contracts.HUD) {
	if turns := a.w.Turns(); len(turns) > contracts.LimitOpenTurns {
		a.endTurn(turns[0], tooManyOpen)
	}
	if calls := a.w.LooseCalls(); len(calls) > contracts.LimitLooseCalls {
		a.endLoose(calls[0], tooManyOpen)
	}
	if t := a.w.Turn(h.AgentID, h.Session, h.ParentID); t != nil && len(t.Calls) > contracts.LimitTurnCalls {
		a.endCall(t, t.Calls[0], tooManyOpen)
	}
}

// endTurn ends the open calls of a turn, newest first, then the turn, and withdraws its questions.
func (a *act) endTurn(t *world.Turn, reason string) {
	for _, c := range slices.Backward(slices.Clone(t.Calls)) {
		a.endCall(t, c, reason)
	}
	a.emitEnd(t.Start(), span{t.Seq, t.TS, t.Owner, t.Root, reason})
	a.withdrawAsks(t.AgentID, t.ID)
	a.restBridged(t, reason)
}

func (a *act) endCall(t *world.Turn, c *world.Call, reason string) {
	a.emitEnd(c.Start(t), span{c.Seq, c.TS, t.Owner, t.Root, reason})
}

func (a *act) endLoose(c *world.Call, reason string) {
	a.emitEnd(c.Start(nil), span{c.Seq, c.TS, c.Owner, "", reason})
}

// span describes a turn or call that the office ends.
type span struct {
	seq    uint64
	since  int64
	owner  string
	root   string
	reason string
}

// emitEnd records the end of a turn or call, in the shape of its tool's ends. The id is derived
// from the start. There is no ledger key, because call ids may be reused.
func (a *act) emitEnd(start contracts.HUD, s span) {
	last := a.now.MS
	if o := a.w.Owner(s.owner); o != nil && o.At > 0 {
		last = o.At // it lasted at least until then
	}
	id := contracts.DerivedUUID("end", a.w.OfficeID(), strconv.FormatUint(s.seq, 10))
	end, _ := hud.EndOf(start, id, time.Duration(last-s.since)*time.Millisecond, s.reason, hud.RootsAt(s.root, ""))
	// Keep the ids exactly as recorded, so that the end matches its start.
	end.CorrelationID, end.ParentID, end.Session = start.CorrelationID, start.ParentID, start.Session
	a.emit(&end)
}

// withdrawAsks cancels the open questions of a turn.
func (a *act) withdrawAsks(agentID, turnID string) {
	for _, d := range a.w.Asked(agentID, turnID) {
		a.withdraw(d, turnEnded)
	}
}

// restBridged makes a guest of the bridge idle after the office ended its turn, because there is no
// other evidence about that guest. Other guests are judged by their own evidence.
func (a *act) restBridged(t *world.Turn, reason string) {
	ag := a.w.Agent(t.AgentID)
	if ag == nil || ag.Source != contracts.SourceBridge || ag.Status == nil || ag.Status.Activity == contracts.ActivityIdle || ag.Status.Activity == contracts.ActivityOffline {
		return
	}
	if slices.ContainsFunc(a.w.Turns(), func(open *world.Turn) bool { return open.AgentID == t.AgentID }) {
		return
	}
	says := "turn ended: " + reason
	a.emit(&contracts.Event{Name: contracts.EventAgentStatus, AgentID: t.AgentID, Status: &contracts.AgentStatus{
		AgentID: t.AgentID, Activity: contracts.ActivityIdle, Why: "Idle: " + says + " (office)", Authority: contracts.FromOffice, Since: a.now.MS, Said: ag.Status.Said,
		Evidence: []contracts.Evidence{{Source: contracts.FromOffice, Says: says, At: a.now.MS}},
	}})
}
