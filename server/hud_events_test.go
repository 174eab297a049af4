package server

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/view"
)

// A HUD event from an unknown agent whose name is taken creates a guest with a number after the
// name, and the reply says so (U9).
func TestHUDEventNamesTheGuest(t *testing.T) {
	r := startRig(t, Config{})
	reply := r.emit("/v1/events?agent=Ada", `{"type":"hud","event":"turn_start","id":"a1","correlationId":"turn-1"}`)
	if !strings.Contains(reply.Note, `a new guest joined as "Ada 2"`) {
		t.Errorf("%+v", reply)
	}
}

// Any framework can report turns, thinking and tools as HUD events (U10).
func TestHUDEvents(t *testing.T) {
	r := startRig(t, withoutCrew())
	const turn = `"parentId":"turn-1"`
	lines := []string{
		`{"type":"hud","event":"turn_start","id":"11111111-1111-4111-8111-111111111111","correlationId":"turn-1","ts":1741995000000}`,
		`{"type":"hud","event":"think_start","id":"a2","correlationId":"think-1",` + turn + `,"ts":1741995000050}`,
		`{"type":"hud","event":"think_end","id":"a3","correlationId":"think-1",` + turn + `,"ts":1741995000820,"durationMs":770}`,
		`{"type":"hud","event":"tool_start","id":"a4","correlationId":"call_123","tool":"read","args":{"path":"workspace-titan/SOUL.md","api_key":"sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789"},` + turn + `,"ts":1741995001000}`,
		`{"type":"hud","event":"tool_end","id":"a5","correlationId":"call_123","tool":"read","result":{"ok":true,"text":"# SOUL\n","bytes":2048},` + turn + `,"ts":1741995001210}`,
		`{"type":"hud","event":"tool_start","id":"a6","correlationId":"call_124","tool":"exec","args":{"command":"make"},` + turn + `,"ts":1741995001300}`,
		`{"type":"hud","event":"tool_end","id":"a7","correlationId":"call_124","tool":"exec","result":{"ok":false,"exitCode":2,"stdout":"bad"},` + turn + `,"ts":1741995001400,"durationMs":100}`,
		`{"type":"hud","event":"received","id":"a8","subtype":"message","label":"message received","payload":{"preview":"hello world"},"ts":1741995002000}`,
		`{"type":"hud","id":"a9","ts":1741995004500,"v":1,"payload":{"event":"turn_end","correlationId":"turn-1","said":"Done."}}`,
	}
	first := r.emit("/v1/events?agent=titan&session=web", strings.Join(lines, "\n"))
	facts := r.facts("agent_titan")
	if len(facts) != len(lines) || first.Failed != 0 {
		t.Fatalf("%d facts, %+v", len(facts), first)
	}
	var got []string
	for i, f := range facts {
		got = append(got, strings.Join([]string{string(f.Event), f.Tool, f.CorrelationID, f.ParentID, f.Subtype}, " "))
		if f.Session != "web" || f.At == 0 || f.UUID == "" || first.Results[i].Seq == 0 {
			t.Errorf("%+v", f)
		}
	}
	want := []string{
		"turn_start  turn-1  ", "think_start  think-1 turn-1 ", "think_end  think-1 turn-1 ", "tool_start read call_123 turn-1 ", "tool_end read call_123 turn-1 ",
		"tool_start exec call_124 turn-1 ", "tool_end exec call_124 turn-1 ", "received    message", "turn_end  turn-1  ",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	for i, ms := range map[int]int64{2: 770, 4: 210, 6: 100, 8: 4500} {
		if d := facts[i].DurationMS; d == nil || *d != ms {
			t.Errorf("%s took %v, want %d", got[i], d, ms)
		}
	}
	read, exec := string(facts[4].Result), string(facts[6].Result)
	if !strings.Contains(read, `"path":"workspace-titan/SOUL.md"`) || !strings.Contains(read, `"bytes":2048`) || !strings.Contains(exec, `"exitCode":2,"stdout":"bad"`) {
		t.Errorf("%s %s", read, exec)
	}
	if strings.Contains(string(facts[3].Args), "sk-ant") || facts[8].Said != "Done." || string(facts[7].Payload) != `{"preview":"hello world"}` {
		t.Errorf("%s %q %s", facts[3].Args, facts[8].Said, facts[7].Payload)
	}
	again := r.emit("/v1/events?agent=titan&session=web", strings.Join(lines, "\n"))
	for i, n := range again.Results {
		if !n.Duplicate || n.Seq != first.Results[i].Seq {
			t.Errorf("%s again: %+v", got[i], n)
		}
	}
	if n := r.emit("/v1/events?agent=titan&session=web", strings.Replace(lines[4], `"a5"`, `"b5"`, 1)); n.Ignored == "" || len(r.facts("agent_titan")) != len(lines) {
		t.Errorf("a second end: %+v", n)
	}
	for body, field := range map[string]string{
		`{"type":"hud","event":"sing"}`: "event", `{"type":"hud","event":"received","subtype":"applause"}`: "subtype",
		`{"type":"hud","event":"tool_start"}`: "tool", `{"type":"hud","event":"tool_end"}`: "correlationId", `{"type":"hud"}`: "event",
	} {
		if code, answer := r.post("/v1/events", body); code != 400 || !strings.Contains(answer, `"field":"`+field+`"`) {
			t.Errorf("%s: %d %s", body, code, answer)
		}
	}
	if _, answer := r.post("/v1/events?dry_run=1&agent=titan", lines[3]); !strings.Contains(answer, `"event":"tool_start"`) || strings.Contains(answer, "sk-ant") {
		t.Error(answer)
	}
	// An end with neither an id nor a start gets its own id.
	ends := `{"type":"hud","event":"turn_end","id":"c1"}` + "\n" + `{"type":"hud","event":"think_end","id":"c2"}`
	r.emit("/v1/events?agent=ender", ends)
	if facts := r.facts("agent_ender"); len(facts) != 2 || facts[0].CorrelationID == "" || facts[1].CorrelationID == "" || facts[0].CorrelationID == facts[1].CorrelationID {
		t.Errorf("ends without a start: %+v", facts)
	}
	if evidence := says(r.explain("agent_ender")); !slices.Contains(evidence, "stopped thinking") || slices.Contains(evidence, "thinking") {
		t.Errorf("after the end of thinking: %q", evidence)
	}
	// The agent's status follows its reports.
	r.emit("/v1/events?agent=mover", `{"type":"hud","event":"turn_start","correlationId":"m1","label":"Tidy up"}`)
	r.untilListed("agent_mover", func(a view.AgentRow) bool { return a.Activity == contracts.ActivityWorking })
	r.emit("/v1/events?agent=mover", `{"type":"hud","event":"turn_end","correlationId":"m1"}`)
	r.untilListed("agent_mover", func(a view.AgentRow) bool { return a.Activity == contracts.ActivityIdle })
}
