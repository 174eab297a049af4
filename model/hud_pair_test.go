package model

import (
	"fmt"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/bullpen-office/bullpen/contracts"
)

// treeOf folds facts and returns the tree as text, one line per node.
func treeOf(facts ...contracts.HUD) string {
	var a activity
	for i := range facts {
		a.apply(&facts[i], int64(1000+i*100))
	}
	var draw func(nodes []*Node, indent string) string
	draw = func(nodes []*Node, indent string) string {
		out := ""
		for _, n := range nodes {
			out += fmt.Sprintf("%s%s %s %s\n", indent, n.Type, n.State, n.Label)
			out += draw(n.Children, indent+"  ")
		}
		return out
	}
	return draw(a.roots, "")
}

func fact(id string, event contracts.HUDEvent, correlation, parent, tool string) contracts.HUD {
	return contracts.HUD{UUID: id, Event: event, CorrelationID: correlation, ParentID: parent, Tool: tool, AgentID: "agent_a"}
}

// TestPairing checks H3 on the displayed tree.
func TestPairing(t *testing.T) {
	long := int64(700)
	orphan := fact("7", contracts.HUDToolEnd, "c9", "t1", "exec")
	orphan.DurationMS = &long
	bad := fact("8", contracts.HUDToolEnd, "c1", "t1", "read")
	bad.Result = jsontext.Value(`{"ok":false}`)
	read := fact("2", contracts.HUDToolStart, "c1", "t1", "read")
	read.Args = jsontext.Value(`{"path":"a.go","offset":3,"limit":4}`)
	turn, turnEnd := fact("1", contracts.HUDTurnStart, "t1", "", ""), fact("3", contracts.HUDTurnEnd, "t1", "", "")
	for name, c := range map[string]struct {
		facts []contracts.HUD
		want  string
	}{
		"a tool inside its turn, failed": {[]contracts.HUD{turn, read, bad, turnEnd}, "turn done Turn\n  tool error 👁 a.go:L3–L7\n"},
		"a second end is dropped":        {[]contracts.HUD{turn, turnEnd, fact("4", contracts.HUDTurnEnd, "t1", "", "")}, "turn done Turn\n"},
		"the same facts twice":           {[]contracts.HUD{turn, read, turn, read}, "turn running Turn\n  tool running 👁 a.go:L3–L7\n"},
		"an end without a start":         {[]contracts.HUD{turn, orphan}, "turn running Turn\n  tool done exec\n"},
		"an end before its start":        {[]contracts.HUD{turn, bad, read}, "turn running Turn\n  tool error read\n"},
		"without an id, the oldest call of the tool ends": {[]contracts.HUD{
			fact("a", contracts.HUDToolStart, "", "", "exec"), fact("b", contracts.HUDToolStart, "", "", "read"),
			fact("c", contracts.HUDToolEnd, "", "", "read"), fact("d", contracts.HUDToolEnd, "", "", "write")}, "tool running exec\ntool done read\n"},
		"someone else's turn": {[]contracts.HUD{turn, {UUID: "x", Event: contracts.HUDToolStart, CorrelationID: "c", ParentID: "t1", Tool: "ls", AgentID: "agent_b"}},
			"turn running Turn\ntool running ls\n"},
	} {
		if got := treeOf(c.facts...); got != c.want {
			t.Errorf("%s:\n%swant:\n%s", name, got, c.want)
		}
	}
}

// TestActivityIsBounded checks that the number of nodes at the root is limited, however much
// activity there is.
func TestActivityIsBounded(t *testing.T) {
	var a activity
	for i := range 3000 {
		h := fact(fmt.Sprint("t", i), contracts.HUDTurnStart, fmt.Sprint("t", i), "", "")
		h.AgentID = fmt.Sprint("agent_", i%7)
		a.apply(&h, int64(i))
		kid := fact(fmt.Sprint("k", i), contracts.HUDToolStart, fmt.Sprint("k", i), "t2990", "x")
		kid.AgentID = fmt.Sprint("agent_", 2990%7)
		a.apply(&kid, int64(i))
	}
	if n := len(a.roots); n > limitNodes {
		t.Errorf("%d roots are kept", n)
	}
}

func TestUnsignedLabels(t *testing.T) {
	for in, want := range map[string]string{"⚡ npm test": "npm test", "✏️ a.md": "a.md", "→ b": "→ b", "plain": "plain", "": "", "12° out": "12° out"} {
		if got := Unsigned(in); got != want {
			t.Errorf("%q became %q", in, got)
		}
	}
}
