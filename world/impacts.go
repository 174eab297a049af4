package world

import (
	"cmp"

	"github.com/bullpen-office/bullpen/contracts"
)

// Impacts holds the last actions of an agent and its sub-agents; a field is nil if there was no
// such action. The last action is the one with the latest time, because reports may arrive in any
// order.
type Impacts struct {
	Edit    *LastImpact `json:"edit,omitzero"`
	Code    *LastImpact `json:"code,omitzero"` // the last edit that changed more than prose
	Check   *LastImpact `json:"check,omitzero"`
	Command *LastImpact `json:"command,omitzero"`
	Done    *LastImpact `json:"done,omitzero"` // the last turn that the agent itself ended; turns of its sub-agents do not count

	// Listed is the time of the last code edit in the agent's newest inbox entry; 0 if there is no
	// entry, or if the session continued after the entry was added.
	Listed int64 `json:"listed,omitzero"`
}

// LastImpact is an impact with the seq of its record. If the record is activity, retention must
// keep it.
type LastImpact struct {
	Seq uint64 `json:"seq"`
	contracts.Impact
}

// foldImpact applies the impact of a finished call to its agent and to that agent's ancestors, and
// the impact of a finished turn to its agent only. It does not use the start of the call or turn,
// because retention may have removed it.
func (w *World) foldImpact(rec *contracts.Record, h *contracts.HUDHead) {
	if h.Impact == nil || (h.Event == contracts.HUDTurnEnd) != (h.Impact.Kind == contracts.ImpactDone) {
		return
	}
	w.addImpact(h.AgentID, LastImpact{Seq: rec.Seq, Impact: *h.Impact})
}

// foldCheck applies a check that the office ran on the files of an agent's task. It uses the
// office's own record, not a tool call, because an agent can have a tool with any name.
func (w *World) foldCheck(e *contracts.Event, seq uint64, ts int64) {
	r, a := e.Check, w.agents[e.AgentID]
	if a == nil || a.TaskID != "" && a.TaskID != e.TaskID || r.Hosted() || r.End == contracts.EndNotRun {
		return
	}
	last := LastImpact{Seq: seq, Impact: contracts.Impact{
		Kind: contracts.ImpactCheck, At: min(r.Started+r.DurationMS, ts), Since: r.Started, What: contracts.Clip(contracts.CleanLine(r.Command), contracts.LimitPreview), Outcome: contracts.OutcomeFailed,
	}}
	if r.End == contracts.EndExited {
		last.ExitCode = &r.ExitCode
	}
	if r.Passed() {
		last.Outcome = contracts.OutcomePassed
	}
	w.addImpact(e.AgentID, last)
}

// addImpact adds an impact to an agent and its ancestors.
func (w *World) addImpact(agentID string, last LastImpact) {
	last.AgentID = agentID
	a := w.agents[agentID]
	for range w.s.Agents { // an agent may be its own ancestor
		if a == nil {
			return
		}
		a.Impacts.add(last)
		if last.Kind == contracts.ImpactDone {
			return
		}
		a = w.agents[a.ParentID]
	}
}

func (e *Impacts) add(last LastImpact) {
	switch last.Kind {
	case contracts.ImpactEdit:
		last.replace(&e.Edit)
		if !last.Prose {
			last.replace(&e.Code)
		}
	case contracts.ImpactCheck:
		last.replace(&e.Check)
	case contracts.ImpactCommand:
		last.replace(&e.Command)
	case contracts.ImpactDone:
		last.replace(&e.Done)
	}
}

// replace sets *earlier to l, unless *earlier happened after l.
func (l LastImpact) replace(earlier **LastImpact) {
	if *earlier == nil || !l.before(*earlier) {
		*earlier = &l
	}
}

func (l *LastImpact) before(m *LastImpact) bool {
	return cmp.Or(cmp.Compare(l.At, m.At), cmp.Compare(l.Seq, m.Seq)) < 0
}

// seqs returns the seqs of the records that the impacts come from.
func (e *Impacts) seqs() (list []uint64) {
	for _, l := range []*LastImpact{e.Edit, e.Code, e.Check, e.Command, e.Done} {
		if l != nil {
			list = append(list, l.Seq)
		}
	}
	return list
}

// Unchecked describes the agent's last code edit if no check has verified it. It returns nil if there was
// no such edit, or if the edit may have been checked.
func (a *Agent) Unchecked() *contracts.Checked {
	if c := a.checked(a.Impacts.Code); c != nil && c.State.Unproven() {
		return c
	}
	return nil
}

// checked describes whether an edit was checked, or returns nil if there was no edit.
func (a *Agent) checked(edit *LastImpact) *contracts.Checked {
	e := &a.Impacts
	if edit == nil {
		return nil
	}
	row := &contracts.Checked{State: contracts.EditsUnchecked, Edit: *edit.row(a)}
	if e.Done != nil && e.Done.At >= edit.At {
		row.DoneAt = e.Done.At
	}
	if e.Check == nil {
		return row
	}
	row.Check = e.Check.row(a)
	switch {
	case e.Check.outdatedBy(edit):
		row.State = contracts.EditsStale
	case e.Check.Outcome == contracts.OutcomeFailed:
		row.State = contracts.EditsFailed
	case e.Check.Outcome != contracts.OutcomePassed:
		row.State = contracts.EditsUnknown
	case e.Command != nil && e.Check.outdatedBy(e.Command):
		row.State, row.Command = contracts.EditsUnknown, e.Command.row(a)
	default:
		row.State = contracts.EditsChecked
	}
	return row
}

// outdatedBy reports whether o ended after l, a check, had begun; if so, l may not cover o.
func (l *LastImpact) outdatedBy(o *LastImpact) bool {
	return o.At > l.Since || o.At == l.At && o.Seq > l.Seq
}

// row returns the impact for a snapshot. AgentID is kept only if it names a sub-agent.
func (l *LastImpact) row(of *Agent) *contracts.Impact {
	e := l.Impact
	if e.AgentID == of.AgentID {
		e.AgentID = ""
	}
	return &e
}
