package hud

import (
	"strings"
	"testing"
	"time"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
)

var source = Source{AgentID: "agent_eng_1", Session: "rehearsal:agent_eng_1", TaskID: "task_a", Rehearsal: true}

// encoded returns the JSON that the ledger stores for a fact.
func encoded(t *testing.T, h contracts.HUD) string {
	t.Helper()
	r, err := contracts.NewRecord(1, 0, "", &h)
	if err != nil {
		t.Fatal(err)
	}
	if r.ID != "u" {
		t.Errorf("id %q", r.ID)
	}
	return string(r.Body)
}

func TestFacts(t *testing.T) {
	const who = `"agent_id":"agent_eng_1","session":"rehearsal:agent_eng_1","task_id":"task_a"`
	turn, child := Span{Correlation: "t"}, Span{Correlation: "c", Parent: "t"}
	call := Call{Tool: "read", Args: jsontext.Value(`{"path":"a.md"}`)}
	end, _ := ToolEnd(source, "u", child, call, jsontext.Value(`{"ok":true}`), time.Millisecond)
	for _, c := range []struct {
		name string
		hud  contracts.HUD
		want string
	}{
		{"turn_start", TurnStart(source, "u", turn, "Build\nit"), `{"event":"turn_start","correlationId":"t",` + who + `,"label":"Build it","rehearsal":true}`},
		{"turn_end", TurnEnd(source, "u", turn, 1500*time.Millisecond, ""), `{"event":"turn_end","correlationId":"t",` + who + `,"durationMs":1500,"rehearsal":true}`},
		{"turn_end, failed", TurnEnd(source, "u", turn, 0, "no"), `{"event":"turn_end","correlationId":"t",` + who + `,"result":{"ok":false,"error":"no"},"durationMs":0,"rehearsal":true}`},
		{"think_start", ThinkStart(source, "u", child), `{"event":"think_start","correlationId":"c","parentId":"t",` + who + `,"label":"Thinking","rehearsal":true}`},
		{"think_end", ThinkEnd(source, "u", child, time.Second, ""), `{"event":"think_end","correlationId":"c","parentId":"t",` + who + `,"durationMs":1000,"rehearsal":true}`},
		{"tool_start", ToolStart(source, "u", child, call), `{"event":"tool_start","correlationId":"c","parentId":"t",` + who + `,"tool":"read","args":{"path":"a.md"},"label":"👁 a.md","rehearsal":true}`},
		{"tool_end", end, `{"event":"tool_end","correlationId":"c","parentId":"t",` + who + `,"tool":"read","result":{"ok":true},"durationMs":1,"label":"👁 a.md","rehearsal":true}`},
		{"received", Received(source, "u", "stop", "stop received", jsontext.Value(`{"state":"x"}`)), `{"event":"received",` + who + `,"subtype":"stop","label":"stop received","payload":{"state":"x"},"rehearsal":true}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, encoded(t, c.hud)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// Thinking text is kept only if it is given, and is truncated like everything else.
func TestThoughtIsKeptOnlyIfGiven(t *testing.T) {
	span := Span{Correlation: "c", Parent: "t"}
	if h := Thought(source, "u", span, time.Second, ""); h.Result != nil || h.Event != contracts.HUDThinkEnd {
		t.Errorf("without a text: %+v", h)
	}
	h := Thought(source, "u", span, time.Second, strings.Repeat("hm ", contracts.LimitHUDInline)+"password=hunter2")
	if len(h.Result) > limitValue || !strings.Contains(string(h.Result), `"truncated":true`) || strings.Contains(string(h.Result), "hunter2") {
		t.Errorf("%d bytes: %.200s", len(h.Result), h.Result)
	}
}

// A start matches its end, whatever call id another program uses.
func TestForeignIDs(t *testing.T) {
	for _, id := range []string{strings.Repeat("x", contracts.LimitID+1), "a\x00b", "\u202eabc", "a  b"} {
		start := ToolStart(source, "u", Span{Correlation: id}, Call{Tool: "read"})
		end, _ := ToolEnd(source, "u", Span{Correlation: id}, Call{Tool: "read"}, nil, 0)
		if start.CorrelationID != end.CorrelationID || len(start.CorrelationID) > contracts.LimitID || start.CorrelationID == id {
			t.Errorf("%q became %q and %q", id, start.CorrelationID, end.CorrelationID)
		}
	}
}

// EndOf returns the end of a call that was only started, with the shape and the label of that call.
func TestEndOf(t *testing.T) {
	s := source
	s.Roots = Roots{Work: "/w"}
	start := ToolStart(s, "u", Span{Correlation: "c", Parent: "t"}, Call{Tool: "Read", Args: jsontext.Value(`{"file_path":"/w/a.md"}`)})
	end, ok := EndOf(start, "v", time.Second, "the server stopped", s.Roots)
	if !ok || end.Event != contracts.HUDToolEnd || end.Label != "👁 a.md" || end.Tool != "read" || !strings.Contains(string(end.Result), `{"ok":false,"file":{"path":"/w/a.md","viewerPath":"a.md"}`) {
		t.Errorf("%+v", end)
	}
	if _, ok := EndOf(end, "w", 0, "", s.Roots); ok {
		t.Error("EndOf accepted an end")
	}
}
