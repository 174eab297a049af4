package otlp

import (
	"cmp"
	"slices"

	"github.com/bullpen-office/bullpen/contracts"
)

func (a *assembler) toolStart(l *lane, h *contracts.HUD, at int64) {
	if h.CorrelationID != "" && a.callIndex(l, h) >= 0 {
		return // already started
	}
	a.Calls = append(a.Calls, a.newCall(l, h, at))
	if len(a.Calls) > contracts.LimitExportOpen {
		a.endCall(0, at, status{}, "")
	}
}

func (a *assembler) newCall(l *lane, h *contracts.HUD, at int64) *call {
	c := &call{Agent: l.Agent, Session: l.Session, Correlation: h.CorrelationID, TaskID: h.TaskID, Tool: cmp.Or(h.Tool, "tool"), Rehearsal: h.Rehearsal, Start: at}
	if a.content {
		c.Args = string(h.Args)
	}
	id := cmp.Or(h.CorrelationID, h.UUID)
	if up, ok := a.around(l, h.ParentID); ok {
		c.Trace, c.Parent = up.Trace, up.Span
	} else {
		c.Trace = newTrace(a.Ledger, l.Agent, l.Session, "tool", id)
	}
	c.Span = newSpan(c.Trace, "tool", l.Agent, l.Session, id)
	return c
}

// around returns the turn that a call belongs to: the turn it names, otherwise the current turn of
// its session. It returns false if there is none.
func (a *assembler) around(l *lane, parent string) (place, bool) {
	if l.Turn != nil && (parent == "" || parent == l.Turn.Correlation) {
		return l.Turn.place, true
	}
	for _, t := range slices.Backward(a.Ended) {
		if t.Agent == l.Agent && t.Session == l.Session && t.Correlation == parent {
			return t.place, true
		}
	}
	if l.Turn != nil {
		return l.Turn.place, true
	}
	return place{}, false
}

// callIndex returns the index of the call that a fact belongs to: the call with the same
// correlation or, without a correlation, the oldest call of the same tool. It returns -1 if there
// is none.
func (a *assembler) callIndex(l *lane, h *contracts.HUD) int {
	return slices.IndexFunc(a.Calls, func(c *call) bool {
		if c.Agent != l.Agent || c.Session != l.Session {
			return false
		}
		if h.CorrelationID == "" {
			return c.Tool == cmp.Or(h.Tool, "tool")
		}
		return c.Correlation == h.CorrelationID
	})
}

func (a *assembler) toolEnd(l *lane, h *contracts.HUD, at int64) {
	i := a.callIndex(l, h)
	if i < 0 { // the call's start was not reported: use its duration
		a.Calls = append(a.Calls, a.newCall(l, h, began(h, at)))
		i = len(a.Calls) - 1
	}
	result := ""
	if a.content {
		result = string(h.Result)
	}
	a.endCall(i, at, verdict(h), result)
}

func (a *assembler) endCall(i int, at int64, st status, result string) {
	c := a.Calls[i]
	a.Calls = slices.Delete(a.Calls, i, i+1)
	a.emitCall(c, max(at, c.Start), st, result)
}

// pass exports turns that have waited long enough for their token reports. It also calls giveUp for
// each lane that has been silent for too long.
func (a *assembler) pass(now int64) {
	for len(a.Ended) > 0 && a.Ended[0].Ready <= now {
		a.emitTurn(a.Ended[0])
		a.Ended = slices.Delete(a.Ended, 0, 1)
	}
	for len(a.Lanes) > 0 && a.Lanes[0].Seen+contracts.OTLPPatience.Milliseconds() <= now {
		a.giveUp(0)
	}
}

// giveUp drops a lane and exports its open turn and calls, which end at its last activity.
func (a *assembler) giveUp(i int) {
	l := a.Lanes[i]
	a.Lanes = slices.Delete(a.Lanes, i, i+1)
	for j := len(a.Calls) - 1; j >= 0; j-- {
		if c := a.Calls[j]; c.Agent == l.Agent && c.Session == l.Session {
			a.endCall(j, l.Seen, status{}, "")
		}
	}
	if t := l.Turn; t != nil {
		t.End = max(l.Seen, t.Start)
		a.emitTurn(t)
	}
}
