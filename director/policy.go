package director

import (
	"slices"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/hud"
	"github.com/bullpen-office/bullpen/policy"
)

// judge returns the policy's outcome for a permission request, and the option that answers the
// request; choice is "" if a person must decide. A rule can allow a call only if OptionAllow is one
// of the request's options. A deny rule answers even a request that has no deny option, because an
// answer that is not an option never allows the call.
func (a *act) judge(f contracts.AskSeen, d *contracts.Decision) (outcome policy.Outcome, choice string) {
	if f.Kind != contracts.DecisionPermission {
		return policy.Outcome{}, ""
	}
	rules, problem := a.cfg.Policy.WithAdded(a.w.Rules()), ""
	if repo := f.RepoRules; repo != nil {
		rules, problem = rules.WithRepository(repo.Rules), repo.Problem
	}
	call := hud.Canonical(hud.Call{Tool: f.Permission.Tool, Args: f.Permission.Args})
	q := policy.Request{
		Tool: call.Tool, Args: call.Args, AgentID: f.AgentID, Dir: f.Dir, Home: f.Home,
		AskReason: problem, DenyOnly: !slices.Contains(d.Options, contracts.OptionAllow),
	}
	if ag := a.w.Agent(f.AgentID); ag != nil {
		q.Repo = ag.Repo
	}
	outcome = rules.Evaluate(q)
	switch outcome.Effect {
	case contracts.EffectDeny:
		choice = contracts.OptionDeny
	case contracts.EffectAllow:
		choice = contracts.OptionAllow
	default:
		a.offerRule(d, rules, q)
	}
	return outcome, choice
}

// answerByRule records a permission request with the answer that a rule gave. Waiting callers get
// the answer as if a person had given it.
func (a *act) answerByRule(d *contracts.Decision, outcome policy.Outcome, choice string) {
	name, verb := "A script", "Allowed"
	if ag := a.w.Agent(d.AskedBy); ag != nil {
		name = ag.Name
	}
	if choice == contracts.OptionDeny {
		verb = "Denied"
	}
	rule := outcome.RuleID()
	note := contracts.Clip(verb+" by "+outcome.Reason, contracts.LimitNote)
	a.emitKeyed("dec/"+d.DecisionID, &contracts.Event{Name: contracts.EventDecisionRequested, AgentID: d.AskedBy, DecisionID: d.DecisionID, Decision: d, RuleID: rule,
		Meta: &contracts.Meta{Title: name + " asked for permission", Summary: d.Prompt}})
	a.emitKeyed("res/"+d.DecisionID, &contracts.Event{Name: contracts.EventDecisionResolved, AgentID: d.AskedBy, DecisionID: d.DecisionID, RuleID: rule,
		Choice: choice, Note: note, By: contracts.ByPolicy, Via: contracts.Clip("rule "+rule, contracts.LimitPreview),
		Meta: &contracts.Meta{Title: verb + " by rule " + rule, Summary: note}})
}
