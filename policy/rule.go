package policy

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/bullpen-office/bullpen/contracts"
)

// Check returns an error if a list of rules is invalid. The error names the rule and explains what
// to change.
func Check(rules []contracts.Rule) error {
	if len(rules) > contracts.LimitRules {
		return fmt.Errorf("there are %d rules; at most %d are allowed", len(rules), contracts.LimitRules)
	}
	seen := map[string]bool{}
	for i, r := range rules {
		if err := check(r); err != nil {
			return fmt.Errorf("rule %d (id %q): %w", i+1, r.RuleID, err)
		}
		if seen[r.RuleID] {
			return fmt.Errorf("rule %d: the id %q is used twice", i+1, r.RuleID)
		}
		seen[r.RuleID] = true
	}
	return nil
}

func check(r contracts.Rule) error {
	switch {
	case !validID(r.RuleID):
		return fmt.Errorf("an id must consist of 1 to %d letters, digits, dots, hyphens or underscores", contracts.LimitName)
	case r.Effect != contracts.EffectAllow && r.Effect != contracts.EffectAsk && r.Effect != contracts.EffectDeny:
		return fmt.Errorf("effect must be allow, ask or deny, not %q", r.Effect)
	case utf8.RuneCountInString(r.Reason) > contracts.LimitNote:
		return fmt.Errorf("the reason must have at most %d characters", contracts.LimitNote)
	case r.Effect == contracts.EffectAllow && len(r.Tool)+len(r.Command)+len(r.Path)+len(r.Host) == 0:
		return fmt.Errorf("an allow rule must name a tool, command, path or host")
	}
	selectors := []struct {
		name     string
		patterns []string
	}{{"tool", r.Tool}, {"command", r.Command}, {"path", r.Path}, {"host", r.Host}, {"agent", r.Agent}, {"repo", r.Repo}}
	for _, s := range selectors {
		if len(s.patterns) > contracts.LimitRulePatterns {
			return fmt.Errorf("%s has %d patterns; at most %d are allowed", s.name, len(s.patterns), contracts.LimitRulePatterns)
		}
		for _, p := range s.patterns {
			if err := checkPattern(s.name, p); err != nil {
				return err
			}
		}
	}
	return nil
}

func checkPattern(selector, p string) error {
	switch {
	case contracts.Blank(p) || utf8.RuneCountInString(p) > contracts.LimitRulePattern:
		return fmt.Errorf("%s pattern %q must have 1 to %d characters", selector, p, contracts.LimitRulePattern)
	case strings.ContainsAny(p, "\n\r"):
		return fmt.Errorf("%s pattern %q must be one line", selector, p)
	case selector == "command" && len(strings.Fields(p)) > contracts.LimitRuleWords:
		return fmt.Errorf("command pattern %q has more than %d words", p, contracts.LimitRuleWords)
	case (selector == "path" || selector == "repo") && !strings.HasPrefix(p, "/") && !strings.HasPrefix(p, "~/") && !strings.HasPrefix(p, "**/"):
		return fmt.Errorf("%s pattern %q must begin with /, ~/ or **/", selector, p)
	}
	return nil
}

func validID(id string) bool {
	if id == "" || len(id) > contracts.LimitName {
		return false
	}
	return strings.IndexFunc(id, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("._-", r))
	}) < 0
}
