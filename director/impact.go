package director

import (
	"github.com/go-json-experiment/json/jsontext"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/hud"
	"github.com/bullpen-office/bullpen/hud/impact"
)

// impactOf returns what the reported end of a call means for the agent's work; nil if it means nothing
// or the call is not open. It is derived here, while the arguments of the call are known, so that the
// record can be understood on its own.
func (a *act) impactOf(h *contracts.HUD) *contracts.Impact {
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

// resultOf returns the result of a call whose end was reported. It is never nil, because nil means that
// the end was not seen.
func resultOf(h *contracts.HUD) jsontext.Value {
	if h.Result == nil {
		return jsontext.Value("null")
	}
	return h.Result
}

// impact returns what a call means for the agent's work, or nil if it means nothing; h reports the
// end of the call. A rehearsal changes no files.
func (a *act) impact(h *contracts.HUD, call impact.Call, root string) *contracts.Impact {
	if h.AgentID == "" || h.Rehearsal {
		return nil
	}
	e, ok := impact.Of(call, hud.RootsAt(root, ""))
	if !ok {
		return nil
	}
	if e.At = h.At; e.At <= 0 || e.At > a.now.MS {
		e.At = a.now.MS
	}
	if e.Kind == contracts.ImpactCheck {
		e.Since = e.At
		if h.DurationMS != nil {
			e.Since = max(e.At-max(*h.DurationMS, 0), 0)
		}
	}
	return &e
}
