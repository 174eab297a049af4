package translate

import (
	"maps"
	"slices"
	"strconv"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/hud"
	"github.com/bullpen-office/bullpen/hud/status"
	"github.com/go-json-experiment/json/jsontext"
)

// call is a tool call in a run.
type call struct {
	id      string // the id used in facts
	call    hud.Call
	since   int64
	ended   bool
	pending *toolResult // the result, kept until the exit code arrives
	failed  bool        // the kept result is a failure
	output  *output     // end of the command's output
}

// tool handles the start, progress or result of a tool call.
func (r *Reader) tool(s *session, x *run, d streamData, m mark) {
	if d.ToolCallID == "" {
		return
	}
	switch d.Phase {
	case "start":
		c := r.beginCall(s, x, d.ToolCallID, hud.Call{Tool: d.Name, Args: d.Args}, m)
		if c != nil && !x.ended {
			line := hud.Label(hud.Canonical(c.call), nil, r.source(s).Roots)
			r.addEvidence(s.guestID, status.ToolStarted, c.id, "tool started: "+hud.Line(d.Name, contracts.LimitName), line)
		}
	case "update":
		if x.started && !x.ended {
			r.addEvidence(s.guestID, status.Sign, "", "tool running", "")
		}
	case "result":
		c := r.ensureCall(s, x, d.ToolCallID, hud.Call{Tool: d.Name}, m)
		if c == nil {
			return
		}
		r.addEvidence(s.guestID, status.ToolEnded, c.id, "tool ended", "")
		c.pending, c.failed = &d.Result, d.IsError
		if c.awaitsExitCode() {
			return
		}
		r.endCall(s, x, c, m)
	}
}

// awaitsExitCode reports whether a command's exit code is still missing.
func (c *call) awaitsExitCode() bool {
	return c.output == nil && !c.failed && hud.CanonicalTool(c.call.Tool) == "exec" && c.pending.Details.ExitCode == nil && c.pending.Details.Status == ""
}

// commandOutput adds the end of a command's output to the result of its call.
func (r *Reader) commandOutput(s *session, x *run, d streamData, m mark) {
	if x.started && !x.ended {
		r.addEvidence(s.guestID, status.Sign, "", "command output", "")
	}
	c := x.calls[d.ToolCallID]
	if d.Phase != "end" || c == nil || c.ended {
		return
	}
	c.output = &d.output
	if c.pending != nil {
		r.endCall(s, x, c, m)
	}
}

// endPending ends calls whose exit code never arrived.
func (r *Reader) endPending(s *session, x *run, m mark) {
	for _, id := range slices.Clone(x.open) {
		if c := x.calls[id]; c.pending != nil {
			r.endCall(s, x, c, m)
		}
	}
}

// ensureCall returns an open call, and starts it if its start was missed. It returns nil if the call
// has ended or cannot be started.
func (r *Reader) ensureCall(s *session, x *run, id string, what hud.Call, m mark) *call {
	if c := x.calls[id]; c != nil {
		if c.ended {
			return nil
		}
		return c
	}
	return r.beginCall(s, x, id, what, m)
}

// beginCall starts a tool call and returns it. It returns nil if the call is already open or the run
// has too many open calls. Reusing the id of an ended call starts another call.
func (r *Reader) beginCall(s *session, x *run, id string, what hud.Call, m mark) *call {
	if c := x.calls[id]; c != nil && !c.ended || len(x.open) >= contracts.LimitGatewayCalls {
		return nil
	}
	if !x.ended {
		r.begin(s, x, m)
	}
	x.forgetCalls()
	c := &call{id: id, call: what, since: m.at}
	if x.idCounts[id]++; x.idCounts[id] > 1 {
		c.id += "#" + strconv.Itoa(x.idCounts[id])
	}
	x.calls[id] = c
	x.open = append(x.open, id)
	h := hud.ToolStart(r.source(s), r.uuid(s, contracts.HUDToolStart, x.id+"/"+c.id), hud.Span{Correlation: c.id, Parent: x.id}, what)
	r.addHUD(m.on(h), nil)
	return c
}

// forgetCalls drops a run's ended calls if the run has too many calls. If the result of a dropped
// call arrives again, it produces the same fact.
func (x *run) forgetCalls() {
	if len(x.calls) < 4*contracts.LimitGatewayCalls {
		return
	}
	maps.DeleteFunc(x.calls, func(_ string, c *call) bool { return c.ended })
	clear(x.idCounts)
}

// endCall ends a call with its result.
func (r *Reader) endCall(s *session, x *run, c *call, m mark) {
	took := since(c.since, m.at)
	if took == 0 && c.output != nil && c.output.DurationMS != nil {
		took = milliseconds(*c.output.DurationMS)
	}
	r.closeCall(s, x, c, m, resultOf(c), took)
}

// failCall ends a call that has no result.
func (r *Reader) failCall(s *session, x *run, c *call, m mark, reason string) {
	r.closeCall(s, x, c, m, hud.FailedCall(c.call, reason), since(c.since, m.at))
}

func (r *Reader) closeCall(s *session, x *run, c *call, m mark, result hud.Result, took duration) {
	c.ended = true
	for i, id := range x.open {
		if x.calls[id] == c {
			x.open = slices.Delete(x.open, i, i+1)
			break
		}
	}
	span := hud.Span{Correlation: c.id, Parent: x.id}
	end, whole := hud.ToolEnd(r.source(s), r.uuid(s, contracts.HUDToolEnd, x.id+"/"+c.id), span, c.call, result, took)
	r.addHUD(m.on(end), whole)
	c.call.Args, c.pending, c.output = nil, nil, nil // only the id of an ended call is needed
}

// textOf returns the value of a string, the message of an object, or "" for anything else.
func textOf(v jsontext.Value) string {
	var text string
	if Decode(v, &text) == nil {
		return text
	}
	var object struct {
		Message string `json:"message"`
	}
	if Decode(v, &object) == nil && object.Message != "" {
		return object.Message
	}
	return ""
}
