package director

import (
	"slices"
	"strconv"
	"time"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/hud"
	"github.com/bullpen-office/bullpen/hud/impact"
	"github.com/bullpen-office/bullpen/world"
)

// Texts that are recorded when the office closes turns, calls, questions and messages that were
// left open.
const (
	serverStopped    = "the server stopped during the turn"
	watchStopped     = "the agent is no longer watched"
	tooManyOpen      = "too many turns are open"
	turnEnded        = "The turn has ended."
	asksAgain        = "The server restarted. The agent will ask again if it still needs this."
	answerInTerminal = "the server restarted; answer in the terminal"
	outpostEnded     = "the outpost is no longer connected; answer in the terminal"
	notAnswered      = "I could not answer: the office was restarted. Please ask again."
)

// Begin starts a new life of a node, or continues now.Life if that life is still up. It marks the
// owners on absent nodes and the node's other owners as down (except the watches that the life
// takes over) and ends everything that those owners had open. lastActive is when the earlier life
// was last active.
func (d *Director) Begin(w *world.World, now Now, lastActive int64, watches []string) (life string, recs []contracts.Record, err error) {
	a := d.act(w, now)
	recs, _, err = a.collect(func() *contracts.Refusal {
		ids := watchIDs(watches, now.Node)
		if o := w.Owner(now.Life); o != nil && o.Up {
			life = now.Life
		}
		a.markNodeOwnersDown(now.Node, append(ids, life), lastActive)
		a.markAbsentNodesDown(lastActive)
		a.stepTurns() // ends the turns of unknown owners
		a.withdrawUnowned()
		if life == "" {
			life = contracts.LifeID(w.Seq() + 1)
		}
		a.emit(&contracts.Owner{ID: life, Node: now.Node, Up: true})
		a.markWatchesUp(ids, now.Node)
		return nil
	})
	return life, recs, err
}

// nodeUp records that another node is up: it marks the node's earlier owners as down, except those
// that the node continues, and marks the node's current life and watches as up.
func (a *act) nodeUp(f contracts.NodeUp) *contracts.Refusal {
	if refusal := a.nodeRefusal(f.Node); refusal != nil {
		return refusal
	}
	life := ""
	if o := a.w.Owner(f.Life); o != nil && o.Up && o.Node == f.Node {
		life = f.Life
	}
	ids := watchIDs(f.Watches, f.Node)
	a.markNodeOwnersDown(f.Node, append(ids, life), a.now.MS)
	a.markWatchesUp(ids, f.Node)
	if life == "" {
		life = contracts.LifeID(a.w.Seq() + 1)
	}
	a.emit(&contracts.Owner{ID: life, Node: f.Node, Up: true})
	return nil
}

// nodeDown ends another node's life. Its watches can be taken over within WatchGrace.
func (a *act) nodeDown(f contracts.NodeDown) *contracts.Refusal {
	if refusal := a.nodeRefusal(f.Node); refusal != nil {
		return refusal
	}
	if o := a.w.Owner(f.Life); o != nil && o.Up && o.Node == f.Node {
		a.markNodeOwnersDown(f.Node, nil, a.now.MS)
	}
	return nil
}

// nodeRefusal returns a refusal if node is not a valid name, or is the writer's own name.
func (a *act) nodeRefusal(node string) *contracts.Refusal {
	if node == "" || node == a.now.Node || contracts.CleanLine(node) != node || len(node) > contracts.LimitID {
		return contracts.RefuseField("node", "%q is not the name of another node", node)
	}
	return nil
}

func watchIDs(sources []string, node string) []string {
	ids := make([]string, len(sources))
	for i, source := range sources {
		ids[i] = contracts.WatchID(source, node)
	}
	return ids
}

// markNodeOwnersDown marks a node's owners as down, except the owners in keep.
func (a *act) markNodeOwnersDown(node string, keep []string, lastActive int64) {
	for _, o := range slices.Clone(a.w.Owners()) {
		if o.Node == node && o.Up && !slices.Contains(keep, o.ID) {
			a.markOwnerDown(o.ID, node, lastActive)
		}
	}
}

// markAbsentNodesDown marks the owners on absent nodes as down. Another node is present if one of
// its lives is up. If the office runs alone, only outposts count as present.
func (a *act) markAbsentNodesDown(lastActive int64) {
	alive := map[string]bool{"": true, a.now.Node: true}
	for _, o := range a.w.Owners() {
		_, outpost := contracts.OutpostOf(o.Node)
		if o.Up && contracts.IsLife(o.ID) && (outpost || !a.cfg.Alone) {
			alive[o.Node] = true
		}
	}
	for _, o := range slices.Clone(a.w.Owners()) {
		if o.Up && !alive[o.Node] {
			a.markOwnerDown(o.ID, o.Node, lastActive)
		}
	}
}

// markWatchesUp marks a node's watches as up.
func (a *act) markWatchesUp(ids []string, node string) {
	for _, id := range ids {
		if o := a.w.Owner(id); o == nil || !o.Up {
			a.emit(&contracts.Owner{ID: id, Node: node, Up: true})
		}
	}
}

// End ends the node's life, and everything that is still open in it, on a clean shutdown. The
// node's watches stay up, so that the next life can take them over.
func (d *Director) End(w *world.World, now Now) ([]contracts.Record, error) {
	a := d.act(w, now)
	recs, _, err := a.collect(func() *contracts.Refusal {
		a.markOwnerDown(now.Life, now.Node, now.MS)
		return nil
	})
	return recs, err
}

// markOwnerDown marks an owner as down. If it is a life, everything that it ran ends now. The
// agents of a watch run elsewhere, so another watcher has WatchGrace to take over.
func (a *act) markOwnerDown(id, node string, lastActive int64) {
	down := &contracts.Owner{ID: id, Node: node, At: lastActive}
	if !contracts.IsLife(id) {
		down.Until = a.now.MS + contracts.WatchGrace.Milliseconds()
	}
	a.emit(down)
	a.stepTurns()
}

// withdrawUnowned cancels the permission requests that older versions recorded without an owner:
// the calls that were waiting for the answers have ended.
func (a *act) withdrawUnowned() {
	for _, d := range matching(a.w.Decisions(), func(d *contracts.Decision) bool { return isOpen(d) && d.Permission != nil && d.Owner == "" }) {
		a.withdraw(d, a.withdrawReason(d))
	}
}

// owner returns the owner of a new turn, call or question: the owner that the fact names, or else
// the watch of the fact's source, or else the life of the node that reports the fact.
func (a *act) owner(named, watch string) string {
	switch {
	case named != "":
		return named
	case watch != "":
		return contracts.WatchID(watch, a.now.Node)
	}
	return a.now.Life
}

// fence returns a refusal if an owner is down or unknown, and nil otherwise. Everything that such
// an owner had open has ended, and another owner may have taken over.
func (a *act) fence(owner string) *contracts.Refusal {
	if o := a.w.Owner(owner); owner != "" && (o == nil || !o.Up) {
		return contracts.Refuse(contracts.CodeConflict, "owner %s has ended, and so have its turns; start again with an owner that is running", owner)
	}
	return nil
}

// endsAt returns the time at which an owner's open turns, calls and questions end. ends is false
// while the owner is up. If the owner is unknown, as in ledgers from older versions, they end
// immediately.
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

// turnsEnd returns when the next turn, call or question ends because its owner is down; ok is false
// if there is none.
func turnsEnd(w *world.World) (at int64, ok bool) {
	for _, o := range w.Owners() {
		if !o.Up && (!ok || o.Until < at) && owns(w, o.ID) {
			at, ok = o.Until, true
		}
	}
	return at, ok
}

// owns reports whether an owner has an open turn, call or question.
func owns(w *world.World, owner string) bool {
	return slices.ContainsFunc(w.Turns(), func(t *world.Turn) bool { return t.Owner == owner }) ||
		slices.ContainsFunc(w.LooseCalls(), func(c *world.Call) bool { return c.Owner == owner }) ||
		slices.ContainsFunc(w.Decisions(), func(d *contracts.Decision) bool {
			return d.Owner == owner && isOpen(d)
		})
}

// mustEnd reports whether everything that an owner has open must end now.
func (a *act) mustEnd(owner string) bool {
	at, ends := endsAt(a.w, owner)
	return ends && at <= a.now.MS
}

// stepTurns ends the turns, calls and questions whose owner is gone. It also answers undeliverable
// messages to guests. It does all of this in one step, so that a restart needs only one batch, and
// reports whether there was anything to do.
func (a *act) stepTurns() bool {
	before := len(a.out)
	for _, t := range matching(a.w.Turns(), func(t *world.Turn) bool { return a.mustEnd(t.Owner) }) {
		a.endTurn(t, endReason(t.Owner))
	}
	for _, c := range matching(a.w.LooseCalls(), func(c *world.Call) bool { return a.mustEnd(c.Owner) }) {
		a.endLoose(c, endReason(c.Owner))
	}
	for _, d := range matching(a.w.Decisions(), func(d *contracts.Decision) bool { return isOpen(d) && d.Owner != "" && a.mustEnd(d.Owner) }) {
		a.withdraw(d, a.withdrawReason(d))
	}
	for _, c := range a.w.PendingGuestChats() {
		if !a.delivering(c) {
			a.emit(&contracts.Chat{ThreadID: c.Chat.ThreadID, From: c.Chat.To, To: contracts.UserID, Text: notAnswered, AnswersSeq: c.Seq})
		}
	}
	return len(a.out) > before
}

// delivering reports whether a life that began before the message is still up and may be delivering
// it. If not, the message is not delivered again, because the guest may have read it already.
// Outposts deliver no messages.
func (a *act) delivering(c world.PendingChat) bool {
	return slices.ContainsFunc(a.w.Owners(), func(o *contracts.Owner) bool {
		seq, life := contracts.LifeSeq(o.ID)
		_, outpost := contracts.OutpostOf(o.Node)
		return life && o.Up && !outpost && seq < c.Seq
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

// withdrawReason returns the reason for withdrawing a question whose owner is gone. An agent that
// runs elsewhere still asks in its terminal; a program that the office ran has ended.
func (a *act) withdrawReason(d *contracts.Decision) string {
	switch ag := a.w.Agent(d.AskedBy); {
	case ag != nil && ag.Outpost != "":
		return outpostEnded
	case ag != nil && ag.Guest() && ag.Source != contracts.SourceBridge:
		return answerInTerminal
	}
	return asksAgain
}

// limitOpen ends the oldest open turn or call if the one that h started exceeds the limit.
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

// endTurn ends a turn's open calls, newest first, then the turn itself, and withdraws its
// questions.
func (a *act) endTurn(t *world.Turn, reason string) {
	for _, c := range slices.Backward(slices.Clone(t.Calls)) {
		a.endCall(t, c, reason)
	}
	a.emitEnd(t.Start(), span{t.Seq, t.TS, t.Owner, t.Root, reason})
	a.withdrawAsks(t.AgentID, t.ID)
	a.markBridgeGuestIdle(t, reason)
}

func (a *act) endCall(t *world.Turn, c *world.Call, reason string) {
	a.emitEnd(c.Start(t), span{c.Seq, c.TS, t.Owner, t.Root, reason})
}

func (a *act) endLoose(c *world.Call, reason string) {
	a.emitEnd(c.Start(nil), span{c.Seq, c.TS, c.Owner, "", reason})
}

// span is a turn or call that the office ends, with the reason.
type span struct {
	seq    uint64
	since  int64
	owner  string
	root   string
	reason string
}

// emitEnd records the end of a turn or call, in the same format as a reported end. The record's id
// is derived from the start. The record has no ledger key, because call ids may be reused.
func (a *act) emitEnd(start contracts.HUD, s span) {
	last := a.now.MS
	if o := a.w.Owner(s.owner); o != nil && o.At > 0 {
		last = o.At // the span lasted at least until its owner was last active
	}
	id := contracts.DerivedUUID("end", a.w.OfficeID(), strconv.FormatUint(s.seq, 10))
	end, _ := hud.EndOf(start, id, time.Duration(last-s.since)*time.Millisecond, s.reason, hud.RootsAt(s.root, ""))
	// Keep the ids exactly as recorded, so that the end matches its start.
	end.CorrelationID, end.ParentID, end.Session = start.CorrelationID, start.ParentID, start.Session
	if end.Event == contracts.HUDToolEnd {
		end.Impact = a.impact(&end, impact.Call{Tool: start.Tool, Args: start.Args}, s.root)
	}
	a.emit(&end)
}

// withdrawAsks cancels a turn's open questions.
func (a *act) withdrawAsks(agentID, turnID string) {
	for _, d := range a.w.TurnAsks(agentID, turnID) {
		a.withdraw(d, turnEnded)
	}
}

// markBridgeGuestIdle marks a bridge guest as idle after the office has ended its turn, because
// there is no other evidence about that guest. Other guests are judged by their own evidence.
func (a *act) markBridgeGuestIdle(t *world.Turn, reason string) {
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
