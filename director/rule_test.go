package director_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
)

// inShop returns the permission request for a shell line in the directory /src/shop, from a program
// without its own "Always allow".
func inShop(line string) contracts.AskSeen {
	f := shellRequest(line)
	f.Dir, f.Options = "/src/shop", []string{contracts.OptionAllow, contracts.OptionDeny}
	return f
}

func always(id string) contracts.ResolveDecision {
	return contracts.ResolveDecision{DecisionID: id, Choice: contracts.OptionAlways}
}

// permitted returns a rig whose caller may answer permission requests.
func permitted(t tester, rules ...contracts.Rule) *rig {
	s := ruled(t, rules...)
	s.caller = contracts.Caller{Permit: true, By: "tok_ada", Via: "a test"}
	return s
}

// "Always allow" answers the request and adds a rule. The rule answers later requests of this kind
// until it is revoked.
func TestAlwaysAddsARule(t *testing.T) {
	s := permitted(t)
	s.must(inShop("make test"))
	d := s.w.Decision(s.result.DecisionID)
	if want := []string{contracts.OptionAllow, contracts.OptionAlways, contracts.OptionDeny}; !slices.Equal(d.Options, want) || d.Permission.Grants != "an office rule for every agent: exec make test in /src/shop" {
		t.Fatalf("the request offers %q, covering %q", d.Options, d.Permission.Grants)
	}
	id := s.do(always(d.DecisionID)).RuleID
	if d.Choice != contracts.OptionAllow {
		t.Errorf("a program that does not offer %q got %q", contracts.OptionAlways, d.Choice)
	}
	want := []contracts.AddedRule{{
		Rule:       contracts.Rule{RuleID: id, Effect: contracts.EffectAllow, Tool: []string{"exec"}, Command: []string{"make test"}, Repo: []string{"/src/shop"}},
		DecisionID: d.DecisionID, By: "tok_ada", At: s.now,
	}}
	if diff := cmp.Diff(want, s.w.Snapshot(s.now, nil, sources).Rules); diff != "" {
		t.Fatal(diff)
	}
	answered := func(line, dir string) bool {
		f := inShop(line)
		f.Dir = dir
		s.must(f)
		return s.result.RuleID == id
	}
	if !answered("make test", "/src/shop") || !answered("make test", "/src/shop/api") {
		t.Error("the rule does not answer the same call")
	}
	if answered("make", "/src/shop") || answered("make test deploy", "/src/shop") || answered("make test", "/src/other") || answered("make test; rm -rf x", "/src/shop") {
		t.Error("the rule answers another call")
	}
	s.do(contracts.RevokeRule{RuleID: id})
	if answered("make test", "/src/shop") || len(s.w.Rules()) != 0 {
		t.Error("the rule still answers after it was revoked")
	}
	s.refuse(contracts.CodeNotFound, contracts.RevokeRule{RuleID: id})
	s.checkReplay()
}

// A program that offers its own "Always allow" receives that answer, whether or not a rule is
// added.
func TestAlwaysKeepsTheMeaningOfTheProgram(t *testing.T) {
	s := permitted(t)
	for line, rules := range map[string]int{"make $TARGET": 0, "make": 1} {
		f := shellRequest(line)
		f.Dir, f.Permission.Grants = "/src/shop", "allow Bash(make:*)"
		s.must(f)
		d := s.w.Decision(s.result.DecisionID)
		if !strings.HasPrefix(d.Permission.Grants, "allow Bash(make:*)") {
			t.Errorf("%s: covers %q", line, d.Permission.Grants)
		}
		before := len(s.w.Rules())
		if s.do(always(d.DecisionID)); d.Choice != contracts.OptionAlways || len(s.w.Rules())-before != rules {
			t.Errorf("%s: answered %q, %d rules added, want %d", line, d.Choice, len(s.w.Rules())-before, rules)
		}
	}
}

// "Always allow" is refused, with a reason, for a call that no rule can describe narrowly and for a
// call that always requires a person's answer.
func TestAlwaysIsRefusedWithAReason(t *testing.T) {
	s := permitted(t, rule(contracts.EffectAsk, "deploys", "make deploy"))
	tool := inShop("x")
	tool.Permission = &contracts.Permission{Tool: "mcp__mail__send", Args: jsontext.Value(`{"to":"ana"}`), Label: "mail"}
	nowhere := inShop("make")
	nowhere.Dir = ""
	home := inShop("make")
	home.Dir, home.Home = "/home/ada", "/home/ada"
	for want, f := range map[string]contracts.AskSeen{
		"substitution":         inShop("make $(x)"),
		"default.force-push":   inShop("git push --force"),
		"rule deploys":         inShop("make deploy"),
		"contains a *":         inShop("grep 'a*b' x"),
		"cannot be expressed":  inShop("grep 'a b' x"),
		"allow any arguments":  tool,
		"repository or direct": nowhere,
		"or directory that":    home,
	} {
		s.must(f)
		id := s.result.DecisionID
		s.refuse(contracts.CodeValidationFailed, always(id))
		if _, refusal := s.try(always(id)); !strings.Contains(refusal.Message, want) {
			t.Errorf("got %q, want a reason with %q", refusal.Message, want)
		}
		if d := s.w.Decision(id); slices.Contains(d.Options, contracts.OptionAlways) {
			t.Errorf("%s: offered", want)
		}
	}
}

// Rules can be added and revoked only with the operator credential.
func TestRulesNeedTheCredential(t *testing.T) {
	s := permitted(t)
	s.must(inShop("make"))
	first := s.result.DecisionID
	for _, caller := range []contracts.Caller{{}, {Access: contracts.AccessAgent}, {Access: contracts.AccessOperator}} {
		s.caller = caller
		s.refuse(contracts.CodeNotAllowed, always(first))
	}
	s.caller.Permit = true
	id := s.do(always(first)).RuleID
	s.caller.Permit = false
	s.refuse(contracts.CodeNotAllowed, contracts.RevokeRule{RuleID: id})
	s.caller.Permit = true
	s.refuse(contracts.CodeNotAllowed, contracts.RevokeRule{RuleID: "default.force-push"})
}

// Two open requests for the same call add one rule, and the number of rules is limited.
func TestRulesAreAddedOnce(t *testing.T) {
	s := permitted(t)
	var open []string
	for range 2 {
		s.must(inShop("make"))
		open = append(open, s.result.DecisionID)
	}
	if first, second := s.do(always(open[0])).RuleID, s.do(always(open[1])).RuleID; first != second || len(s.w.Rules()) != 1 {
		t.Errorf("%d rules, %q and %q", len(s.w.Rules()), first, second)
	}
	for i := len(s.w.Rules()); i < contracts.LimitAddedRules; i++ {
		s.must(inShop(fmt.Sprintf("make target%d", i)))
		s.do(always(s.result.DecisionID))
	}
	s.must(inShop("make more"))
	s.refuse(contracts.CodeConflict, always(s.result.DecisionID))
}
