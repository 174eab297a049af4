package otlp

import (
	"cmp"
	"slices"

	"github.com/bullpen-office/bullpen/contracts"
)

func (a *assembler) toolStart(l *track, h *contracts.HUD, at int64) {
	if h.CorrelationID != "" && a.callIndex(l, h) >= 0 {
		return // already started
	}
	a.Calls = append(a.Calls, a.newCall(l, h, at))
	if len(a.Calls) > contracts.LimitExportOpen {
		a.endCall(0, at, status{}, "")
	}
}

func (a *assembler) newCall(l *track, h *contracts.HUD, at int64) *call {
	c := &call{Agent: l.Agent, Session: l.Session, Correlation: h.CorrelationID, TaskID: h.TaskID, Tool: cmp.Or(h.Tool, "tool"), Rehearsal: h.Rehearsal, Start: at}
	if a.content {
		c.Args = string(h.Args)
	}
	id := cmp.Or(h.CorrelationID, h.UUID)
	if up, ok := a.enclosingTurn(l, h.ParentID); ok {
		c.Trace, c.Parent = up.Trace, up.Span
	} else {
		c.Trace = newTrace(a.Ledger, l.Agent, l.Session, "tool", id)
	}
	c.Span = newSpan(c.Trace, "tool", l.Agent, l.Session, id)
	return c
}

// enclosingTurn returns the turn that a call belongs to: the turn it names, otherwise the current
// turn of its session. It returns false if there is none.
func (a *assembler) enclosingTurn(l *track, parent string) (spanRef, bool) {
	if l.Turn != nil && (parent == "" || parent == l.Turn.Correlation) {
		return l.Turn.spanRef, true
	}
	for _, t := range slices.Backward(a.Ended) {
		if t.Agent == l.Agent && t.Session == l.Session && t.Correlation == parent {
			return t.spanRef, true
		}
	}
	if l.Turn != nil {
		return l.Turn.spanRef, true
	}
	return spanRef{}, false
}

// callIndex returns the index of the call that a fact belongs to: the call with the same
// correlation or, without a correlation, the oldest call to the same tool. It returns -1 if there
// is none.
func (a *assembler) callIndex(l *track, h *contracts.HUD) int {
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

func (a *assembler) toolEnd(l *track, h *contracts.HUD, at int64) {
	i := a.callIndex(l, h)
	if i < 0 { // the call's start was not reported: use its duration
		a.Calls = append(a.Calls, a.newCall(l, h, startTime(h, at)))
		i = len(a.Calls) - 1
	}
	result := ""
	if a.content {
		result = string(h.Result)
	}
	a.endCall(i, at, spanStatus(h), result)
}

func (a *assembler) endCall(i int, at int64, st status, result string) {
	c := a.Calls[i]
	a.Calls = slices.Delete(a.Calls, i, i+1)
	a.emitCall(c, max(at, c.Start), st, result)
}

// advance exports turns that have waited long enough for their token reports. It also calls giveUp
// for each track that has been silent for too long.
func (a *assembler) advance(now int64) {
	for len(a.Ended) > 0 && a.Ended[0].Ready <= now {
		a.emitTurn(a.Ended[0])
		a.Ended = slices.Delete(a.Ended, 0, 1)
	}
	for len(a.Tracks) > 0 && a.Tracks[0].Seen+contracts.OTLPTurnIdle.Milliseconds() <= now {
		a.giveUp(0)
	}
}

// giveUp drops a track and exports its open turn and calls, which end at its last activity.
func (a *assembler) giveUp(i int) {
	l := a.Tracks[i]
	a.Tracks = slices.Delete(a.Tracks, i, i+1)
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
