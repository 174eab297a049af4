//go:build unix

package e2e_test

import (
	"net/http/httptest"
	"testing"

	"github.com/bullpen-office/bullpen/drive/drivetest"
	"github.com/bullpen-office/bullpen/server"
	"github.com/bullpen-office/bullpen/staff"
)

// B1: the clients that people use hear what an agent used, where it says so.
func TestClientsHearWhatWasUsed(t *testing.T) {
	t.Parallel()
	endpoint := httptest.NewServer(&drivetest.Completions{})
	defer endpoint.Close()
	d := openDoor(t, server.Config{Staff: staff.Staff{Default: "model", Runners: map[string]staff.Runner{
		"model": {Kind: staff.OpenAI, BaseURL: endpoint.URL + "/v1", Model: "model-a"},
	}}})
	client := d.goClient()
	stream := client.Chat.Completions.NewStreaming(t.Context(), goPrompt("bullpen/agent_bd", "How are you?"))
	var used int64
	for stream.Next() {
		used = max(used, stream.Current().Usage.TotalTokens)
	}
	if err := stream.Err(); err != nil || used == 0 {
		t.Errorf("the client for Go heard of %d tokens: %v", used, err)
	}
	for client := range clients {
		for scenario, got := range d.play(client, "bullpen/agent_bd", "stream", "whole") {
			if got.Error != nil || got.Usage == nil || *got.Usage == 0 {
				t.Errorf("%s, %s: %+v %+v", client, scenario, got, got.Error)
			}
		}
	}
}
