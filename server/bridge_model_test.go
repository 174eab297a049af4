package server

import (
	"encoding/base64"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/bullpen-office/bullpen/crew"
	"github.com/bullpen-office/bullpen/drive/drivetest"
	"github.com/bullpen-office/bullpen/staff"
)

// B1: an agent that runs on a model receives everything that its caller sends: messages with their
// roles, images and request parameters.
func TestModelGetsTheWholeRequest(t *testing.T) {
	model := &drivetest.Completions{Script: func(c drivetest.Call) drivetest.Answer {
		switch {
		case strings.Contains(string(c.Body), "too picky"):
			return drivetest.Answer{Status: http.StatusBadRequest, Text: "Unsupported value: 'verbosity'"}
		case strings.Contains(string(c.Body), `"max_tokens":7`):
			return drivetest.Answer{Text: "A very long", Finish: "length", In: 1, Out: 5}
		}
		return drivetest.Answer{Text: `{"ok":true}`, In: 10, Out: 3}
	}}
	endpoint := httptest.NewServer(model)
	t.Cleanup(endpoint.Close)
	r := startRig(t, Config{Crew: "m", Staff: staff.Staff{Runners: map[string]staff.Runner{"m": {Kind: "openai", Model: "model-a", BaseURL: endpoint.URL + "/v1"}}, Default: "m"}})
	pixel := "data:image/png;base64," + base64.StdEncoding.EncodeToString([]byte("pixel"))
	status, body := r.post("/v1/chat/completions", `{"model":"bullpen/agent_bd","temperature":0.2,"stop":["END"],"max_completion_tokens":50,"response_format":{"type":"json_object"},"messages":[
		{"role":"system","content":"Answer in JSON"},{"role":"user","content":"One"},{"role":"assistant","content":"1"},
		{"role":"user","content":[{"type":"text","text":"See"},{"type":"image_url","image_url":{"url":"`+pixel+`","detail":"low"}}]}]}`)
	if status != http.StatusOK || !strings.Contains(body, `"content":"{\"ok\":true}"`) || !strings.Contains(body, `"total_tokens":13`) {
		t.Fatalf("%d %s", status, body)
	}
	var got struct {
		Temperature float64           `json:"temperature"`
		Stop        []string          `json:"stop"`
		Max         int               `json:"max_tokens"`
		Format      map[string]string `json:"response_format"`
		Messages    []struct {
			Role    string `json:"role"`
			Content any    `json:"content"`
		} `json:"messages"`
	}
	if err := json.Unmarshal(model.Calls()[0].Body, &got); err != nil {
		t.Fatal(err)
	}
	if got.Temperature != 0.2 || len(got.Stop) != 1 || got.Stop[0] != "END" || got.Max != 50 || got.Format["type"] != "json_object" {
		t.Errorf("%+v", got)
	}
	roles := ""
	for _, m := range got.Messages {
		roles += m.Role + " "
	}
	if roles != "system system user assistant user " || got.Messages[1].Content != "Answer in JSON" || got.Messages[2].Content != "One" || got.Messages[3].Content != "1" {
		t.Errorf("%+v", got.Messages)
	}
	if last, _ := json.Marshal(got.Messages[4].Content, json.Deterministic(true)); !strings.Contains(string(last), pixel) || !strings.Contains(string(last), `"detail":"low"`) || !strings.Contains(string(last), `"text":"See"`) {
		t.Errorf("%s", last)
	}
	if status, body := r.post("/v1/chat/completions", `{"model":"bullpen/agent_bd","max_tokens":7,"messages":[{"role":"user","content":"`+strings.Repeat("Tell me more. ", 1000)+`"}]}`); status != http.StatusOK || !strings.Contains(body, `"finish_reason":"length"`) || !strings.Contains(body, "A very long") {
		t.Errorf("%d %s", status, body)
	}
	if status, body := r.post("/v1/chat/completions", `{"model":"bullpen/agent_bd","verbosity":"low","messages":[{"role":"user","content":"too picky"}]}`); status != http.StatusBadRequest || !strings.Contains(body, "verbosity") || !strings.Contains(body, `"invalid_request_error"`) {
		t.Errorf("refused by the endpoint: %d %s", status, body)
	}
}

// B1: the rehearsal crew answers every caller, but refuses parameters that it does not support, and
// the refusal names them.
func TestRehearsalRefusesParameters(t *testing.T) {
	r := startRig(t, Config{Crew: crew.Rehearsal})
	hello := `{"model":"bullpen/agent_bd","messages":[{"role":"system","content":"Be brief"},{"role":"user","content":"Who is here?"}]`
	if status, body := r.post("/v1/chat/completions", hello+`,"temperature":1,"stream_options":null}`); status != http.StatusOK {
		t.Errorf("%d %s", status, body)
	}
	for more, param := range map[string]string{`,"response_format":{"type":"json_object"}`: "response_format", `,"temperature":0.1`: "temperature", `,"max_tokens":10`: "max_tokens"} {
		if status, body := r.post("/v1/chat/completions", hello+more+`}`); status != http.StatusBadRequest || !strings.Contains(body, `"param":"`+param+`"`) {
			t.Errorf("%s: %d %s", more, status, body)
		}
	}
}
