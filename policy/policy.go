// Package policy decides whether an agent may run a tool, based on the operator's rules and those
// of the repository that the agent works in.
//
// The most restrictive rule that matches decides: deny, then ask, then allow. If no rule matches a
// call, a person is asked. Adding an ask or deny rule never makes an outcome more permissive.
//
// An allow rule must match everything that a call names. For an ask or deny rule, one match is
// enough. For tools whose calls the package can parse, only calls that it fully understands can be
// allowed. An allow rule can match any other tool by name alone.
//
// A policy is not a sandbox. It sees the calls that an agent requests, not what the called programs
// do, and does not follow symbolic links or HTTP redirects. The package has no side effects.
package policy

import (
	"fmt"
	"slices"
	"strings"

	"github.com/bullpen-office/bullpen/contracts"
)

// Origin is where a rule comes from.
type Origin string

// Origins of rules.
const (
	FromDefaults   Origin = "default"
	FromOperator   Origin = "bullpen.yaml"
	FromRepository Origin = ".bullpen.yaml"
	FromInbox      Origin = "inbox" // a permission request answered with "Always allow"
)

// Sourced is a rule with its origin.
type Sourced struct {
	contracts.Rule
	Origin Origin `json:"origin"`
	By     string `json:"by,omitzero"` // the principal that added the rule; set only for rules from the inbox
	At     int64  `json:"at,omitzero"` // when it was added; set only for rules from the inbox
}

// Policy is a list of rules. The zero value has none, so a person is asked about every call.
type Policy struct{ rules []Sourced }

// New returns a policy with the built-in rules and the operator's rules. An operator's rule
// replaces the built-in rule with the same id.
func New(operator []contracts.Rule) Policy {
	var p Policy
	for _, r := range Defaults() {
		if !slices.ContainsFunc(operator, func(o contracts.Rule) bool { return o.RuleID == r.RuleID }) {
			p.rules = append(p.rules, Sourced{Rule: r, Origin: FromDefaults})
		}
	}
	return p.with(operator, FromOperator)
}

// WithRepository returns the policy with a repository's rules added. A repository can only tighten
// the policy: allow rules are left out.
func (p Policy) WithRepository(rules []contracts.Rule) Policy {
	return p.with(slices.DeleteFunc(slices.Clone(rules), func(r contracts.Rule) bool { return r.Effect == contracts.EffectAllow }), FromRepository)
}

// WithAdded returns the policy extended with the rules that people added in the inbox.
func (p Policy) WithAdded(rules []contracts.AddedRule) Policy {
	p.rules = slices.Clip(p.rules)
	for _, r := range rules {
		p.rules = append(p.rules, Sourced{Rule: r.Rule, Origin: FromInbox, By: r.By, At: r.At})
	}
	return p
}

func (p Policy) with(rules []contracts.Rule, origin Origin) Policy {
	p.rules = slices.Clip(p.rules)
	for _, r := range rules {
		p.rules = append(p.rules, Sourced{Rule: r, Origin: origin})
	}
	return p
}

// Rules returns the rules of the policy.
func (p Policy) Rules() []Sourced { return slices.Clone(p.rules) }

// Outcome is a policy's decision about a call.
type Outcome struct {
	Effect contracts.Effect `json:"effect"`
	Rules  []Sourced        `json:"rules,omitzero"` // the rules that decided; several if a shell line needs several allow rules
	Reason string           `json:"reason"`
}

// RuleID returns the id of the first rule that decided, or "" if none did.
func (o Outcome) RuleID() string {
	if len(o.Rules) == 0 {
		return ""
	}
	return o.Rules[0].RuleID
}

// Evaluate returns the policy's decision about a call.
func (p Policy) Evaluate(q Request) Outcome {
	c := read(q)
	for _, effect := range []contracts.Effect{contracts.EffectDeny, contracts.EffectAsk} {
		for _, r := range p.rules {
			if r.Effect == effect && c.touches(r.Rule) {
				return Outcome{Effect: effect, Rules: []Sourced{r}, Reason: reason(r)}
			}
		}
	}
	if q.DenyOnly {
		return askOutcome("the request has no option to allow the call once")
	}
	return p.evaluateAllow(c)
}

// evaluateAllow returns the outcome for a call that no ask or deny rule matches.
func (p Policy) evaluateAllow(c *call) Outcome {
	if c.unclear != "" {
		return askOutcome(c.unclear)
	}
	var used []Sourced
	for _, part := range c.parts() {
		i := slices.IndexFunc(p.rules, func(r Sourced) bool { return r.Effect == contracts.EffectAllow && part.coveredBy(r.Rule) })
		if i < 0 {
			return askOutcome("no rule allows " + part.name())
		}
		if r := p.rules[i]; !slices.ContainsFunc(used, func(u Sourced) bool { return u.RuleID == r.RuleID && u.Origin == r.Origin }) {
			used = append(used, r)
		}
	}
	var reasons []string
	for _, r := range used {
		reasons = append(reasons, reason(r))
	}
	return Outcome{Effect: contracts.EffectAllow, Rules: used, Reason: strings.Join(reasons, "; ")}
}

func askOutcome(reason string) Outcome { return Outcome{Effect: contracts.EffectAsk, Reason: reason} }

// reason returns one line that names the deciding rule and its reason.
func reason(r Sourced) string {
	if r.Reason == "" {
		return fmt.Sprintf("rule %s (%s)", r.RuleID, r.Origin)
	}
	return fmt.Sprintf("rule %s (%s): %s", r.RuleID, r.Origin, r.Reason)
}
