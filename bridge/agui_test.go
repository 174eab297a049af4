package bridge_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/bullpen-office/bullpen/contracts"
)

// run posts a run request as AG-UI's HttpAgent does.
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

// B15: an AG-UI client's run is one turn: it starts immediately, its text is streamed, and it ends
// with success or an error. A repeated run joins the same turn.
func TestRunOfAnAGUIClient(t *testing.T) {
	inTime(t, config{DefaultAgent: "dev"}, func(t *testing.T, r *rig) {
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
		for i, agent := range []string{"dev", "default", "bullpen"} { // a thread cannot name another agent
			thread := fmt.Sprintf("agent_bd::t%d", i)
			c = r.run(agent, `{"threadId":"`+thread+`","runId":"`+thread+`","messages":[{"id":"a","role":"assistant","toolCalls":[]},{"id":"m1","role":"user","content":"Again"}]}`)
			c.next()
			if in := a.must("inbound"); in["meta"].(map[string]any)["chat_id"] != thread {
				t.Errorf("%s: %v", agent, in)
			}
			r.sendOrder("agent_dev", "stop")
			if got := c.next(); got != `{"type":"RUN_ERROR","message":"A person in the office stopped the turn.","code":"turn_stopped"}` {
				t.Errorf("%s: %s", agent, got)
			}
			a.must("cancel")
		}
		const said = `"messages":[{"role":"user","content":"x"}]}`
		long := strings.Repeat("x", contracts.LimitSessionKey+1)
		for body, why := range map[string]string{
			`{"threadId":"t","runId":"r","messages":[]}`:     `"messages"`,
			`{"runId":"r",` + said:                           `"param":"threadId"`,
			`{"threadId":"` + long + `","runId":"r",` + said: `"param":"threadId"`,
			`{"threadId":"t",` + said:                        `"param":"runId"`,
			`{"threadId":"t","runId":"` + long + `",` + said: `"param":"runId"`,
			`{"threadId":"~t","runId":"r",` + said:           `"param":"user"`,
			`{"threadId":1,"runId":"r",` + said:              `"param":"threadId"`,
			`nonsense`:                                       "not a RunAgentInput",
		} {
			c := r.run("dev", body)
			if got := c.rest(); c.resp.StatusCode != http.StatusBadRequest || !strings.Contains(got, why) {
				t.Errorf("%.60s: %d %s", body, c.resp.StatusCode, got)
			}
		}
		if c := r.run("nobody", firstRun); c.resp.StatusCode != http.StatusServiceUnavailable {
			t.Errorf("%d %s", c.resp.StatusCode, c.rest())
		}
	})
}
