package hud

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

var source = Source{AgentID: "agent_eng_1", Session: "rehearsal:agent_eng_1", TaskID: "task_a", Rehearsal: true}

// encoded is the fact as the ledger keeps it.
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
		{"tool_end", ToolEnd(source, "u", child, call, jsontext.Value(`{"ok":true}`), time.Millisecond), `{"event":"tool_end","correlationId":"c","parentId":"t",` + who + `,"tool":"read","result":{"ok":true},"durationMs":1,"label":"👁 a.md","rehearsal":true}`},
		{"received", Received(source, "u", "stop", "stop received", jsontext.Value(`{"state":"x"}`)), `{"event":"received",` + who + `,"subtype":"stop","label":"stop received","payload":{"state":"x"},"rehearsal":true}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, encoded(t, c.hud)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// The labels of seed 001.
func TestLabel(t *testing.T) {
	for _, c := range []struct{ tool, args, result, want string }{
		{"read", `{"path":"a.md"}`, `{"area":{"startLine":10,"endLine":50}}`, "👁 a.md:L10–L50"},
		{"read", `{"path":"a.md","offset":3,"limit":4}`, ``, "👁 a.md:L3–L7"},
		{"write", `{"path":"a.md"}`, ``, "✏️ a.md (overwrite)"},
		{"edit", `{"path":"a.md"}`, `{"area":{"startLine":22,"endLine":28}}`, "✏️ a.md:L22–L28"},
		{"append", `{"path":"a.md"}`, `{"area":{"startLine":180,"endLine":195}}`, "✏️ a.md:L180–L195"},
		{"exec", `{"command":"make\ntest"}`, ``, "⚡ make test"},
		{"web_fetch", `{"url":"https://example.org"}`, ``, "🌐 https://example.org"},
		{"web_search", `{"query":"go"}`, ``, "🔍 go"},
		{"browser", `{"action":"click"}`, ``, "browser click"},
		{"mystery", `[1]`, ``, "mystery"},
		{"read", ``, ``, "read"},
	} {
		if got := Label(Call{c.tool, jsontext.Value(c.args)}, jsontext.Value(c.result)); got != c.want {
			t.Errorf("Label(%s %s) = %q, want %q", c.tool, c.args, got, c.want)
		}
	}
}

// result.text is inlined up to 16 KiB; the sizes and lines are always the true ones.
func TestReadAndWrite(t *testing.T) {
	long := strings.Repeat("é\n", contracts.LimitHUDInline)
	r := Read("a.md", long)
	if !r.Truncated || r.Bytes != len(long) || r.Area.EndLine != contracts.LimitHUDInline || len(r.Text) > contracts.LimitHUDInline || !utf8.ValidString(r.Text) {
		t.Errorf("read: truncated %v, %d bytes, %+v, %d shown", r.Truncated, r.Bytes, r.Area, len(r.Text))
	}
	if r := Read("a.md", "one\ntwo\n"); r.Truncated || r.Text != "one\ntwo\n" || r.Area != (FileArea{1, 2}) {
		t.Errorf("read: %+v", r)
	}
	if w := Write("a.md", "one\ntwo"); w.Bytes != 7 || w.Area != (FileArea{1, 2}) || !w.OK {
		t.Errorf("write: %+v", w)
	}
}

// Whatever a tool returns, the value is valid JSON of a bounded size.
func TestValueIsBounded(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Repeat(rapid.String().Draw(t, "text"), rapid.IntRange(0, 20_000).Draw(t, "times"))
		v := Bound(Value(map[string]any{"text": text}))
		if !v.IsValid() || len(v) > limitValue {
			t.Fatalf("%d bytes, valid %v", len(v), v.IsValid())
		}
	})
	if v := Value(func() {}); !strings.Contains(string(v), "raw") || !v.IsValid() {
		t.Errorf("what cannot be encoded became %s", v)
	}
	var out map[string]any
	if err := json.Unmarshal(Value(map[string]string{"text": "\xff"}), &out); err != nil {
		t.Errorf("invalid UTF-8: %v", err)
	}
}

// W19: strings and names lose control and direction characters; everything else of
// a value stays as it is.
func TestBoundCleans(t *testing.T) {
	for in, want := range map[string]string{
		`{"b":"x\u0000\u001b[2J\ny","a":1.50e3,"n":12345678901234567890,"z":[null,true,"\u202ee\u0301"]}`: `{"b":"x[2J\ny","a":1.50e3,"n":12345678901234567890,"z":[null,true,"e\u0301"]}`,
		`{"a\u0007":{"\r\n":"\u009b"}}`: `{"a":{"\n":""}}`,
		`{"a":1,"a\u0000":2}`:           `{"raw":"{\"a\":1,\"a\\u0000\":2}"}`,
		"{oops\x00":                     `{"raw":"{oops"}`,
		`"\ud800"`:                      `"\ufffd"`,
		``:                              ``,
	} {
		got := Bound(jsontext.Value(in))
		var a, b any
		if in != "" && (json.Unmarshal(got, &a) != nil || json.Unmarshal([]byte(want), &b) != nil) {
			t.Fatalf("Bound(%q) = %q is not JSON", in, got)
		}
		if diff := cmp.Diff(b, a); diff != "" || strings.Contains(want, "1.50e3,\"n\":12345678901234567890") != strings.Contains(string(got), "1.50e3,\"n\":12345678901234567890") {
			t.Errorf("Bound(%q) = %q, want %q", in, got, want)
		}
	}
}

// A call that nobody ended fails in the shape of its tool (seed 001).
func TestFailedCall(t *testing.T) {
	for _, c := range []struct{ tool, args, want string }{
		{"read", `{"path":"a.md","offset":3,"limit":4}`, `{"ok":false,"file":{"path":"a.md","viewerPath":"a.md","area":{"startLine":3,"endLine":7}},"area":{"startLine":3,"endLine":7},"text":"","bytes":0,"truncated":false,"error":"no"}`},
		{"write", `{"path":"a.md"}`, `{"ok":false,"file":{"path":"a.md","viewerPath":"a.md"},"area":{"startLine":0,"endLine":0},"bytes":0,"error":"no"}`},
		{"exec", `{"command":"x"}`, `{"ok":false,"exitCode":-1,"stdout":"","truncated":false,"error":"no"}`},
		{"web_fetch", `{"url":"u"}`, `{"ok":false,"text":"","url":"u","truncated":false,"error":"no"}`},
		{"sessions_list", `{}`, `{"ok":false,"summary":"no"}`},
		{"mystery", `[1]`, `{"ok":false,"raw":"no"}`},
	} {
		if got := string(FailedCall(Call{c.tool, jsontext.Value(c.args)}, "n\x00o")); got != c.want {
			t.Errorf("%s: %s, want %s", c.tool, got, c.want)
		}
	}
}
