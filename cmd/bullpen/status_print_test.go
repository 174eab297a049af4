package main

import (
	"strings"
	"testing"

	"github.com/bullpen-office/bullpen/contracts"
)

// A reason that only repeats the state is not printed.
func TestStatusDoesNotRepeatTheState(t *testing.T) {
	var b strings.Builder
	r := statusReport{Agents: []agentStatus{
		{AgentID: "agent_a", Name: "Ada", Doing: "free", Why: "Free."},
		{AgentID: "agent_b", Name: "Bram", Doing: "free", Why: "Waits for a desk."},
		{AgentID: "agent_c", Name: "Cleo", Doing: "needs_you", Why: "Needs you: Which color?"},
	}}
	if err := r.printPeople(&b); err != nil {
		t.Fatal(err)
	}
	if out := b.String(); strings.Count(out, "Free") != 2 || !strings.Contains(out, "Waits for a desk.") || !strings.Contains(out, "Needs you  Which color?") {
		t.Errorf("people:\n%s", out)
	}
}

// The end of a turn shows the agent's answer and how long the turn took.
func TestHUDWordsShowTheAnswer(t *testing.T) {
	took := int64(3000)
	got := hudWords(&contracts.HUD{Event: contracts.HUDTurnEnd, Said: "All tests pass.", DurationMS: &took})
	if want := "Answered: All tests pass. (done after 3.0 s)"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
