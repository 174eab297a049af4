package messages_test

import (
	"encoding/base64"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/bullpen-office/bullpen/bridge/completion"
	"github.com/bullpen-office/bullpen/bridge/messages"
	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/drive"
)

var pixel = base64.StdEncoding.EncodeToString([]byte("pixel"))

// summary formats messages as "role: text", one per line.
func summary(list []drive.Message) string {
	var b strings.Builder
	for _, m := range list {
		fmt.Fprintf(&b, "%s: %q %s%s %d\n", m.Role, completion.Text(m), m.CallID, []byte(m.Calls), len(completion.Images(m)))
	}
	return b.String()
}

// Every form of a message reaches the agent. Text that Claude Code adds to a person's message is
// not shown to people.
func TestRead(t *testing.T) {
	for body, want := range map[string]struct{ list, shown string }{
		`{"max_tokens":9,"messages":[{"role":"user","content":"Hello"}]}`: {"user: \"Hello\"  0\n", "Hello"},
		`{"system":"Be brief","messages":[{"role":"user","content":[{"type":"text","text":"See"},{"type":"image","source":{"type":"base64","media_type":"image/png","data":"` + pixel + `"}}]}]}`: {
			"system: \"Be brief\"  0\nuser: \"See\"  1\n", "See"},
		`{"system":[{"type":"text","text":"a","cache_control":{"type":"ephemeral"}},{"type":"text","text":"b"}],"messages":[{"role":"user","content":[{"type":"text","text":"<system-reminder>\nx\n</system-reminder>"},{"type":"text","text":"Hello"}]},{"role":"system","content":"c"}]}`: {
			"system: \"a\\nb\"  0\nuser: \"<system-reminder>\\nx\\n</system-reminder>\\nHello\"  0\nsystem: \"c\"  0\n", "Hello"},
		`{"messages":[{"role":"user","content":"a"},{"role":"assistant","content":[{"type":"thinking","thinking":"x","signature":"y"},{"type":"text","text":"b"},{"type":"tool_use","id":"1","name":"f","input":{"x":1}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"1","content":[{"type":"text","text":"no"}],"is_error":true},{"type":"text","text":"c"}]}]}`: {
			"user: \"a\"  0\nassistant: \"b\" [{\"function\":{\"arguments\":\"{\\\"x\\\":1}\",\"name\":\"f\"},\"id\":\"1\",\"type\":\"function\"}] 0\ntool: \"(The tool call failed.)\\nno\" 1 0\nuser: \"c\"  0\n", "c"},
	} {
		r, bad := messages.Read([]byte(body))
		if bad != nil {
			t.Errorf("%s: %+v", body, bad)
			continue
		}
		if diff := cmp.Diff(want.list, summary(r.Messages)); diff != "" {
			t.Errorf("%s: %s", body, diff)
		}
		if r.Shown != want.shown {
			t.Errorf("%s: people see %q", body, r.Shown)
		}
	}
}

// A part of a request that cannot be passed on is refused with its position in the request, or
// reported as ignored.
func TestRefused(t *testing.T) {
	user := func(block string) string { return `{"messages":[{"role":"user","content":[` + block + `]}]}` }
	for body, want := range map[string]string{
		`{}`:               "messages",
		`{"messages":[]}`:  "messages",
		`{"messages":"x"}`: "messages",
		`{"messages":`:     "",
		`[]`:               "",
		`{"messages":[7]}`: "messages.0",
		`{"messages":[{"role":"king","content":"x"}]}`:                                                 "messages.0.role",
		`{"messages":[{"role":"user","content":7}]}`:                                                   "messages.0.content",
		`{"messages":[{"role":"user","content":"x","name":"y"}]}`:                                      "messages.0.name",
		`{"messages":[{"role":"assistant","content":"x"}]}`:                                            "messages",
		`{"system":7,"messages":[{"role":"user","content":"x"}]}`:                                      "system",
		`{"system":[{"type":"x"}],"messages":[{"role":"user","content":"x"}]}`:                         "system.0",
		`{"output_config":7,"messages":[{"role":"user","content":"x"}]}`:                               "output_config",
		`{"output_config":{"x":1},"messages":[{"role":"user","content":"x"}]}`:                         "output_config.x",
		user(`{"type":"document","source":{}}`):                                                        "messages.0.content.0",
		user(`{"type":"text","text":"x","y":1}`):                                                       "messages.0.content.0.y",
		user(`{"type":"text","text":7}`):                                                               "messages.0.content.0.text",
		user(`{"type":"image"}`):                                                                       "messages.0.content.0.source",
		user(`{"type":"image","source":{"type":"url","url":"http://169.254.169.254"}}`):                "messages.0.content.0.source",
		user(`{"type":"image","source":{"type":"base64","media_type":"image/svg+xml","data":"AA=="}}`): "messages.0.content.0.source",
		user(`{"type":"image","source":{"type":"base64","media_type":"image/png","data":"***"}}`):      "messages.0.content.0.source",
		user(`{"type":"tool_result","tool_use_id":"1","content":[{"type":"document"}]}`):               "messages.0.content.0.content.0",
		user(`{"type":"text","text":" "}`):                                                             "messages",
	} {
		if _, bad := messages.Read([]byte(body)); bad == nil || bad.Param != want || bad.Message == "" {
			t.Errorf("%s: %+v", body, bad)
		}
	}
	r, bad := messages.Read([]byte(user(`{"type":"text","text":"x","cache_control":{"type":"ephemeral"}},{"type":"redacted_thinking","data":"y"}`)))
	if bad != nil {
		t.Fatal(bad)
	}
	ask, bad := r.Ask(drive.Capabilities{}, false)
	if bad != nil {
		t.Fatal(bad)
	}
	if diff := cmp.Diff([]string{"messages.cache_control", "messages.redacted_thinking"}, ask.Ignored); diff != "" {
		t.Error(diff)
	}
	r, bad = messages.Read([]byte(`{"messages":[{"role":"user","content":"a"},{"role":"assistant","content":"b"}]}`))
	if bad != nil {
		t.Fatal(bad)
	}
	if _, bad = r.Ask(drive.Capabilities{}, false); bad == nil || bad.Param != "messages" {
		t.Errorf("a conversation that ends with an answer: %+v", bad)
	}
}

// Events are sent in the official order with the official members.
func TestStreamedEvents(t *testing.T) {
	m := messages.Message{ID: "msg_1", Model: "bullpen/dev"}
	begin := `event: message_start
data: {"type":"message_start","message":{"id":"msg_1","type":"message","role":"assistant","model":"bullpen/dev","content":[],"stop_reason":null,"stop_sequence":null,"usage":{"input_tokens":0,"cache_creation_input_tokens":0,"cache_read_input_tokens":0,"output_tokens":0}}}

event: content_block_start
data: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}

event: ping
data: {"type":"ping"}

event: content_block_delta
data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"One\n\"two\" �"}}

event: ping
data: {"type":"ping"}

`
	got := string(m.Begin()) + string(m.Text("One\n\"two\" \xff")) + string(m.Alive())
	if diff := cmp.Diff(begin, got); diff != "" {
		t.Error(diff)
	}
	end := `event: content_block_stop
data: {"type":"content_block_stop","index":0}

event: message_delta
data: {"type":"message_delta","delta":{"stop_reason":"max_tokens","stop_sequence":null},"usage":{"input_tokens":7,"cache_creation_input_tokens":1,"cache_read_input_tokens":2,"output_tokens":3}}

event: message_stop
data: {"type":"message_stop"}

`
	used := contracts.Usage{TokensIn: 7, CacheWrite: 1, CacheRead: 2, TokensOut: 3}
	if diff := cmp.Diff(end, string(m.End(drive.Answer{Text: "x", Cut: true, Usage: used}))); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff("event: error\ndata: {\"type\":\"error\"}\n\n", string(m.Fail(map[string]string{"type": "error"}))); diff != "" {
		t.Error(diff)
	}
}

// A complete answer is one object; usage that the agent did not report is marked as unreported.
func TestWholeMessage(t *testing.T) {
	body, err := messages.Message{ID: "msg_1", Model: "m"}.Whole(drive.Answer{Text: "Hi"})
	if err != nil {
		t.Fatal(err)
	}
	want := `{"id":"msg_1","type":"message","role":"assistant","model":"m","content":[{"type":"text","text":"Hi"}],"stop_reason":"end_turn","stop_sequence":null,` +
		`"usage":{"input_tokens":0,"cache_creation_input_tokens":0,"cache_read_input_tokens":0,"output_tokens":0,"reported":false}}`
	if diff := cmp.Diff(want, string(body)); diff != "" {
		t.Error(diff)
	}
}

func TestEstimate(t *testing.T) {
	list := []drive.Message{completion.UserMessage("12345"), {Parts: []drive.Part{{Image: &drive.Image{}}}}}
	if got := messages.Estimate(list); got != 2+1600 {
		t.Errorf("%d tokens", got)
	}
}
