package world

import (
	"cmp"

	"github.com/bullpen-office/bullpen/contracts"
)

// Impacts holds the last edit, the last check and the last other command of an agent and its
// sub-agents; a member is nil if there was none. "Last" means the latest time, because the reports of
// sub-agents may arrive in any order.
type Impacts struct {
	Edit    *LastImpact `json:"edit,omitzero"`
	Check   *LastImpact `json:"check,omitzero"`
	Command *LastImpact `json:"command,omitzero"`
}

// LastImpact is an impact with the seq of its record, which retention must keep if it is activity.
type LastImpact struct {
	Seq uint64 `json:"seq"`
	contracts.Impact
}

// foldImpact applies the impact of a finished call to its agent and to that agent's ancestors. The
// result depends only on the record and on who is in the office, because retention removes the
// start of the call.
func (w *World) foldImpact(rec *contracts.Record, h *contracts.HUDHead) {
	if h.Event != contracts.HUDToolEnd || h.Impact == nil {
		return
	}
	w.addImpact(h.AgentID, LastImpact{Seq: rec.Seq, Impact: *h.Impact})
}

// foldCheck applies a check that the office ran on the files of an agent's task. It is derived from the
// office's own record, because an agent can have a tool with any name.
func (w *World) foldCheck(e *contracts.Event, seq uint64, ts int64) {
	r, a := e.Check, w.agents[e.AgentID]
	if a == nil || a.TaskID != "" && a.TaskID != e.TaskID || r.Hosted() {
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
		a = w.agents[a.ParentID]
	}
}

func (e *Impacts) add(last LastImpact) {
	var to **LastImpact
	switch last.Kind {
	case contracts.ImpactEdit:
		to = &e.Edit
	case contracts.ImpactCheck:
		to = &e.Check
	case contracts.ImpactCommand:
		to = &e.Command
	default:
		return
	}
	if *to == nil || !last.before(*to) {
		*to = &last
	}
}

func (l *LastImpact) before(m *LastImpact) bool {
	return cmp.Or(cmp.Compare(l.At, m.At), cmp.Compare(l.Seq, m.Seq)) < 0
}

// seqs returns the seqs of the records that the impacts come from.
func (e *Impacts) seqs() (list []uint64) {
	for _, l := range []*LastImpact{e.Edit, e.Check, e.Command} {
		if l != nil {
			list = append(list, l.Seq)
		}
	}
	return list
}

// checked says whether the agent's edits were checked; nil if no edit was seen.
func (a *Agent) checked() *contracts.Checked {
	e := &a.Impacts
	if e.Edit == nil {
		return nil
	}
	row := &contracts.Checked{State: contracts.EditsUnchecked, Edit: *e.Edit.row(a)}
	if e.Check == nil {
		return row
	}
	row.Check = e.Check.row(a)
	switch {
	case e.Check.outdatedBy(e.Edit):
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

// outdatedBy reports whether o ended after the check l had begun, in which case the check may not
// have seen it.
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
