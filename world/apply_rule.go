package world

import (
	"errors"
	"fmt"
	"slices"

	"github.com/bullpen-office/bullpen/contracts"
)

// foldRule adds a rule to the permission policy, or removes one.
func (w *World) foldRule(e *contracts.Event, ts int64) error {
	i := slices.IndexFunc(w.s.Rules, func(r contracts.AddedRule) bool { return r.Rule.RuleID == e.RuleID })
	switch {
	case e.Name == contracts.EventRuleRevoked && i < 0:
		return fmt.Errorf("unknown id %q", e.RuleID)
	case e.Name == contracts.EventRuleRevoked:
		w.s.Rules = slices.Concat(w.s.Rules[:i], w.s.Rules[i+1:])
	case e.Rule == nil:
		return errors.New("rule_added has no rule")
	case i >= 0:
		return fmt.Errorf("rule %q was added twice", e.RuleID)
	default:
		w.s.Rules = append(slices.Clip(w.s.Rules), contracts.AddedRule{Rule: *e.Rule, DecisionID: e.DecisionID, By: e.By, At: ts})
	}
	return nil
}
