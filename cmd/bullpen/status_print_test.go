package main

import (
	"strings"
	"testing"

	"github.com/bullpen-office/bullpen/contracts"
)

// A reason that only repeats the state is not printed.
func TestStatusSaysFreeOnce(t *testing.T) {
	var b strings.Builder
	r := statusReport{Agents: []agentStatus{
		{AgentID: "agent_a", Name: "Ada", State: contracts.StateIdle, Why: "Free."},
		{AgentID: "agent_b", Name: "Bram", State: contracts.StateIdle, Why: "Waits for a desk."},
	}}
	if err := r.printPeople(&b); err != nil {
		t.Fatal(err)
	}
	if out := b.String(); strings.Count(out, "Free") != 2 || !strings.Contains(out, "Waits for a desk.") {
		t.Errorf("people:\n%s", out)
	}
}
