//go:build unix

package e2e_test

import (
	"strings"
	"testing"

	"github.com/bullpen-office/bullpen/contracts"
)

// The operator's rules answer Claude Code's permission requests: one request is allowed, one is
// denied with the rule as the reason, and one is left to a person.
func TestClaudePermissionByRule(t *testing.T) {
	t.Parallel()
	d := newDesk(t, map[string][]reply{
		"allowed": {{calls("Bash", message{"command": "touch made.txt", "description": "make a file"})}, says("Done.")},
		"denied":  {{calls("Bash", message{"command": "touch denied.txt", "description": "make a file"})}, says("Done.")},
		"asked":   {{calls("Bash", message{"command": "touch asked.txt; touch made.txt", "description": "make files"})}, says("Done.")},
	})
	d.file("home/.bullpen/bullpen.yaml", `
policy:
  - {id: made, effect: allow, tool: exec, command: touch made.txt}
  - {id: no-denied, effect: deny, reason: not that file, tool: exec, command: touch denied.txt}
`)
	d.open()
	d.install()
	s := d.start()
	ended := func(turns int) func() bool {
		return func() bool { return tally(d.activity())["turn_end"] == turns }
	}
	s.prompt("[allowed] go")
	until(t, "the first turn ended without a person", ended(1))
	if !d.exists("made.txt") {
		t.Error("the allowed call did not run")
	}
	s.prompt("[denied] go")
	until(t, "the second turn ended without a person", ended(2))
	s.prompt("[asked] go")
	q := d.decision()
	if !strings.Contains(jsonText(q), "asked.txt") {
		t.Errorf("another call is asked: %v", q)
	}
	if d.exists("denied.txt") || d.exists("asked.txt") {
		t.Error("a call ran that was not allowed")
	}
	if m := d.give(d.operator(), "resolve_decision", message{"decision_id": q.str("decision_id"), "choice": contracts.OptionDeny}); m.str("type") != "ack" {
		t.Fatalf("the operator was refused: %v", m)
	}
	until(t, "the third turn ended", ended(3))
	out := s.end(t)
	if !strings.Contains(out, "rule no-denied") || !strings.Contains(out, "not that file") {
		t.Errorf("the agent was not told which rule denied it: %s", out)
	}
	var rules []string
	for _, row := range list(d.get("/v1/state")["decisions"]) {
		rules = append(rules, row.str("rule_id"))
	}
	if got := strings.Join(rules, " "); got != "made no-denied " {
		t.Errorf("the decisions name the rules %q", got)
	}
}
