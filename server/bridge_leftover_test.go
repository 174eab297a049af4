package server

import (
	"testing"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/drive"
)

// A turn of the bridge that a killed server left open is ended with the reason at
// the next start, and its agent does not look busy any more.
func TestTurnOfTheBridgeEndsWithTheServer(t *testing.T) {
	cfg := nobody()
	cfg.DataDir = t.TempDir()
	r := startRig(t, cfg)
	turn, err := r.Begin(t.Context(), "scout", drive.Spec{Key: "scout::default"}, drive.Prompt{Text: "Look around", MessageID: "m1"})
	if err != nil {
		t.Fatal(err)
	}
	turn.ToolStart("call_1", "Read", map[string]string{"path": "a.go"})
	r.untilListed("agent_scout", func(a AgentRow) bool { return a.Activity == contracts.ActivityWorking })
	r.stop()
	again := startRig(t, cfg)
	again.untilTrue("what was open has ended", func() bool { return len(again.facts("agent_scout")) == 5 })
	again.untilListed("agent_scout", func(a AgentRow) bool { return a.Activity == contracts.ActivityIdle })
	facts := again.facts("agent_scout")
	if n := len(facts); n != 5 || facts[n-2].Event != contracts.HUDToolEnd || facts[n-1].Event != contracts.HUDTurnEnd || facts[n-1].CorrelationID != facts[1].CorrelationID {
		t.Errorf("%+v", facts)
	}
}
