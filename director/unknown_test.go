package director_test

import (
	"testing"

	"github.com/bullpen-office/bullpen/contracts"
)

// A command with an id that does not exist is refused, and the refusal suggests ids that exist.
func TestUnknownIDsAreRefusedWithSuggestions(t *testing.T) {
	s := newRig(t)
	wants := func(data contracts.CommandData, message string) {
		t.Helper()
		if _, refusal := s.try(data); refusal == nil || refusal.Code != contracts.CodeNotFound || refusal.Message != message {
			t.Errorf("%v, want NOT_FOUND: %s", refusal, message)
		}
	}
	wants(contracts.ResolveDecision{DecisionID: "dec_d99", Choice: "x"}, `no question "dec_d99" (open: none)`)
	for range 7 {
		s.must(contracts.AskSeen{Kind: contracts.DecisionAsk, Prompt: "Which one?", Options: []string{"a", "b"}})
	}
	wants(contracts.ResolveDecision{DecisionID: "dec_d99", Choice: "x"}, `no question "dec_d99" (open: dec_d3, dec_d4, dec_d5, dec_d6, dec_d7 and 2 more)`)
	wants(contracts.CancelTask{TaskID: "task_x", Confirm: true}, `no task "task_x" (open: none)`)
	wants(contracts.PauseProject{ProjectID: "proj_x"}, `no project "proj_x" (known: none)`)
	wants(contracts.ApproveArtifact{ArtifactID: "art_x"}, `no deliverable "art_x" (waiting for review: none)`)
}

// The refusal of a control describes the command in words, without the command's name.
func TestControlRefusalsDoNotNameCommands(t *testing.T) {
	s := newRig(t)
	visit(s, guestID)
	_, refusal := s.try(contracts.AgentControl{Name: contracts.CmdHandover, AgentID: guestID, ToAgentID: "agent_bd"})
	if want := "bullpen is a guest and can only be watched here; use its own terminal to hand over"; refusal == nil || refusal.Message != want {
		t.Errorf("%v, want %s", refusal, want)
	}
}
