package model

import (
	"cmp"
	"maps"
	"slices"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/world/scene"
)

// limitTail is how many records are kept after the newest snapshot. Snapshots arrive twice a
// second, so the limit is reached only if they stop.
const limitTail = 4096

// agreeWithin is how far a motion may deviate from the snapshot's position, in metres.
const agreeWithin = 0.5

// history is the state of the world: the newest snapshot plus the later records. The records are
// applied in ledger order, regardless of their order of arrival. An older snapshot never reverts a
// newer record, and a record that is already in the snapshot is not applied again.
type history struct {
	rows     Rows
	motions  map[string]*Motion
	verdicts map[string]verdict // verdicts on guests, kept because snapshots do not include the evidence

	base    Rows
	baseSeq uint64
	baseTS  int64
	tail    []Message
}

type verdict struct {
	contracts.AgentStatus
	seq uint64
}

func newHistory() history {
	return history{motions: map[string]*Motion{}, verdicts: map[string]verdict{}}
}

// includes reports whether the snapshot already includes a record.
func (h *history) includes(seq uint64) bool { return seq <= h.baseSeq }

func (h *history) snapshot(m Message, s *contracts.Snapshot) {
	if m.Seq < h.baseSeq || (m.Seq == h.baseSeq && m.TS < h.baseTS) {
		return
	}
	h.base = h.base.clone()
	h.base.foldSnapshot(s)
	h.baseSeq, h.baseTS = m.Seq, m.TS
	for i := range s.Agents {
		h.check(&s.Agents[i])
	}
	if s.Mode != "delta" {
		h.forget()
	}
	h.tail = slices.DeleteFunc(h.tail, func(m Message) bool { return h.includes(m.Seq) })
	h.refold()
}

func (h *history) record(m Message) {
	if m.Seq == 0 {
		return
	}
	switch p := m.Payload.(type) {
	case *contracts.AgentGoal:
		h.move(p, m)
	case *contracts.Event:
		h.judge(p, m.Seq)
	}
	if h.includes(m.Seq) {
		return
	}
	at, known := slices.BinarySearchFunc(h.tail, m.Seq, func(old Message, seq uint64) int {
		return cmp.Compare(old.Seq, seq)
	})
	if known {
		return
	}
	h.tail = slices.Insert(h.tail, at, m)
	if at < len(h.tail)-1 {
		h.refold()
		return
	}
	h.rows.foldRecord(m)
	h.trim()
}

func (h *history) refold() {
	h.rows = h.base.clone()
	for _, m := range h.tail {
		h.rows.foldRecord(m)
	}
}

func (r *Rows) foldRecord(m Message) {
	switch p := m.Payload.(type) {
	case *contracts.Event:
		r.foldEvent(p, m.TS)
	case *contracts.AgentGoal:
		r.foldGoal(p)
	}
}

func (h *history) trim() {
	for len(h.tail) > limitTail {
		h.base.foldRecord(h.tail[0])
		h.baseSeq = h.tail[0].Seq
		h.tail = slices.Delete(h.tail, 0, 1)
	}
}

func (h *history) move(g *contracts.AgentGoal, m Message) {
	if old := h.motions[g.AgentID]; old != nil && old.Seq >= m.Seq {
		return
	}
	started := cmp.Or(g.StartedAt, m.TS)
	h.motions[g.AgentID] = &Motion{m.Seq, g.Path, g.SpeedMPS, started, g.Facing, g.State, g.Goal, g.Why}
	if row := h.base.Agent(g.AgentID); row != nil {
		h.check(row)
	}
}

func (h *history) judge(e *contracts.Event, seq uint64) {
	switch {
	case e.Name == contracts.EventAgentLeft:
		delete(h.verdicts, e.AgentID)
	case e.Name == contracts.EventAgentStatus && e.Status != nil && h.verdicts[e.Status.AgentID].seq < seq:
		h.verdicts[e.Status.AgentID] = verdict{*e.Status, seq}
	}
}

// forget removes the motions and verdicts of agents that have left.
func (h *history) forget() {
	maps.DeleteFunc(h.motions, func(id string, m *Motion) bool { return h.includes(m.Seq) && h.base.Agent(id) == nil })
	maps.DeleteFunc(h.verdicts, func(id string, v verdict) bool { return h.includes(v.seq) && h.base.Agent(id) == nil })
}

// check drops a motion that the snapshot contradicts. A contradiction means that a newer goal was
// missed.
func (h *history) check(row *contracts.Agent) {
	m := h.motions[row.AgentID]
	if m == nil || !h.includes(m.Seq) {
		return
	}
	at := position(row, m, h.baseTS).Pos
	sameState := m.State == "" || m.State == row.State
	if m.Goal != row.Goal || !sameState || scene.Length([]contracts.Vec3{at, row.Pos}) >= agreeWithin {
		delete(h.motions, row.AgentID)
	}
}
