package bridge_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/bullpen-office/bullpen/drive"
)

const ask = `{"model":"bullpen/dev","user":"default","stream":true,"input":"Hello"}`

// delta returns the text of the next event that has text.
func (c *caller) delta() string {
	c.t.Helper()
	for data := c.next(); data != ""; data = c.next() {
		var e struct {
			Delta string `json:"delta"`
		}
		if json.Unmarshal([]byte(data), &e) == nil && e.Delta != "" {
			return e.Delta
		}
	}
	return ""
}

// B16: text is streamed as it arrives, the turn is recorded, and the response lists the parameters
// that have no effect.
func TestStreamedResponse(t *testing.T) {
	r := newRig(t, config{})
	a := r.peer("dev::default")
	c := r.post("/v1/responses", strings.Replace(ask, `"stream"`, `"tools":[{"type":"function","name":"f"}],"stream"`, 1))
	if first := c.next(); !strings.Contains(first, `"type":"response.created"`) || c.resp.Header.Get("Bullpen-Ignored") != "tools" {
		t.Fatalf("%s %v", first, c.resp.Header)
	}
	a.must("inbound")
	a.say(`{"type":"reply","content":"Hi","final":false}`)
	if got := c.delta(); got != "Hi" {
		t.Fatalf("%q", got)
	}
	a.say(`{"type":"reply","content":" there","final":true}`)
	rest := c.rest()
	if !strings.Contains(rest, `"delta":" there"`) || !strings.Contains(rest, "event: response.completed\n") || !strings.Contains(rest, `"text":"Hi there"`) {
		t.Fatalf("%s", rest)
	}
	if got := fmt.Sprint(r.notes.all()); !strings.Contains(got, "begin agent_dev: Hello") || !strings.Contains(got, `end "Hi there" <nil>`) {
		t.Errorf("the turn is recorded as %s", got)
	}
}

// B16: a turn that fails ends with response.failed. Clients do not retry a turn that a person
// stopped.
func TestFailedResponse(t *testing.T) {
	r := newRig(t, config{})
	a := r.peer("dev::default")
	c := r.post("/v1/responses", ask)
	a.must("inbound")
	r.sendOrder("agent_dev", "stop")
	if got := c.rest(); !strings.Contains(got, "event: response.failed\n") || !strings.Contains(got, `"error":{"code":"invalid_prompt","message":"A person in the office stopped the turn."}`) {
		t.Errorf("%s", got)
	}
	a.must("cancel")
	c = r.post("/v1/responses", ask)
	a.must("inbound")
	r.peerOf("dev::default", "another")
	if got := c.rest(); !strings.Contains(got, "event: response.failed\n") || !strings.Contains(got, `"error":{"code":"server_error",`) {
		t.Errorf("%s", got)
	}
}

// echo answers with the prompt that it received.
type echo struct{ ready }

func (echo) Open(context.Context, drive.Spec) (drive.Session, error) { return echo{}, nil }
func (echo) Turn(_ context.Context, p drive.Prompt, _ drive.Sink) (drive.Answer, error) {
	return drive.Answer{Text: "Got: " + p.Text}, nil
}

// respond sends a request that is not streamed and returns the response's id and text.
func (r *rig) respond(body string, header ...string) (id, text string) {
	r.t.Helper()
	c := r.post("/v1/responses", body, header...)
	var got struct {
		ID     string `json:"id"`
		Output []struct {
			Content []struct {
				Text string `json:"text"`
			} `json:"content"`
		} `json:"output"`
	}
	raw := c.rest()
	if err := json.Unmarshal([]byte(raw), &got); err != nil || c.resp.StatusCode != http.StatusOK {
		r.t.Fatalf("%d %v %s", c.resp.StatusCode, err, raw)
	}
	return got.ID, got.Output[0].Content[0].Text
}

// B16: previous_response_id continues the conversation; an earlier response can be continued again,
// in a conversation of its own.
func TestPreviousResponse(t *testing.T) {
	r := newRig(t, config{Program: program(echo{}, "dev")})
	first, _ := r.respond(`{"model":"dev","input":"One"}`)
	follow := fmt.Sprintf(`{"model":"dev","input":"Two","previous_response_id":%q}`, first)
	if _, text := r.respond(follow); text != "Got: Two" {
		t.Errorf("an agent that remembers the conversation got %q", text)
	}
	if _, text := r.respond(follow); !strings.Contains(text, `{"role":"user","content":"One"}`) || !strings.Contains(text, `{"role":"assistant","content":"Got: One"}`) || strings.Contains(text, "Got: Two") {
		t.Errorf("a branch got %q", text)
	}
	hidden, _ := r.respond(`{"model":"dev","input":"One","store":false}`)
	for body, header := range map[string]string{
		fmt.Sprintf(`{"model":"dev","input":"Two","previous_response_id":%q}`, hidden): "Bearer any",
		follow: "Bearer " + r.token, // another caller
	} {
		c := r.post("/v1/responses", body, "Authorization", header)
		if got := c.rest(); c.resp.StatusCode != http.StatusBadRequest || !strings.Contains(got, `"previous_response_not_found"`) {
			t.Errorf("%s: %d %s", body, c.resp.StatusCode, got)
		}
	}
}

// B16: refusals have OpenAI's format and the same status as for chat completions.
func TestResponseRefusals(t *testing.T) {
	inTime(t, config{}, func(t *testing.T, r *rig) {
		for _, c := range []struct {
			body   string
			status int
			says   string
		}{
			{`hello`, 400, "not a Responses request"},
			{`{"model":"dev"}`, 400, `"param":"input"`},
			{ask, 404, "model_not_found"},
			{`{"model":"dev","input":"x","background":true}`, 400, `"code":"unsupported_parameter"`},
			{`{"user":"x::y","input":"x"}`, 503, "not connected"},
		} {
			got := r.post("/v1/responses", c.body)
			if body := got.rest(); got.resp.StatusCode != c.status || !strings.Contains(body, c.says) || !strings.HasPrefix(body, `{"error":{`) {
				t.Errorf("%.80s: %d %.200s", c.body, got.resp.StatusCode, body)
			}
		}
		if got := r.post("/v1/responses", ask, "Authorization", "Bearer bullpen_wrong"); got.resp.StatusCode != http.StatusUnauthorized || !strings.Contains(got.rest(), "invalid_api_key") {
			t.Errorf("a wrong token: %d", got.resp.StatusCode)
		}
	})
}
