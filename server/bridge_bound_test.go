package server

import (
	"net/http"
	"strings"
	"testing"

	"github.com/bullpen-office/bullpen/contracts"
)

// B7, S2: a token bound to an agent can be used to prompt, list and report for that agent only,
// even if a request names another agent.
func TestBoundTokenReachesOneAgent(t *testing.T) {
	r := startRig(t, Config{})
	const question = `"messages":[{"role":"user","content":"Who is here?"}]`
	for _, bound := range []string{"agent_bd", "Bob the builder"} {
		id := contracts.AgentIDOf(bound)
		token, revoke := r.gate.Issue(id)
		defer revoke()
		auth := "Authorization: Bearer " + token
		for body, header := range map[string]string{
			`{"model":"bullpen/agent_eng_1",` + question + `}`:                         "",
			`{"model":"eng_1",` + question + `}`:                                       "",
			`{"model":"bullpen","user":"agent_eng_1::notes",` + question + `}`:         "",
			`{"model":"bullpen/` + id + `","user":"x",` + question + `}`:               "X-Openclaw-Agent-Id: agent_eng_1",
			`{"model":"bullpen/` + id + `","stream":true,` + question + `}`:            "X-Openclaw-Session-Key: agent_eng_1::notes",
			`{"model":"bullpen/nobody","stream":true,"user":"y",` + question + `}`:     "",
			`{"model":"gpt-4o","stream":true,"user":"` + id + `",` + question + `}`:    "",
			`{"model":"bullpen/agent_bd::agent_bd","user":"z",` + question + `}`:       "X-Openclaw-Agent-Id: agent_eng_1",
			`{"model":"bullpen","user":"agent_eng_1::` + id + `::z",` + question + `}`: "X-Openclaw-Chat-Id: z",
		} {
			headers := []string{auth}
			if header != "" {
				headers = append(headers, header)
			}
			if status, text := r.post("/v1/chat/completions", body, headers...); status != http.StatusForbidden || !strings.Contains(text, `"permission_denied"`) || !strings.Contains(text, id) {
				t.Errorf("%s %s: %d %s", body, header, status, text)
			}
		}
		if status, text := r.post("/v1/agui/agent_eng_1", `{"threadId":"`+id+`::t","runId":"r",`+question+`}`, auth); status != http.StatusForbidden {
			t.Errorf("the token runs another agent: %d %s", status, text)
		}
		if status, text := r.post("/v1/ui/status?agent=agent_eng_1", "busy", auth); status != http.StatusForbidden {
			t.Errorf("the token reports for another agent: %d %s", status, text)
		}
		if status, text := r.post("/v1/ui/status?agent="+strings.ReplaceAll(bound, " ", "%20"), "busy", auth); status != http.StatusOK {
			t.Errorf("the token cannot report for its own agent: %d %s", status, text)
		}
		_, models, _ := r.get("/v1/models", token)
		if strings.Contains(models, "agent_eng_1") || strings.Contains(models, "agent_bd") != (id == "agent_bd") {
			t.Errorf("the token lists %s", models)
		}
		if status, _, _ := r.get("/v1/models/bullpen/agent_eng_1", token); status != http.StatusNotFound {
			t.Errorf("another model is %d", status)
		}
	}
	token, revoke := r.gate.Issue("agent_eng_1")
	defer revoke()
	for _, model := range []string{"bullpen", "bullpen/agent_eng_1", "eng_1"} { // bullpen names no agent and means the token's own
		if status, text := r.post("/v1/chat/completions", `{"model":"`+model+`",`+question+`}`, "Authorization: Bearer "+token); status != http.StatusOK {
			t.Errorf("%s: %d %s", model, status, text)
		}
	}
}
