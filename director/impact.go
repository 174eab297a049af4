package director

import (
	"github.com/go-json-experiment/json/jsontext"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/hud"
	"github.com/bullpen-office/bullpen/hud/impact"
)

// impactOf returns the impact that the end of a call or turn has on the agent's work, or nil if there
// is none or the call is not open. It is derived here, while the arguments of the call are known,
// so that the record can be understood on its own.
func (a *act) impactOf(h *contracts.HUD) *contracts.Impact {
	if h.Event == contracts.HUDTurnEnd {
		return a.doneImpact(h)
	}
	c, in := a.w.Call(h.AgentID, h.Session, h.ParentID, h.CorrelationID)
	if c == nil || h.Event != contracts.HUDToolEnd {
		return nil
	}
	root := ""
	if in != nil {
		root = in.Root
	}
	return a.impact(h, impact.Call{Tool: c.Tool, Args: c.Args, Result: resultOf(h)}, root)
}

// resultOf returns the result of a call whose end was reported. It is never nil, because nil means
// that the end was not seen.
func resultOf(h *contracts.HUD) jsontext.Value {
	if h.Result == nil {
		return jsontext.Value("null")
	}
	return h.Result
}

// impact returns the impact of a call on the agent's work, or nil if it has none. It also returns
// nil for a rehearsal, which changes no files. h reports the end of the call.
func (a *act) impact(h *contracts.HUD, call impact.Call, root string) *contracts.Impact {
	if h.AgentID == "" || h.Rehearsal {
		return nil
	}
	e, ok := impact.Of(call, hud.RootsAt(root, ""))
	if !ok {
		return nil
	}
	e.At = a.endedAt(h)
	if e.Kind == contracts.ImpactCheck {
		e.Since = e.At
		if h.DurationMS != nil {
			e.Since = max(e.At-max(*h.DurationMS, 0), 0)
		}
	}
	return &e
}

// doneImpact returns the impact of a turn that the agent itself ended, or nil if the turn failed or
// was interrupted, or if the agent has edited nothing. Retention must keep the records of agents'
// last impacts, so unneeded impacts are avoided.
func (a *act) doneImpact(h *contracts.HUD) *contracts.Impact {
	ag := a.w.Agent(h.AgentID)
	if _, failed := h.Failure(); failed || h.Rehearsal || ag == nil || ag.Impacts.Edit == nil {
		return nil
	}
	return &contracts.Impact{Kind: contracts.ImpactDone, At: a.endedAt(h)}
}

// endedAt returns when a call or turn ended; a time in the future is treated as now.
func (a *act) endedAt(h *contracts.HUD) int64 {
	if h.At <= 0 || h.At > a.now.MS {
		return a.now.MS
	}
	return h.At
}
