package director

import (
	"reflect"
	"slices"
	"unicode/utf8"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/policy"
)

// offerRule sets d.AlwaysAdds to the rule that "Always allow" would record. If no rule can describe
// the call, or the rule cannot be shown on one line, d.NoRule has the reason instead. If the agent
// does not offer "Always allow" itself and a person chooses it, the agent receives "Allow once".
func (a *act) offerRule(d *contracts.Decision, rules policy.Policy, q policy.Request) {
	rule, problem := rules.Narrow(q, "always."+d.DecisionID)
	asked := *d.Permission
	grants := "an office rule for every agent: " + policy.Describe(rule)
	if asked.Grants != "" {
		grants = asked.Grants + "; and " + grants
	}
	if problem == "" && (utf8.RuneCountInString(grants) > contracts.LimitNote || contracts.CleanLine(grants) != grants) {
		problem = "the rule cannot be shown on one line"
	}
	if d.NoRule = contracts.Clip(problem, contracts.LimitNote); problem != "" {
		return
	}
	if !slices.Contains(d.Options, contracts.OptionAlways) {
		if i := slices.Index(d.Options, contracts.OptionAllow); i >= 0 && len(d.Options) < contracts.LimitOptions && d.Descriptions == nil {
			d.Options, d.OfficeOnly = slices.Insert(d.Options, i+1, contracts.OptionAlways), true
		} else {
			return
		}
	}
	asked.Grants = grants
	d.Permission, d.AlwaysAdds = &asked, &rule
}

// addRule records the rule that a permission request offers and returns its id, or "" if the
// request offers no rule. If an equal rule exists, addRule adds nothing and returns the id of that
// rule.
func (a *act) addRule(d *contracts.Decision) (ruleID string, refusal *contracts.Refusal) {
	if d.AlwaysAdds == nil {
		return "", nil
	}
	rule := *d.AlwaysAdds
	for _, known := range a.w.Rules() {
		same := rule
		if same.RuleID = known.Rule.RuleID; reflect.DeepEqual(known.Rule, same) {
			return same.RuleID, nil
		}
	}
	if n := len(a.w.Rules()); n >= contracts.LimitAddedRules {
		return "", contracts.Refuse(contracts.CodeConflict, "the office already has %d rules from the inbox, which is the limit; answer %q, or revoke a rule with `bullpen policy revoke`", n, contracts.OptionAllow)
	}
	a.emitKeyed("rule/"+rule.RuleID, &contracts.Event{Name: contracts.EventRuleAdded, AgentID: d.AskedBy, DecisionID: d.DecisionID, RuleID: rule.RuleID, Rule: &rule,
		By: a.caller.By, Via: a.caller.Via, Meta: &contracts.Meta{Title: "Rule " + rule.RuleID + " added", Summary: policy.Describe(rule)}})
	return rule.RuleID, nil
}

func (a *act) revokeRule(c contracts.RevokeRule) (contracts.Result, *contracts.Refusal) {
	if !a.caller.Permit {
		return contracts.Result{}, contracts.RefuseWithoutOperator("revoking a rule")
	}
	var ids []string
	for _, r := range a.w.Rules() {
		if r.Rule.RuleID == c.RuleID {
			a.emitKeyed("revoked/"+c.RuleID, &contracts.Event{Name: contracts.EventRuleRevoked, RuleID: c.RuleID, DecisionID: r.DecisionID, By: a.caller.By, Via: a.caller.Via,
				Meta: &contracts.Meta{Title: "Rule " + c.RuleID + " revoked", Summary: policy.Describe(r.Rule)}})
			return contracts.Result{RuleID: c.RuleID}, nil
		}
		ids = append(ids, r.Rule.RuleID)
	}
	for _, r := range a.cfg.Policy.Rules() {
		if r.RuleID == c.RuleID {
			return contracts.Result{}, contracts.Refuse(contracts.CodeNotAllowed, "rule %s is not from the inbox; change it in bullpen.yaml", c.RuleID)
		}
	}
	return contracts.Result{}, contracts.RefuseUnknown("rule", c.RuleID, "added by \"Always allow\"", ids)
}
