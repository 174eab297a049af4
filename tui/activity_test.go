package tui

import (
	"strings"
	"testing"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/tui/link"
	"github.com/bullpen-office/bullpen/tui/model"
)

// History is open while there is nothing else, and stays so when news come; what
// still runs is no history, even when it was sent as such (H2).
func TestNewsFoldNothingAway(t *testing.T) {
	s := newStage(t, 80, 24)
	s.live(true)
	did := func(id string, event contracts.HUDEvent, call, tool string, replay bool) {
		h := &contracts.HUD{UUID: id, Event: event, CorrelationID: call, Tool: tool, AgentID: "agent_a", Replay: replay}
		s.tell(link.Update{Messages: []model.Message{{Type: contracts.MessageType(contracts.KindHUD), ID: id, TS: s.now.UnixMilli(), Payload: h}}})
	}
	did("1", contracts.HUDToolStart, "c1", "old_tool", true)
	did("2", contracts.HUDToolEnd, "c1", "old_tool", true)
	s.keys("a")
	s.says("Earlier · 1", "old_tool")
	did("3", contracts.HUDToolStart, "c2", "new_tool", false)
	s.says("new_tool", "Earlier · 1", "old_tool")
	did("4", contracts.HUDToolStart, "c3", "running_tool", true)
	s.says("running_tool", "Earlier · 1")
	s.keys("end", "up", "enter")
	if shown := s.shown(); strings.Contains(shown, "old_tool") {
		t.Errorf("the group does not fold:\n%s", shown)
	}
}

// TestActivityOfOne: a number goes to that person, and a key that can do nothing
// says so.
func TestActivityOfOne(t *testing.T) {
	s := newStage(t, 80, 24)
	played("first_minute.jsonl", atWork, "a", "2")(s)
	s.says("Bram has done nothing yet.")
	s.keys("4")
	s.says(" Dov  [ ] another person", "Thinking")
	s.keys("down", "down", "w")
	s.says("No more details for this line.")
}
