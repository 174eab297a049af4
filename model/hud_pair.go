package model

import (
	"cmp"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/bullpen-office/bullpen/contracts"
)

// Limits on how much activity is kept, per agent and in total.
const (
	limitNodesPerAgent = 100
	limitNodes         = 400
	limitChildren      = 100
)

// activity pairs start and end facts into a tree: turns at the root, tool calls and thoughts inside
// them (H3).
type activity struct{ roots []*Node }

func (a *activity) apply(h *contracts.HUD, ts int64) {
	kind, phase := splitEvent(h.Event)
	if phase == "end" {
		a.end(kind, h, ts)
		return
	}
	n := startNode(kind, phase, h, ts)
	known := findNode(a.roots, func(o *Node) bool { return o.ID == h.UUID || isPair(o, kind, h) })
	if known == nil {
		a.place(n, h.ParentID)
		return
	}
	// The end arrived first, because history was read while live facts were coming in.
	early := findNode(a.roots, func(o *Node) bool { return o.ID == o.EndID && isPair(o, kind, h) })
	if early == nil {
		return
	}
	early.ID, early.Args, early.StartedAt = n.ID, n.Args, n.StartedAt
	early.Label = cmp.Or(early.Label, n.Label)
}

func splitEvent(e contracts.HUDEvent) (kind NodeType, phase string) {
	if e == contracts.HUDReceived {
		return NodeReceived, "instant"
	}
	name, phase, _ := strings.Cut(string(e), "_")
	if phase != "end" {
		phase = "start"
	}
	return NodeType(name), phase
}

func startNode(kind NodeType, phase string, h *contracts.HUD, ts int64) *Node {
	n := &Node{
		ID: h.UUID, CorrelationID: h.CorrelationID, Type: kind, Subtype: h.Subtype, State: NodeRunning, Label: label(h, h.Args),
		Tool: h.Tool, Args: firstNonNil(h.Args, h.Payload), StartedAt: cmp.Or(h.At, ts), Replay: h.Replay,
		AgentID: h.AgentID, Session: h.Session, TaskID: h.TaskID, Rehearsal: h.Rehearsal, Usage: h.Usage,
	}
	if phase == "instant" {
		n.State, n.EndedAt, n.Ended = NodeDone, n.StartedAt, true
	}
	return n
}

func firstNonNil(values ...jsontext.Value) jsontext.Value {
	for _, v := range values {
		if v != nil {
			return v
		}
	}
	return nil
}

// isPair reports whether a fact and a node have the same correlationId, type and agent.
func isPair(n *Node, kind NodeType, h *contracts.HUD) bool {
	return h.CorrelationID != "" && n.Type == kind && n.CorrelationID == h.CorrelationID && n.AgentID == h.AgentID
}

// place inserts a node into its turn or, if the turn is unknown, at the root.
func (a *activity) place(n *Node, parent string) {
	if parent != "" {
		turn := findNode(a.roots, func(o *Node) bool { return o.Type == NodeTurn && o.CorrelationID == parent && o.AgentID == n.AgentID })
		if turn != nil {
			turn.Children = insertNode(turn.Children, n)
			if over := len(turn.Children) - limitChildren; over > 0 {
				turn.Children = slices.Delete(turn.Children, 0, over)
			}
			return
		}
	}
	a.roots = insertNode(a.roots, n)
	a.trim(n.AgentID)
}

func (a *activity) trim(agent string) {
	own, oldest := 0, -1
	for i, n := range a.roots {
		if n.AgentID == agent {
			if own++; oldest < 0 {
				oldest = i
			}
		}
	}
	if own > limitNodesPerAgent {
		a.roots = slices.Delete(a.roots, oldest, oldest+1)
	}
	if over := len(a.roots) - limitNodes; over > 0 {
		a.roots = slices.Delete(a.roots, 0, over)
	}
}

// end closes the node with the same correlationId. If there is no such node, it closes the oldest
// running node of the same type, agent and tool. If no node matches, an end with a correlationId
// becomes a node of its own. A repeated end changes nothing.
func (a *activity) end(kind NodeType, h *contracts.HUD, ts int64) {
	if findNode(a.roots, func(n *Node) bool { return n.EndID == h.UUID }) != nil {
		return
	}
	if findNode(a.roots, func(n *Node) bool { return isPair(n, kind, h) }) != nil {
		if n := findNode(a.roots, func(n *Node) bool { return isPair(n, kind, h) && n.State == NodeRunning }); n != nil {
			n.close(h, ts)
		}
		return
	}
	if n := findNode(a.roots, func(n *Node) bool { return waits(n, kind, h) }); n != nil {
		n.close(h, ts)
		return
	}
	if h.CorrelationID == "" {
		return
	}
	n := startNode(kind, "start", h, ts)
	if h.DurationMS != nil {
		n.StartedAt -= *h.DurationMS
	}
	n.close(h, ts)
	a.place(n, h.ParentID)
}

func waits(n *Node, kind NodeType, h *contracts.HUD) bool {
	return n.State == NodeRunning && n.Type == kind && n.AgentID == h.AgentID && n.Tool == h.Tool
}

func (n *Node) close(h *contracts.HUD, ts int64) {
	n.EndID, n.State, n.EndedAt, n.Ended = h.UUID, NodeDone, cmp.Or(h.At, ts), true
	if failed(h.Result) {
		n.State = NodeFailed
	}
	switch {
	case h.Label != "":
		n.Label = h.Label
	case h.Tool != "":
		n.Label = label(h, n.Args)
	}
	n.Result = firstNonNil(h.Result, n.Result)
	n.Said = cmp.Or(h.Said, n.Said)
	if h.Usage != nil {
		n.Usage = h.Usage
	}
	n.DurationMS = max(0, n.EndedAt-n.StartedAt)
	if h.DurationMS != nil {
		n.DurationMS = *h.DurationMS
	}
}

func failed(result jsontext.Value) bool {
	var r struct {
		OK    *bool `json:"ok"`
		Error any   `json:"error"`
	}
	if result == nil || json.Unmarshal(result, &r) != nil {
		return false
	}
	_, said := r.Error.(string)
	return said || r.OK != nil && !*r.OK
}
