package tui

import (
	"fmt"
	"testing"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/tui/link"
)

// findRules opens the list of rules from the command palette.
func (s *stage) findRules() {
	s.t.Helper()
	s.keys("ctrl+k", `"rules"`, "enter")
}

func (s *stage) hasRule(id string) {
	s.conn.texts["/v1/state"] = fmt.Sprintf(`{"rules":[{"rule":{"rule_id":%q,"effect":"allow","tool":["exec"],"command":["make test"],"repo":["/src/shop"]},"decision_id":"dec_d12","by":"owner","at":%d}]}`, id, s.now.UnixMilli()-150_000)
}

// A rule that "Always allow" added is revoked by selecting it and confirming.
func TestRuleIsRevoked(t *testing.T) {
	s := newStage(t, 100, 30)
	s.live(true)
	s.hasRule("always.dec_d12")
	s.findRules()
	s.says("exec make test in /src/shop", "2 min ago")
	s.keys("enter")
	s.says("always.dec_d12", "Keep the rule", contracts.SayRevoke)
	s.keys("enter")
	s.says("exec make test in /src/shop")
	s.gaveNone()
	s.keys("enter", "down", "enter")
	s.says(contracts.SayRuleRevoked)
	s.gave(contracts.RevokeRule{RuleID: "always.dec_d12"})
}

func TestRulesThatCannotBeListedOrRevoked(t *testing.T) {
	s := newStage(t, 100, 30)
	s.live(true)
	s.findRules()
	s.says("there is nothing at /v1/state")
	s.conn.texts["/v1/state"] = `{}`
	s.findRules()
	s.says("No rules yet.")
	s.hasRule("always.dec_d12")
	s.conn.reply = link.Reply{Code: contracts.CodeNotAllowed, Message: "revoking a rule requires the operator credential"}
	s.findRules()
	s.keys("enter", "down", "enter")
	s.says("revoking a rule requires the operator credential")
}
