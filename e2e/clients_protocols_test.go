//go:build unix

package e2e_test

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"

	"github.com/bullpen-office/bullpen/drive/drivetest"
	"github.com/bullpen-office/bullpen/server"
	"github.com/bullpen-office/bullpen/staff"
)

// thrown is an error as a client reports it.
type thrown struct {
	name   string
	status int
	kind   string
	code   string
}

// protocolClients maps the official clients of the Responses and Messages protocols to what they
// report: how an answer ends, and the errors that they throw when the agent disconnects during a
// turn, when the model is unknown, and when the key is invalid.
var protocolClients = map[string]struct {
	finish                   string
	broken, unknown, refused thrown
}{
	"responses": {"completed", thrown{"Error", 0, "", "server_error"}, thrown{"NotFoundError", http.StatusNotFound, "invalid_request_error", "model_not_found"},
		thrown{"AuthenticationError", http.StatusUnauthorized, "invalid_request_error", "invalid_api_key"}},
	"anthropic": {"end_turn", thrown{"APIError", 0, "api_error", "undefined"}, thrown{"NotFoundError", http.StatusNotFound, "not_found_error", "undefined"},
		thrown{"AuthenticationError", http.StatusUnauthorized, "authentication_error", "undefined"}},
}

// B16, B17: the official clients stream, read whole responses, continue conversations and throw their
// documented errors. One failure does not affect the next turn.
func TestProtocolClients(t *testing.T) {
	t.Parallel()
	for client, want := range protocolClients {
		t.Run(client, func(t *testing.T) {
			t.Parallel()
			d := startOpenAI(t, server.Config{Staff: staff.Staff{Bridge: staff.Bridge{Heartbeat: clientBeat}}})
			a := newActor(t, d.addr, owner(t, d.data))
			scenarios := []string{"unknown", "broken", "aborted", "whole", "tools", "stream", "conversation"}
			if client == "responses" { // Anthropic's client hides pings
				scenarios = append(scenarios, "quiet")
			}
			seen := d.play(client, "bullpen/dev", scenarios...)
			for _, scenario := range []string{"stream", "whole", "tools"} {
				got := seen[scenario]
				if got.Error != nil || got.Text != "One, two, three." || got.Finish != want.finish || !slices.Equal(got.Roles, []string{"assistant"}) || got.Usage != nil {
					t.Errorf("%s: %+v %+v", scenario, got, got.Error)
				}
			}
			if got := seen["broken"]; got.Text != "Well" || !got.threw(want.broken.name, want.broken.status, want.broken.kind, want.broken.code) {
				t.Errorf("an agent that disconnected: %+v %+v", got, got.Error)
			}
			if got := seen["unknown"]; !got.threw(want.unknown.name, want.unknown.status, want.unknown.kind, want.unknown.code) {
				t.Errorf("an unknown model: %+v", got.Error)
			}
			if got := seen["aborted"]; got.Text != "Well" {
				t.Errorf("a caller that cancels: %+v %+v", got, got.Error)
			}
			a.awaitNote("cancel")
			if got := seen["conversation"]; got.Error != nil || len(got.Texts) != 2 {
				t.Errorf("a conversation: %+v %+v", got, got.Error)
			}
			a.awaitNoteWith("Be brief.", "Who am I?") // first, the whole conversation
			a.awaitNote("And now?")                   // then only the new message
			if got := seen["quiet"]; client == "responses" && (got.Error != nil || got.Text != "Here.") {
				t.Errorf("a waiting caller: %+v %+v", got, got.Error)
			}
		})
	}
}

// B16, B17: if the office requires a token, only a Bullpen token works, and a model's usage is
// reported.
func TestProtocolClientsWithATokenGetUsage(t *testing.T) {
	t.Parallel()
	endpoint := httptest.NewServer(&drivetest.Completions{})
	defer endpoint.Close()
	d := startOpenAI(t, server.Config{RequireToken: true, Staff: staff.Staff{Default: "model", Runners: map[string]staff.Runner{
		"model": {Kind: "openai", BaseURL: endpoint.URL + "/v1", Model: "model-a"},
	}}})
	stranger := *d
	d.key = owner(t, d.data)
	for client, want := range protocolClients {
		if got := stranger.play(client, "bullpen/agent_bd", "refused")["refused"]; !got.threw(want.refused.name, want.refused.status, want.refused.kind, want.refused.code) {
			t.Errorf("%s without a token: %+v %+v", client, got, got.Error)
		}
		for scenario, got := range d.play(client, "bullpen/agent_bd", "stream", "whole") {
			if got.Error != nil || got.Text == "" || got.Usage == nil || *got.Usage == 0 {
				t.Errorf("%s, %s: %+v %+v", client, scenario, got, got.Error)
			}
			if len(got.Models) > 0 && !slices.Contains(got.Models, "bullpen/agent_bd") {
				t.Errorf("%s: the models are %q", client, got.Models)
			}
		}
	}
}
