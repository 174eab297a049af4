package director_test

import (
	"testing"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/director"
	"github.com/bullpen-office/bullpen/policy"
	"github.com/go-json-experiment/json/jsontext"
)

// ruled returns a rig whose office has a policy and a guest.
func ruled(t tester, rules ...contracts.Rule) *rig {
	s := newRig(t)
	s.d = director.New(director.Config{Sources: sources, Policy: policy.New(rules)})
	visit(s, guestID)
	return s
}

func rule(effect contracts.Effect, id string, commands ...string) contracts.Rule {
	return contracts.Rule{RuleID: id, Effect: effect, Reason: "because", Tool: []string{"exec"}, Command: commands}
}

// shellRequest returns the permission request for a shell line, in the vendor's own format.
func shellRequest(line string) contracts.AskSeen {
	f := permission()
	f.Permission = &contracts.Permission{Tool: "Bash", Args: jsontext.Value(`{"cmd":"` + line + `"}`), Label: line}
	return f
}

func TestRulesAnswerPermissionRequests(t *testing.T) {
	s := ruled(t, rule(contracts.EffectAllow, "build", "make", "git *"), rule(contracts.EffectDeny, "no-publish", "npm publish"))
	for line, want := range map[string][3]string{
		"make":             {"resolved", contracts.OptionAllow, "Allowed by rule build (bullpen.yaml): because"},
		"npm publish":      {"resolved", contracts.OptionDeny, "Denied by rule no-publish (bullpen.yaml): because"},
		"git push --force": {"open", "", ""},
		"other":            {"open", "", ""},
	} {
		s.must(shellRequest(line))
		d := s.w.Decision(s.result.DecisionID)
		if got := [3]string{string(d.Status), d.Choice, d.Note}; got != want || (s.result.RuleID != "") != (want[1] != "") {
			t.Errorf("%s: got %q by %q, want %q", line, got, s.result.RuleID, want)
		}
	}
}

// The record of a rule's answer names the rule and is audited like a person's answer.
func TestAnswerByRuleIsRecorded(t *testing.T) {
	s := ruled(t, rule(contracts.EffectDeny, "no-make", "make"))
	s.must(shellRequest("make"))
	var events []*contracts.Event
	for _, rec := range s.recs {
		body, err := rec.Decode()
		if err != nil {
			t.Fatal(err)
		}
		if e, ok := body.(*contracts.Event); ok && e.DecisionID == s.result.DecisionID {
			events = append(events, e)
		}
	}
	if len(events) != 2 || events[0].Name != contracts.EventDecisionRequested || events[1].Name != contracts.EventDecisionResolved {
		t.Fatalf("got %+v, want the request and its answer", events)
	}
	for _, e := range events {
		if e.RuleID != "no-make" {
			t.Errorf("%s names the rule %q", e.Name, e.RuleID)
		}
	}
	if e := events[1]; e.By != contracts.ByPolicy || e.Via != "rule no-make" || e.Meta.Title != "Denied by rule no-make" {
		t.Errorf("the answer is recorded as %+v", e)
	}
	if s.state() != contracts.StateIdle && s.state() != contracts.StateWalking {
		t.Errorf("the agent went to a person: %s", s.state())
	}
}

// A rule can allow a request only if "Allow once" is one of the request's options, but a rule can
// deny any request.
func TestRulesKeepToTheOptions(t *testing.T) {
	s := ruled(t, rule(contracts.EffectAllow, "make", "make"), rule(contracts.EffectDeny, "rm", "rm"))
	hidden := shellRequest("make")
	hidden.Options = []string{contracts.OptionDeny}
	foreign := shellRequest("rm x")
	foreign.Options = []string{"Yes", "No"}
	question := shellRequest("make")
	question.Kind = contracts.DecisionAsk
	unread := shellRequest("make")
	unread.RepoRules = &contracts.RepoRules{Problem: "the rules of the repository cannot be read"}
	allowed := shellRequest("make")
	allowed.Options = []string{"Yes", "No"}
	for name, f := range map[string]contracts.AskSeen{"only deny": hidden, "other options": allowed, "a question": question, "unreadable repository": unread} {
		s.must(f)
		if d := s.w.Decision(s.result.DecisionID); d.Status != contracts.DecisionOpen || s.result.RuleID != "" {
			t.Errorf("%s: answered by rule %q", name, s.result.RuleID)
		}
	}
	s.must(foreign)
	if d := s.w.Decision(s.result.DecisionID); d.Status != contracts.DecisionResolved || d.Choice != contracts.OptionDeny {
		t.Errorf("a denied request with other options: %s, %q", d.Status, d.Choice)
	}
}

func TestARepositoryTightens(t *testing.T) {
	s := ruled(t, rule(contracts.EffectAllow, "all", "*"))
	f := shellRequest("make deploy")
	f.RepoRules = &contracts.RepoRules{Rules: []contracts.Rule{rule(contracts.EffectDeny, "no-deploy", "make deploy"), rule(contracts.EffectAllow, "ignored", "rm *")}}
	s.must(f)
	if s.result.RuleID != "no-deploy" || s.w.Decision(s.result.DecisionID).Choice != contracts.OptionDeny {
		t.Errorf("got rule %q, want no-deploy", s.result.RuleID)
	}
	f.Permission = shellRequest("rm -rf x").Permission
	s.must(f)
	if s.result.RuleID != "" {
		t.Errorf("rule %q answered, want a question", s.result.RuleID)
	}
}
