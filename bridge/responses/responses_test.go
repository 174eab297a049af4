package responses_test

import (
	"encoding/base64"
	"fmt"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"

	"github.com/bullpen-office/bullpen/bridge/completion"
	"github.com/bullpen-office/bullpen/bridge/responses"
	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/drive"
)

var pixel = "data:image/png;base64," + base64.StdEncoding.EncodeToString([]byte("pixel"))

func read(body string) (*responses.Request, *completion.Error) {
	return responses.Read([]byte(body), func(id string) ([]drive.Message, bool) {
		return []drive.Message{completion.UserMessage("Hello"), completion.Reply("Hi")}, id == "resp_1"
	})
}

// summary formats messages as "role: text", one per line.
func summary(list []drive.Message) string {
	var b strings.Builder
	for _, m := range list {
		fmt.Fprintf(&b, "%s: %s", m.Role, completion.Text(m))
		if len(m.Calls) > 0 || m.CallID != "" {
			fmt.Fprintf(&b, " %s%s", m.CallID, []byte(m.Calls))
		}
		for range completion.Images(m) {
			b.WriteString(" (image)")
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// Every form of input reaches the agent as messages.
func TestInput(t *testing.T) {
	for body, want := range map[string]string{
		`{"input":"Hello"}`:                                "user: Hello\n",
		`{"input":"Hello","instructions":"Be brief"}`:      "system: Be brief\nuser: Hello\n",
		`{"input":"More","previous_response_id":"resp_1"}`: "user: Hello\nassistant: Hi\nuser: More\n",
		`{"input":[{"role":"user","content":"Hello"}]}`:    "user: Hello\n",
		`{"input":[{"type":"message","id":"m","role":"developer","content":[{"type":"input_text","text":"Rules"}]},{"role":"user","content":[{"type":"input_text","text":"See"},{"type":"input_image","image_url":"` + pixel + `","detail":"low"}]}]}`:    "developer: Rules\nuser: See (image)\n",
		`{"input":[{"role":"user","content":"a"},{"type":"message","id":"m","status":"completed","phase":"final_answer","role":"assistant","content":[{"type":"output_text","text":"b","annotations":[],"logprobs":[]}]},{"role":"user","content":"c"}]}`: "user: a\nassistant: b\nuser: c\n",
		`{"input":[{"role":"user","content":"a"},{"type":"function_call","call_id":"1","name":"f","arguments":"{}"},{"type":"function_call","call_id":"2","name":"g","arguments":"{}"},{"type":"function_call_output","call_id":"1","output":"x"},{"role":"user","content":"c"}]}`: `user: a
assistant:  [{"function":{"arguments":"{}","name":"f"},"id":"1","type":"function"},{"function":{"arguments":"{}","name":"g"},"id":"2","type":"function"}]
tool: x 1
user: c
`,
	} {
		r, bad := read(body)
		if bad != nil {
			t.Errorf("%s: %+v", body, bad)
			continue
		}
		if diff := cmp.Diff(want, summary(r.Messages)); diff != "" {
			t.Errorf("%s: %s", body, diff)
		}
	}
}

// A part of a request that cannot be passed on is refused with its position in the request, or
// reported as ignored.
func TestRefusedInput(t *testing.T) {
	for body, want := range map[string]string{
		`{}`:                                  "input",
		`{"input":null}`:                      "input",
		`{"input":" "}`:                       "input",
		`{"input":[]}`:                        "input",
		`{"input":7}`:                         "input",
		`[1]`:                                 "",
		`{"input":`:                           "",
		`{"input":"x","input":""}`:            "",
		`{"input":"x","text":7}`:              "text",
		`{"input":"x","text":{"tone":"low"}}`: "text.tone",
		`{"input":"x","text":{"format":{"type":"xml"}}}`: "text.format",
		`{"input":"x","stream_options":{"padding":1}}`:   "stream_options.padding",
		`{"input":"x","previous_response_id":"resp_2"}`:  "previous_response_id",
		`{"input":[7]}`: "input.0",
		`{"input":[{"role":"king","content":"x"}]}`:                                                           "input.0.role",
		`{"input":[{"role":"user","content":7}]}`:                                                             "input.0.content",
		`{"input":[{"role":"user","content":"x","y":1}]}`:                                                     "input.0.y",
		`{"input":[{"role":"user","content":[{"type":"input_text","text":"x","y":1}]}]}`:                      "input.0.content.0.y",
		`{"input":[{"role":"user","content":[{"type":"input_file","file_id":"f"}]}]}`:                         "input.0.content.0",
		`{"input":[{"role":"user","content":[{"type":"hologram"}]}]}`:                                         "input.0.content.0",
		`{"input":[{"role":"user","content":[{"type":"input_image","file_id":"f"}]}]}`:                        "input.0.content.0.file_id",
		`{"input":[{"role":"user","content":[{"type":"input_image","image_url":"http://169.254.169.254"}]}]}`: "input.0.content.0.image_url",
		`{"input":[{"type":"item_reference","id":"m"}]}`:                                                      "input.0",
		`{"input":[{"type":"web_search_call","id":"m"}]}`:                                                     "input.0",
		`{"input":"` + strings.Repeat("x", contracts.LimitPrompt+1) + `"}`:                                    "input",
	} {
		if _, bad := read(body); bad == nil || bad.Param != want || bad.Message == "" {
			t.Errorf("%.200s: %+v", body, bad)
		}
	}
	r, bad := read(`{"input":[{"role":"user","content":"a"},{"type":"reasoning","id":"r","summary":[],"encrypted_content":"x"},{"role":"user","content":[{"type":"input_text","text":"b","prompt_cache_breakpoint":{"mode":"x"}}]}]}`)
	if bad != nil {
		t.Fatal(bad)
	}
	ask, bad := r.Ask(drive.Capabilities{}, false)
	if bad != nil {
		t.Fatal(bad)
	}
	if diff := cmp.Diff([]string{"input.prompt_cache_breakpoint", "input.reasoning"}, ask.Ignored); diff != "" {
		t.Error(diff)
	}
	r, bad = read(`{"input":[{"role":"user","content":"a"},{"type":"function_call_output","call_id":"1","output":"x"}]}`)
	if bad != nil {
		t.Fatal(bad)
	}
	if _, bad = r.Ask(drive.Capabilities{}, false); bad == nil || bad.Param != "input" {
		t.Errorf("a conversation that ends with a tool's result: %+v", bad)
	}
}

// The conversation that a later response continues contains no instructions, because instructions
// apply to one response only.
func TestConversation(t *testing.T) {
	r, bad := read(`{"input":"More","instructions":"Be brief","previous_response_id":"resp_1"}`)
	if bad != nil {
		t.Fatal(bad)
	}
	if diff := cmp.Diff("user: Hello\nassistant: Hi\nuser: More\nassistant: Done\n", summary(r.Conversation("Done"))); diff != "" {
		t.Error(diff)
	}
}

// A conversation can be read only by its owner. The store keeps the newest conversations within its
// limits.
func TestStore(t *testing.T) {
	s := responses.Store{Limit: 2, Bytes: 10}
	has := func(owner, id string) bool { _, ok := s.Get(owner, id); return ok }
	if !s.Put("a", "1", []drive.Message{completion.UserMessage("four")}) {
		t.Error("a conversation that fits was not kept")
	}
	if !has("a", "1") || has("b", "1") {
		t.Error("a conversation is not its owner's")
	}
	s.Put("a", "2", []drive.Message{completion.UserMessage("four")})
	s.Put("a", "3", []drive.Message{completion.UserMessage("x")})
	if has("a", "1") || !has("a", "2") || !has("a", "3") {
		t.Error("the number is not limited")
	}
	s.Put("a", "4", []drive.Message{completion.UserMessage("nine here")})
	if has("a", "2") || !has("a", "3") || !has("a", "4") {
		t.Error("the size is not limited")
	}
	large := []drive.Message{completion.UserMessage("more than ten bytes")}
	if s.Put("a", "5", large) || has("a", "5") || !has("a", "4") {
		t.Error("a large conversation displaced others")
	}
}

// stream returns a stream that has begun, and its first events.
func stream(t *testing.T, body string) (*responses.Stream, []byte) {
	t.Helper()
	r, bad := read(body)
	if bad != nil {
		t.Fatal(bad)
	}
	s := &responses.Stream{Response: responses.Response{ID: "resp_2", Message: "msg_1", Created: 7, Model: "bullpen/dev", Request: r}}
	return s, s.Begin()
}

// types checks the framing of events and returns their types, in order.
func types(t *testing.T, frames string) (list []string) {
	t.Helper()
	for i, frame := range strings.Split(strings.TrimSuffix(frames, "\n\n"), "\n\n") {
		name, data, ok := strings.Cut(strings.TrimPrefix(frame, "event: "), "\ndata: ")
		var e struct {
			Type   string `json:"type"`
			Number int    `json:"sequence_number"`
		}
		if err := json.Unmarshal([]byte(data), &e); err != nil || !ok || e.Type != name || e.Number != i {
			t.Fatalf("event %d: %v %s", i, err, frame)
		}
		list = append(list, e.Type)
	}
	return list
}

// The events are sent in the official order, and the last one contains the whole text.
func TestStreamedEvents(t *testing.T) {
	begin := []string{"response.created", "response.in_progress", "response.output_item.added", "response.content_part.added"}
	end := []string{"response.output_text.done", "response.content_part.done", "response.output_item.done"}
	delta := "response.output_text.delta"
	for name, c := range map[string]struct {
		body string
		want []string
		has  []string
	}{
		"completed": {body: `{"input":"x"}`, want: append(append([]string{delta, delta, delta}, end...), "response.completed"),
			has: []string{`"status":"completed"`, `"text":"One\n\"two\" �"`, `"usage":{"input_tokens":9,"input_tokens_details":{"cached_tokens":2},"output_tokens":3,`, `"instructions":null`, `"previous_response_id":null`}},
		"incomplete": {body: `{"input":"x","instructions":"Be brief","previous_response_id":"resp_1","store":false}`, want: append(append([]string{delta, delta, delta}, end...), "response.incomplete"),
			has: []string{`"status":"incomplete"`, `"incomplete_details":{"reason":"max_output_tokens"}`, `"instructions":"Be brief"`, `"previous_response_id":"resp_1"`, `"store":false`}},
		"failed": {body: `{"input":"x"}`, want: []string{delta, delta, delta, "response.failed"},
			has: []string{`"status":"failed"`, `"error":{"code":"server_error","message":"gone"}`, `"text":"One\n\"two\" �"`, `"usage":null`}},
	} {
		s, frames := stream(t, c.body)
		for _, step := range [][]byte{s.Text("One\n\"two\""), s.Alive(), s.Text(" \xff")} {
			frames = append(frames, step...)
		}
		if name == "failed" {
			frames = append(frames, s.Fail("server_error", "gone")...)
		} else {
			frames = append(frames, s.End(drive.Answer{Text: "two", Cut: name == "incomplete", Usage: contracts.Usage{TokensIn: 7, CacheRead: 2, TokensOut: 3}})...)
		}
		got := types(t, string(frames))
		if diff := cmp.Diff(append(append([]string{}, begin...), c.want...), got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		last := string(frames[strings.LastIndex(string(frames), "event: "):])
		for _, part := range c.has {
			if !strings.Contains(last, part) {
				t.Errorf("%s: %s is missing from %s", name, part, last)
			}
		}
	}
}

// A whole answer is one object; unknown usage is null.
func TestWholeResponse(t *testing.T) {
	s, _ := stream(t, `{"input":"x"}`)
	body, err := s.Response.Whole(drive.Answer{Text: "Hi"})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"object":"response"`, `"status":"completed"`, `"content":[{"type":"output_text","text":"Hi","annotations":[],"logprobs":[]}]`, `"usage":null`, `"store":true`} {
		if !strings.Contains(string(body), want) {
			t.Errorf("%s is missing from %s", want, body)
		}
	}
}
