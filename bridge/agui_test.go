package bridge_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/bullpen-office/bullpen/bridge"
)

// run posts what AG-UI's HttpAgent sends.
func (r *rig) run(agent, body string) *caller {
	r.t.Helper()
	req, err := http.NewRequestWithContext(r.t.Context(), http.MethodPost, r.url+"/v1/agui/"+agent, strings.NewReader(body))
	if err != nil {
		r.t.Fatal(err)
	}
	req.Header.Set("Accept", "text/event-stream")
	return r.send(req)
}

const firstRun = `{"threadId":"t1","runId":"r1","state":{},"tools":[{"name":"paint","description":"","parameters":{}}],"context":[],"forwardedProps":{},
	"messages":[{"id":"m0","role":"activity","activityType":"x","content":{}},{"id":"m1","role":"user","content":"Hello"}]}`

// B15: a run of an AG-UI client is one turn: it starts immediately, its text streams, and it
// ends, well or with an error; sent again, it is the same turn.
func TestRunOfAnAGUIClient(t *testing.T) {
	inTime(t, bridge.Config{}, func(t *testing.T, r *rig) {
		a := r.peer("dev::*")
		c := r.run("dev", firstRun)
		if got := c.next(); got != `{"type":"RUN_STARTED","threadId":"t1","runId":"r1"}` {
			t.Errorf("%s", got)
		}
		in := a.must("inbound")
		if in["content"] != "Hello" || in["meta"].(map[string]any)["chat_id"] != "t1" {
			t.Errorf("%v", in)
		}
		again := r.run("bullpen%2Fdev", firstRun)
		a.say(`{"type":"reply","content":"Half","final":false}`)
		start := c.next()
		if !strings.HasPrefix(start, `{"type":"TEXT_MESSAGE_START","messageId":"msg_`) || !strings.HasSuffix(start, `"role":"assistant"}`) {
			t.Errorf("%s", start)
		}
		if got := c.next(); !strings.Contains(got, `"TEXT_MESSAGE_CONTENT"`) || !strings.Contains(got, `"delta":"Half"`) {
			t.Errorf("%s", got)
		}
		a.say(`{"type":"reply","content":" done"}`)
		for _, want := range []string{`"delta":" done"`, `"TEXT_MESSAGE_END"`, `{"type":"RUN_FINISHED","threadId":"t1","runId":"r1"}`} {
			if got := c.next(); !strings.Contains(got, want) {
				t.Errorf("%s instead of %s", got, want)
			}
		}
		if got := again.rest(); !strings.Contains(got, `"delta":"Half`) || !strings.Contains(got, "RUN_FINISHED") {
			t.Errorf("sent again: %s", got)
		}
		c = r.run("dev", `{"threadId":"agent_bd::t2","runId":"r2","messages":[{"id":"a","role":"assistant","toolCalls":[]},{"id":"m1","role":"user","content":"Again"}]}`)
		c.next()
		if in := a.must("inbound"); in["meta"].(map[string]any)["chat_id"] != "agent_bd::t2" {
			t.Errorf("%v", in)
		}
		r.bridge.Stop(func(string) bool { return true })
		if got := c.next(); got != `{"type":"RUN_ERROR","message":"A person in the office stopped the turn.","code":"turn_stopped"}` {
			t.Errorf("%s", got)
		}
		for body, status := range map[string]int{
			`{"threadId":"t","runId":"r","messages":[]}`:                               http.StatusBadRequest,
			`{"runId":"r","messages":[{"role":"user","content":"x"}]}`:                 http.StatusBadRequest,
			`{"threadId":"t","messages":[{"role":"user","content":"x"}]}`:              http.StatusBadRequest,
			`{"threadId":"~t","runId":"r","messages":[{"role":"user","content":"x"}]}`: http.StatusBadRequest,
			`{"threadId":1,"runId":"r","messages":[{"role":"user","content":"x"}]}`:    http.StatusBadRequest,
			`nonsense`: http.StatusBadRequest,
		} {
			if c := r.run("dev", body); c.resp.StatusCode != status {
				t.Errorf("%s: %d %s", body, c.resp.StatusCode, c.rest())
			}
		}
		if c := r.run("nobody", firstRun); c.resp.StatusCode != http.StatusServiceUnavailable {
			t.Errorf("%d %s", c.resp.StatusCode, c.rest())
		}
	})
}
