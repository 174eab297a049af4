package bridge_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"
)

const question = `{"model":"bullpen/dev","max_tokens":100,"stream":true,"messages":[{"role":"user","content":"Hello"}]}`

// B17: text is streamed as it arrives, the turn is recorded, and the response lists the parameters
// that have no effect.
func TestStreamedMessage(t *testing.T) {
	r := newRig(t, config{})
	a := r.peer("dev::*")
	c := r.post("/v1/messages", strings.Replace(question, `"stream"`, `"tools":[{"name":"f"}],"stream"`, 1))
	if first := c.next(); !strings.Contains(first, `"type":"message_start"`) || c.resp.Header.Get("Bullpen-Ignored") != "max_tokens, tools" {
		t.Fatalf("%s %v", first, c.resp.Header)
	}
	a.must("inbound")
	a.say(`{"type":"reply","content":"Hi","final":false}`)
	for data := c.next(); !strings.Contains(data, `"delta":{"type":"text_delta","text":"Hi"}`); data = c.next() {
		if data == "" {
			t.Fatal("the stream ended")
		}
	}
	a.say(`{"type":"reply","content":" there","final":true}`)
	rest := c.rest()
	if !strings.Contains(rest, `"text":" there"`) || !strings.Contains(rest, `"stop_reason":"end_turn"`) || !strings.HasSuffix(rest, "event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n") {
		t.Fatalf("%s", rest)
	}
	if got := fmt.Sprint(r.notes.all()); !strings.Contains(got, "begin agent_dev: Hello") || !strings.Contains(got, `end "Hi there" <nil>`) {
		t.Errorf("the turn is recorded as %s", got)
	}
}

// B17: a turn that fails ends with an error event.
func TestFailedMessage(t *testing.T) {
	r := newRig(t, config{})
	a := r.peer("dev::*")
	c := r.post("/v1/messages", question)
	a.must("inbound")
	r.sendOrder("agent_dev", "stop")
	if got := c.rest(); !strings.HasSuffix(got, "event: error\n"+`data: {"type":"error","error":{"type":"invalid_request_error","message":"A person in the office stopped the turn."},"request_id":null}`+"\n\n") {
		t.Errorf("%s", got)
	}
}

// B17: a caller that sends the conversation again continues it.
func TestMessagesConversation(t *testing.T) {
	r := newRig(t, config{Program: program(echo{}, "dev")})
	ask := func(list string) string {
		return r.post("/v1/messages", `{"model":"dev","max_tokens":100,"system":"Be brief","messages":[`+list+`]}`).rest()
	}
	one := `{"role":"user","content":"One"}`
	first := ask(one)
	if !strings.Contains(first, "Be brief") || !strings.Contains(first, `"stop_reason":"end_turn"`) || !strings.Contains(first, `"reported":false`) {
		t.Fatalf("%s", first)
	}
	_, said, _ := strings.Cut(first, `"content":`)
	said, _, _ = strings.Cut(said, `,"stop_reason"`)
	if got := ask(one + `,{"role":"assistant","content":` + said + `},{"role":"user","content":"Two"}`); !strings.Contains(got, `"text":"Got: Two"`) {
		t.Errorf("an agent that remembers the conversation got %s", got)
	}
}

// B17: refusals have Anthropic's format and the same status codes as those of chat completions. A
// Bullpen token that is sent as an API key must be valid; other keys are ignored.
func TestMessagesRefusals(t *testing.T) {
	inTime(t, config{Program: program(ready{}, "ready")}, func(t *testing.T, r *rig) {
		for _, c := range []struct {
			path, body, key string
			status          int
			says            string
		}{
			{"", `hello`, "", 400, `"type":"invalid_request_error"`},
			{"", `{"model":"dev","messages":[{"role":"king","content":"x"}]}`, "", 400, `"message":"messages.0.role: The role must be`},
			{"", `{"model":"ready","temperature":0.5,"messages":[{"role":"user","content":"x"}]}`, "", 400, `"message":"temperature: This agent does not support temperature`},
			{"", question, "", 404, `"type":"not_found_error"`},
			{"", question, "sk-ant-any", 404, `"type":"not_found_error"`},
			{"", question, "bullpen_wrong", 401, `"type":"authentication_error"`},
			{"/count_tokens", question, "", 404, `"type":"not_found_error"`},
			{"/count_tokens", `{}`, "", 400, `"type":"invalid_request_error"`},
		} {
			header := []string{}
			if c.key != "" {
				header = []string{"X-Api-Key", c.key}
			}
			got := r.post("/v1/messages"+c.path, c.body, header...)
			if body := got.rest(); got.resp.StatusCode != c.status || !strings.Contains(body, c.says) || !strings.Contains(body, `"type":"error"`) {
				t.Errorf("%s %s: %d %.200s", c.path, c.body, got.resp.StatusCode, body)
			}
		}
		got := r.post("/v1/messages/count_tokens", `{"model":"ready","messages":[{"role":"user","content":"12345"}]}`, "X-Api-Key", r.token)
		if body := got.rest(); got.resp.StatusCode != http.StatusOK || body != `{"input_tokens":2,"estimated":true}`+"\n" || got.resp.Header.Get("Bullpen-Estimated") != "input_tokens" {
			t.Errorf("%d %s %v", got.resp.StatusCode, body, got.resp.Header)
		}
	})
}

// B16, B17: a waiting caller receives an event at every heartbeat, and a turn is stopped when its
// caller disconnects.
func TestHeartbeatsOfOtherProtocols(t *testing.T) {
	for path, c := range map[string]struct{ body, beat string }{
		"/v1/responses": {ask, `"type":"response.output_text.delta","sequence_number":`},
		"/v1/messages":  {question, `{"type":"ping"}`},
	} {
		inTime(t, config{Ping: time.Hour}, func(t *testing.T, r *rig) {
			a := r.peer("dev::*")
			call := r.post(path, c.body)
			a.must("inbound")
			for beats := 0; beats < 5; {
				data := call.next()
				if data == "" {
					t.Fatalf("%s: the stream ended", path)
				}
				if strings.Contains(data, c.beat) {
					beats++
				}
			}
			call.resp.Body.Close()
			a.must("cancel")
		})
	}
}
