package world

import (
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/bullpen-office/bullpen/contracts"
)

// Turn is a turn that has started but not ended.
type Turn struct {
	ID        string  `json:"id"`
	Seq       uint64  `json:"seq"` // seq of the start record, which retention must keep
	TS        int64   `json:"ts"`
	AgentID   string  `json:"agent_id,omitzero"`
	Session   string  `json:"session,omitzero"` // the conversation
	TaskID    string  `json:"task_id,omitzero"`
	Origin    string  `json:"origin,omitzero"`
	Owner     string  `json:"owner,omitzero"`
	Root      string  `json:"root,omitzero"` // the directory that paths are relative to
	Label     string  `json:"label,omitzero"`
	Rehearsal bool    `json:"rehearsal,omitzero"`
	Calls     []*Call `json:"calls"` // open calls, in the order in which they started
}

// Call is a tool call, or a period of thinking, that has started but not ended.
type Call struct {
	ID    string             `json:"id"`
	Seq   uint64             `json:"seq"`
	TS    int64              `json:"ts"`
	Event contracts.HUDEvent `json:"event"` // the event that started the call
	Tool  string             `json:"tool,omitzero"`
	Args  jsontext.Value     `json:"args,omitzero"` // shortened by contracts.SmallArgs
	Label string             `json:"label,omitzero"`

	// These fields are set only for calls outside any turn.
	AgentID string `json:"agent_id,omitzero"`
	Session string `json:"session,omitzero"`
	Owner   string `json:"owner,omitzero"`
}

// spanKey identifies an open turn or call. It contains the session, because providers' ids are
// unique only within a session.
type spanKey struct{ agent, session, id string }

func (t *Turn) key() spanKey { return spanKey{t.AgentID, t.Session, t.ID} }
func (c *Call) key() spanKey { return spanKey{c.AgentID, c.Session, c.ID} }

// Turns returns the open turns, oldest first.
func (w *World) Turns() []*Turn { return w.s.Turns }

// Turn returns a turn, or nil if it is not open.
func (w *World) Turn(agentID, session, id string) *Turn {
	return w.turns[spanKey{agentID, session, id}]
}

// Call returns an open call and the turn that it belongs to; in is nil for a call outside any turn,
// and c is nil if the call is not open.
func (w *World) Call(agentID, session, turnID, id string) (c *Call, in *Turn) {
	if turnID == "" {
		return w.calls[spanKey{agentID, session, id}], nil
	}
	in = w.Turn(agentID, session, turnID)
	if in == nil {
		return nil, nil
	}
	if i := slices.IndexFunc(in.Calls, func(c *Call) bool { return c.ID == id }); i >= 0 {
		return in.Calls[i], in
	}
	return nil, in
}

// LooseCalls returns the open calls outside any turn, oldest first.
func (w *World) LooseCalls() []*Call { return w.s.Calls }

// Owners returns the owners that are up, and owners that are down but may still have open turns or
// calls.
func (w *World) Owners() []*contracts.Owner { return w.s.Owners }

// Owner returns the owner with the given id, or nil if it is unknown. An unknown owner counts as
// ended.
func (w *World) Owner(id string) *contracts.Owner { return w.owners[id] }

// Open returns the facts that started an owner's open turns and calls: each turn followed by its
// calls, then the calls outside any turn.
func (w *World) Open(owner string) (list []contracts.Opened) {
	for _, t := range w.s.Turns {
		if t.Owner != owner {
			continue
		}
		list = append(list, contracts.Opened{HUD: t.Start(), TS: t.TS})
		for _, c := range t.Calls {
			list = append(list, contracts.Opened{HUD: c.Start(t), TS: c.TS})
		}
	}
	for _, c := range w.s.Calls {
		if c.Owner == owner {
			list = append(list, contracts.Opened{HUD: c.Start(nil), TS: c.TS})
		}
	}
	return list
}

// Start returns the fact that started the turn.
func (t *Turn) Start() contracts.HUD {
	return contracts.HUD{
		Event: contracts.HUDTurnStart, CorrelationID: t.ID, AgentID: t.AgentID, Session: t.Session, TaskID: t.TaskID, Label: t.Label,
		Rehearsal: t.Rehearsal, Owner: t.Owner, Origin: t.Origin, Root: t.Root,
	}
}

// Start returns the fact that started the call. in is the turn that the call belongs to, or nil if
// there is none.
func (c *Call) Start(in *Turn) contracts.HUD {
	h := contracts.HUD{Event: c.Event, CorrelationID: c.ID, AgentID: c.AgentID, Session: c.Session, Tool: c.Tool, Args: c.Args, Label: c.Label, Owner: c.Owner}
	if in != nil {
		h.ParentID, h.AgentID, h.Session, h.TaskID, h.Rehearsal = in.ID, in.AgentID, in.Session, in.TaskID, in.Rehearsal
	}
	return h
}

// StartSeqs returns the seqs of the records that started the open turns and calls, in order.
func (w *World) StartSeqs() []uint64 {
	var starts []uint64
	for _, t := range w.s.Turns {
		starts = append(starts, t.Seq)
		for _, c := range t.Calls {
			starts = append(starts, c.Seq)
		}
	}
	for _, c := range w.s.Calls {
		starts = append(starts, c.Seq)
	}
	slices.Sort(starts)
	return starts
}

// RetainedSeqs returns, in order, the seqs of the activity that retention must keep: the starts of
// the open turns and calls, and the records of the agents' last impacts. Retention may remove all
// other activity up to Seq, oldest first. A fold to Seq or later then still produces the same
// world.
func (w *World) RetainedSeqs() []uint64 {
	seqs := w.StartSeqs()
	for _, a := range w.s.Agents {
		seqs = append(seqs, a.Impacts.seqs()...)
	}
	slices.Sort(seqs)
	return slices.Compact(seqs) // an impact may count for several agents
}

// foldHUD opens and ends turns and calls, and keeps the last impacts of agents. Retention removes
// activity, so the effect of a record depends only on what is open and on which agents are in the
// office. A record that matches nothing that is open has no further effect: a call in a turn that
// is not open, a second start, or an end without a start.
func (w *World) foldHUD(rec *contracts.Record) {
	h, ok := rec.Head()
	if !ok {
		return
	}
	w.foldImpact(rec, &h)
	switch {
	case h.Event == contracts.HUDTurnStart:
		w.openTurn(rec, &h)
	case h.Event == contracts.HUDTurnEnd:
		w.endTurn(spanKey{h.AgentID, h.Session, h.CorrelationID})
	case h.ParentID != "":
		if t := w.turns[spanKey{h.AgentID, h.Session, h.ParentID}]; t != nil {
			t.fold(rec, &h)
		}
	case h.Event.Starts():
		w.openLoose(rec, &h)
	default:
		w.endLoose(spanKey{h.AgentID, h.Session, h.CorrelationID})
	}
}

func (w *World) openTurn(rec *contracts.Record, h *contracts.HUDHead) {
	key := spanKey{h.AgentID, h.Session, h.CorrelationID}
	if w.turns[key] != nil || !w.inOffice(h.AgentID) {
		return
	}
	t := &Turn{
		ID: h.CorrelationID, Seq: rec.Seq, TS: rec.TS, AgentID: h.AgentID, Session: h.Session, TaskID: h.TaskID,
		Origin: h.Origin, Owner: h.Owner, Root: h.Root, Label: h.Label, Rehearsal: h.Rehearsal,
	}
	w.turns[key], w.s.Turns = t, append(w.s.Turns, t)
}

func (w *World) endTurn(key spanKey) {
	if t := w.turns[key]; t != nil {
		delete(w.turns, key)
		w.s.Turns = without(w.s.Turns, t)
	}
}

func (w *World) openLoose(rec *contracts.Record, h *contracts.HUDHead) {
	key := spanKey{h.AgentID, h.Session, h.CorrelationID}
	if w.calls[key] != nil || !w.inOffice(h.AgentID) {
		return
	}
	c := newCall(rec, h)
	c.AgentID, c.Session, c.Owner = h.AgentID, h.Session, h.Owner
	w.calls[key], w.s.Calls = c, append(w.s.Calls, c)
}

func (w *World) endLoose(key spanKey) {
	if c := w.calls[key]; c != nil {
		delete(w.calls, key)
		w.s.Calls = without(w.s.Calls, c)
	}
}

// inOffice reports whether an agent is in the office. It is true for an empty id, because activity
// need not belong to an agent.
func (w *World) inOffice(agentID string) bool { return agentID == "" || w.agents[agentID] != nil }

// fold applies a record to the turn: it starts or ends a call.
func (t *Turn) fold(rec *contracts.Record, h *contracts.HUDHead) {
	i := slices.IndexFunc(t.Calls, func(c *Call) bool { return c.ID == h.CorrelationID })
	switch {
	case h.Event.Starts() && i < 0:
		t.Calls = append(t.Calls, newCall(rec, h))
	case h.Event.Ends() && i >= 0:
		t.Calls = without(t.Calls, t.Calls[i])
	}
}

func newCall(rec *contracts.Record, h *contracts.HUDHead) *Call {
	return &Call{
		ID: h.CorrelationID, Seq: rec.Seq, TS: rec.TS, Event: h.Event, Tool: h.Tool,
		Args: contracts.SmallArgs(h.Args, contracts.LimitCallArgs), Label: h.Label,
	}
}

// foldOwner records that an owner is up or down. It forgets owners whose grace period is over,
// because an unknown owner counts as ended.
func (w *World) foldOwner(o *contracts.Owner, ts int64) {
	w.s.Owners = slices.DeleteFunc(w.s.Owners, func(have *contracts.Owner) bool {
		over := have.ID == o.ID || !have.Up && have.Until <= ts
		if over {
			delete(w.owners, have.ID)
		}
		return over
	})
	w.owners[o.ID], w.s.Owners = o, append(w.s.Owners, o)
	if contracts.IsLife(o.ID) {
		w.foldLife(o, ts)
	}
}

// foldLife records whether the guests of a node are watched.
func (w *World) foldLife(life *contracts.Owner, ts int64) {
	for _, a := range w.s.Agents {
		switch {
		case a.Node == "" || a.Node != life.Node:
		case life.Up:
			a.UnwatchedSince = 0
		case a.UnwatchedSince == 0:
			a.UnwatchedSince = ts
		}
	}
}

// dropTurns removes the open turns and calls of an agent that has left.
func (w *World) dropTurns(agentID string) {
	w.s.Turns = slices.DeleteFunc(w.s.Turns, func(t *Turn) bool { return t.AgentID == agentID })
	w.s.Calls = slices.DeleteFunc(w.s.Calls, func(c *Call) bool { return c.AgentID == agentID })
	w.reindexTurns()
}

func (w *World) reindexTurns() {
	w.turns, w.calls = make(map[spanKey]*Turn, len(w.s.Turns)), make(map[spanKey]*Call, len(w.s.Calls))
	for _, t := range w.s.Turns {
		w.turns[t.key()] = t
	}
	for _, c := range w.s.Calls {
		w.calls[c.key()] = c
	}
}

// without removes one row and keeps the order.
func without[T any](rows []*T, row *T) []*T {
	i := slices.Index(rows, row)
	return slices.Delete(rows, i, i+1)
}
