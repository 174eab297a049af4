package translate_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"github.com/bullpen-office/bullpen/agents/acp/translate"
	"github.com/bullpen-office/bullpen/hud"
)

func update(t *testing.T, text string) translate.Update {
	t.Helper()
	u, ok := translate.ReadUpdate(jsontext.Value(`{"sessionId":"s","update":` + text + `}`))
	if !ok {
		t.Fatalf("not an update: %s", text)
	}
	return u
}

// Only an update's kind determines how it is read. An update of an unknown kind stays unknown,
// whatever members it has.
func TestUpdate(t *testing.T) {
	for text, want := range map[string]string{
		`{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"hi"},"messageId":"m"}`:                        `agent_message_chunk true "hi" "m"`,
		`{"sessionUpdate":"agent_thought_chunk","content":{"type":"resource_link","uri":"file:///a"}}`:                         `agent_thought_chunk true "file:///a" ""`,
		`{"sessionUpdate":"agent_message_chunk","content":{"type":"resource","resource":{"uri":"file:///a","text":"inside"}}}`: `agent_message_chunk true "inside" ""`,
		`{"sessionUpdate":"agent_message_chunk","content":{"type":"image","data":"AA=="}}`:                                     `agent_message_chunk true "[image]" ""`,
		`{"sessionUpdate":"agent_message_chunk","content":{"type":"smell","text":"of roses"}}`:                                 `agent_message_chunk true "" ""`,
		`{"sessionUpdate":"user_message_chunk","content":{"type":"text","text":"hi"}}`:                                         `user_message_chunk true "" ""`,
		`{"sessionUpdate":"notice","severity":"info","title":"Careful"}`:                                                       `notice true "Careful" ""`,
		`{"sessionUpdate":"announcement","content":{"type":"text","text":"hi"},"toolCallId":"c"}`:                              `announcement false "" ""`,
		`{"content":{"type":"text","text":"hi"}}`:                                                                              ` false "" ""`,
		`{"sessionUpdate":["agent_message_chunk"],"content":{"type":"text","text":"hi"}}`:                                      ` false "" ""`,
		`{"sessionUpdate":"plan","entries":[]}`:                                                                                `plan true "" ""`,
	} {
		u := update(t, text)
		if got := fmt.Sprintf("%s %v %q %q", u.Kind, u.Known(), u.Text, u.MessageID); got != want || string(u.Raw) != text {
			t.Errorf("%s: %s", text, got)
		}
	}
	for _, text := range []string{``, `7`, `{}`, `{"update":7}`, `[`} {
		if u, ok := translate.ReadUpdate(jsontext.Value(text)); ok {
			t.Errorf("%s is %+v", text, u)
		}
	}
}

// Costs are in US dollars or unknown.
func TestCost(t *testing.T) {
	for text, want := range map[string]string{
		`{"amount":0.5,"currency":"USD"}`: "0.5", `{"amount":0.5,"currency":"EUR"}`: "", `{"amount":-1,"currency":"USD"}`: "", `{"amount":"x","currency":"USD"}`: "", `7`: "", `null`: "",
	} {
		got := ""
		if u := update(t, `{"sessionUpdate":"usage_update","used":1,"size":2,"cost":`+text+`}`); u.Cost != nil {
			got = fmt.Sprint(*u.Cost)
		}
		if got != want {
			t.Errorf("%s is %q", text, got)
		}
	}
}

// merged returns the call that several messages describe.
func merged(t *testing.T, messages ...string) *translate.Call {
	t.Helper()
	c := &translate.Call{}
	for _, m := range messages {
		c.Merge(update(t, `{"sessionUpdate":"tool_call_update","toolCallId":"c",`+strings.TrimPrefix(m, "{")).Call)
	}
	return c
}

// A call uses the office's names for tools and arguments. Arguments that an agent does not send are
// taken from the title, the location or the diff. A call with a command and no path is shown
// as a command, whatever its kind.
func TestCall(t *testing.T) {
	for _, c := range []struct {
		messages   []string
		ready      bool
		tool, args string
	}{
		{[]string{`{"title":"bash","kind":"execute","status":"pending","rawInput":{"cwd":"/w"}}`}, false, "exec", `{"command":"bash","cwd":"/w"}`},
		{[]string{`{"title":"bash","kind":"execute"}`, `{"status":"in_progress","rawInput":{"command":"ls"}}`}, true, "exec", `{"command":"ls"}`},
		{[]string{"{\"title\":\"`ls`\",\"kind\":\"execute\",\"status\":\"in_progress\"}"}, true, "exec", `{"command":"ls"}`},
		{[]string{`{"title":"Read it","kind":"read","rawInput":{"command":"rm -rf /"}}`}, true, "exec", `{"command":"rm -rf /"}`},
		{[]string{`{"title":"Read","kind":"read","rawInput":{"file_path":"/w/a"}}`}, true, "read", `{"path":"/w/a"}`},
		{[]string{`{"title":"Read","kind":"read","locations":[{"path":"/w/a"}],"status":"in_progress"}`}, true, "read", `{"path":"/w/a"}`},
		{[]string{`{"title":"Edit","kind":"edit","content":[{"type":"diff","path":"/w/a","oldText":"x","newText":"y"}]}`}, false, "edit", `{"new_string":"y","old_string":"x","path":"/w/a"}`},
		{[]string{`{"title":"New","kind":"edit","content":[{"type":"diff","path":"/w/a","newText":"y"}]}`}, false, "write", `{"content":"y","path":"/w/a"}`},
		{[]string{`{"title":"Edit","kind":"edit","rawInput":{"path":"/w/b","oldString":"x","newString":"y"},"content":[{"type":"diff","path":"/w/a","newText":"z"}]}`}, true, "write", `{"path":"/w/b","oldString":"x","newString":"y","operation":"write"}`},
		{[]string{`{"title":"https://example.org","kind":"fetch","status":"in_progress"}`}, true, "web_fetch", `{"url":"https://example.org"}`},
		{[]string{`{"title":"db_query","kind":"other","rawInput":{"sql":"select 1"}}`}, true, "db_query", `{"sql":"select 1"}`},
		{[]string{`{"title":"Ask the database","kind":"other","status":"in_progress"}`}, true, "tool", `{"title":"Ask the database"}`},
		{[]string{`{"title":"x y","name":"websearch","kind":"teleport","rawInput":{"q":"go"}}`}, true, "web_search", `{"query":"go"}`},
		{[]string{`{"title":"x","kind":"other","rawInput":"text"}`}, false, "x", `{"input":"text","title":"x"}`},
	} {
		call := merged(t, c.messages...)
		got := call.OfficeCall()
		if call.Ready() != c.ready || got.Tool != c.tool || !sameJSON(string(got.Args), c.args) {
			t.Errorf("%s: %v %s %s", c.messages, call.Ready(), got.Tool, got.Args)
		}
	}
}

func sameJSON(a, b string) bool {
	x, y := jsontext.Value(a), jsontext.Value(b)
	return x.Canonicalize() == nil && y.Canonicalize() == nil && string(x) == string(y)
}

// A result reports how a call ended; unknown details stay unknown.
func TestResult(t *testing.T) {
	text := func(s string) string {
		return `"content":[{"type":"content","content":{"type":"text","text":"` + s + `"}}]`
	}
	terminals := func(id string) (translate.Terminal, bool) {
		return translate.Terminal{Text: "from " + id, Exit: new(2)}, id == "term_1"
	}
	for _, c := range []struct {
		message string
		want    hud.Result
	}{
		{`{"kind":"execute","title":"make","status":"completed",` + text("ok") + `}`, hud.ExecResult{OK: true, ExitCode: -1, Stdout: "ok"}},
		{`{"kind":"execute","title":"make","status":"completed","rawOutput":{"output":"bad","metadata":{"exit":2}}}`, hud.ExecResult{ExitCode: 2, Stdout: "bad"}},
		{`{"kind":"execute","title":"make","status":"completed","rawOutput":{"exit_code":0},` + text("fine") + `}`, hud.ExecResult{OK: true, Stdout: "fine"}},
		{`{"kind":"execute","title":"make","status":"completed","content":[{"type":"terminal","terminalId":"term_1"},{"type":"terminal","terminalId":"term_9"}]}`, hud.ExecResult{ExitCode: 2, Stdout: "from term_1"}},
		{`{"kind":"execute","title":"make","status":"completed","rawOutput":{"exitCode":"x"}}`, hud.ExecResult{ExitCode: -1}},
		{`{"kind":"execute","title":"make","status":"failed",` + text("no rule") + `}`, hud.ExecResult{ExitCode: -1, Stdout: "no rule", Error: "no rule"}},
		{`{"kind":"execute","title":"make","status":"failed","rawOutput":{"exitCode":0}}`, hud.ExecResult{ExitCode: -1, Error: "the tool failed"}},
		{`{"kind":"read","title":"a","locations":[{"path":"/w/a"}],"status":"failed","rawOutput":{"error":"not there"}}`, hud.FailedCall(hud.Call{Tool: "read", Args: jsontext.Value(`{"path":"/w/a"}`)}, "not there")},
		{`{"kind":"other","title":"query","status":"completed","rawOutput":{"rows":3}}`, hud.Other(jsontext.Value(`{"rows":3}`))},
		{`{"kind":"other","title":"query","status":"completed","rawOutput":"three"}`, hud.Other("three")},
		{`{"kind":"fetch","title":"https://e.org","status":"completed",` + text("page") + `}`, hud.Web("https://e.org", "page")},
	} {
		if diff := cmp.Diff(c.want, merged(t, c.message).Result(terminals)); diff != "" {
			t.Errorf("%s: %s", c.message, diff)
		}
	}
	changed := merged(t, `{"kind":"edit","title":"e","status":"completed","content":[{"type":"diff","path":"/w/a","oldText":"1\n2\n3\n4\n5\n6\n","newText":"1\n2\n3\n4\n5\nsix\n"}]}`).Result(terminals)
	if r, ok := changed.(hud.EditResult); !ok || r.Diff != "@@ -3,4 +3,4 @@\n 3\n 4\n 5\n-6\n+six\n" || r.Area != hud.Lines(6, 1) {
		t.Errorf("%+v", changed)
	}
	created := merged(t, `{"kind":"edit","title":"e","status":"completed","content":[{"type":"diff","path":"/w/a","newText":"1\n"}]}`).Result(terminals)
	if r, ok := created.(hud.WriteResult); !ok || !r.Created || r.File.Path != "/w/a" {
		t.Errorf("%+v", created)
	}
}

// Usage is read from the places where the protocol's draft and the known agents put it.
func TestStop(t *testing.T) {
	for text, want := range map[string]string{
		`{"stopReason":"end_turn","usage":{"inputTokens":5,"outputTokens":3,"cachedReadTokens":2}}`:                                      "end_turn 5 3 2 ",
		`{"stopReason":"end_turn","_meta":{"quota":{"token_count":{"input_tokens":5,"output_tokens":3},"model_usage":[{"model":"m"}]}}}`: "end_turn 5 3 0 m",
		`{"stopReason":"end_turn","usage":{"inputTokens":-5,"outputTokens":"x"}}`:                                                        "end_turn 0 0 0 ",
		`{"stopReason":7}`: "7 0 0 0 ",
		`[]`:               " 0 0 0 ",
	} {
		s := translate.ReadStop(jsontext.Value(text))
		if got := fmt.Sprint(s.Reason, " ", s.Used.TokensIn, s.Used.TokensOut, s.Used.CacheRead, " ", s.Used.Model); got != want {
			t.Errorf("%s: %q", text, got)
		}
	}
}

// No message from an agent causes a panic.
func FuzzTranslate(f *testing.F) {
	for _, seed := range []string{
		`{"sessionId":"s","update":{"sessionUpdate":"tool_call","toolCallId":"c","title":"t","kind":"edit","status":"completed","content":[{"type":"diff","path":"a","oldText":"x","newText":"y"}],"locations":[{"path":"a"}],"rawInput":{"command":["a"]},"rawOutput":{"exitCode":1}}}`,
		`{"sessionId":"s","toolCall":{"toolCallId":"c","rawInput":"x"},"options":[{"optionId":"a","name":"A","kind":"allow_once"},{"optionId":"b","name":"B","kind":"allow_once"}]}`,
		`{"protocolVersion":1,"agentCapabilities":{"sessionCapabilities":{"list":{}}},"authMethods":[{"name":"n"}],"sessionId":"s","configOptions":[{"category":"mode","type":"select","options":[{"options":[{"value":"v"}]}]}]}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		v := jsontext.Value(b)
		c := &translate.Call{}
		if u, ok := translate.ReadUpdate(v); ok {
			c.Merge(u.Call)
		}
		r, err := translate.ReadRequest(v)
		c.Merge(r.Call)
		_, _ = c.Ready(), c.Result(func(string) (translate.Terminal, bool) { return translate.Terminal{}, false })
		if _, ask := r.Question(r.Permission(c, "")); ask && err == nil && len(r.Options) == 0 {
			t.Error("a question without options")
		}
		_, _ = translate.ReadAgent(v)
		_, _ = translate.ReadSettings(v), translate.ReadStop(v)
	})
}
