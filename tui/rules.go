package tui

import (
	tea "charm.land/bubbletea/v2"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/model"
	"github.com/bullpen-office/bullpen/policy"
)

// openRules opens a menu for revoking rules that were added with "Always allow".
func (a *app) openRules() tea.Cmd {
	return later(func() func() tea.Cmd {
		var state contracts.Snapshot
		err := a.conn.GetJSON(a.ctx, "/v1/state", &state)
		return func() tea.Cmd {
			switch {
			case err != nil:
				a.toast(err.Error(), toneBad)
			case len(state.Rules) == 0:
				a.toast(contracts.SayNoRules, tonePlain)
			default:
				a.openMenu(contracts.SayRules, contracts.SayRulesAllow, a.ruleChoices(state.Rules))
			}
			return nil
		}
	})
}

// ruleChoices returns one line per rule. Choosing a line opens a menu to keep or revoke the rule.
func (a *app) ruleChoices(rules []contracts.AddedRule) (list []choice) {
	for _, r := range rules {
		words := policy.Describe(r.Rule)
		revoke := choice{label: contracts.SayRevoke, run: func() tea.Cmd {
			return a.act(contracts.RevokeRule{RuleID: r.Rule.RuleID}, contracts.SayRuleRevoked, nil)
		}}
		keep := choice{label: "Keep the rule", run: a.openRules}
		list = append(list, choice{label: words, hint: model.Ago(a.office.Now() - r.At), run: func() tea.Cmd {
			a.openMenu(r.Rule.RuleID, words, []choice{keep, revoke})
			return nil
		}})
	}
	return list
}
