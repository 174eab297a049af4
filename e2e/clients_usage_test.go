//go:build unix

package e2e_test

import (
	"net/http/httptest"
	"testing"

	"github.com/bullpen-office/bullpen/drive/drivetest"
	"github.com/bullpen-office/bullpen/server"
	"github.com/bullpen-office/bullpen/staff"
)

// B1: widely used clients receive an agent's usage if the agent reports it.
func TestOpenAIClientsGetUsage(t *testing.T) {
	t.Parallel()
	endpoint := httptest.NewServer(&drivetest.Completions{})
	defer endpoint.Close()
	d := startOpenAI(t, server.Config{Staff: staff.Staff{Default: "model", Runners: map[string]staff.Runner{
		"model": {Kind: "openai", BaseURL: endpoint.URL + "/v1", Model: "model-a"},
	}}})
	for client := range clients {
		for scenario, got := range d.play(client, "bullpen/agent_bd", "stream", "whole") {
			if got.Error != nil || got.Usage == nil || *got.Usage == 0 {
				t.Errorf("%s, %s: %+v %+v", client, scenario, got, got.Error)
			}
		}
	}
}

// OpenAI's client works with the scripted endpoint that the tests of our own client use.
func TestOpenAIClientOnTheFakeModel(t *testing.T) {
	t.Parallel()
	endpoint := httptest.NewServer(&drivetest.Completions{})
	defer endpoint.Close()
	d := &openAIServer{t: t, addr: endpoint.Listener.Addr().String(), key: "sk-any"}
	for scenario, got := range d.play("go", "model-a", "stream", "whole") {
		if got.Error != nil || got.Text == "" || got.Finish != "stop" || got.Usage == nil || *got.Usage == 0 {
			t.Errorf("%s: %+v %+v", scenario, got, got.Error)
		}
	}
}
