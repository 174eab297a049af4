package policy

import (
	"fmt"
	"path"
	"strings"

	"github.com/bullpen-office/bullpen/contracts"
)

// Narrow returns a rule that allows a call if it is repeated: the same commands, file or host, with
// the same tool, by any agent in the same repository. problem explains why there is no such rule:
// another rule already decides the call, a rule cannot describe the call, or such a rule would
// allow much more than the call.
func (p Policy) Narrow(q Request, id string) (rule contracts.Rule, problem string) {
	if now := p.Evaluate(q); now.Effect != contracts.EffectAsk || len(now.Rules) > 0 {
		return contracts.Rule{}, now.Reason
	}
	c := read(q)
	if c.unclear != "" {
		return contracts.Rule{}, c.unclear
	}
	rule = contracts.Rule{RuleID: id, Effect: contracts.EffectAllow, Tool: []string{q.Tool}, Repo: []string{c.scope()}}
	switch {
	case rule.Repo[0] == "":
		return contracts.Rule{}, "the agent is not working in a repository or directory that a rule can be limited to"
	case q.Tool == "exec":
		for _, words := range c.line.commands {
			rule.Command = append(rule.Command, strings.Join(words, " "))
		}
	case c.host != "":
		rule.Host = []string{c.host}
	case c.file != "":
		rule.Path = []string{c.absolute(c.file)}
	default:
		return contracts.Rule{}, "a rule for this tool would allow any arguments"
	}
	switch text := fmt.Sprint(rule.Tool, rule.Repo, rule.Command, rule.Path); {
	case strings.Contains(text, "*"):
		return contracts.Rule{}, "the call contains a *, which a rule would treat as a pattern"
	case strings.Contains(text, contracts.Redacted):
		return contracts.Rule{}, "part of the call is redacted"
	}
	if err := check(rule); err != nil {
		return contracts.Rule{}, err.Error()
	}
	if then := p.with([]contracts.Rule{rule}, FromInbox).Evaluate(q); then.Effect != contracts.EffectAllow {
		return contracts.Rule{}, "the call cannot be expressed as a rule: " + then.Reason
	}
	return rule, ""
}

// scope returns the agent's repository or, outside a repository, the call's directory. It returns
// "" if neither is known, or if the directory is / or the home directory, which contain other
// projects.
func (c *call) scope() string {
	if c.Repo != "" {
		return c.absolute(c.Repo)
	}
	if dir := path.Clean(c.Dir); path.IsAbs(dir) && dir != "/" && dir != path.Clean(c.Home) {
		return dir
	}
	return ""
}

// Describe returns a one-line description of what a rule for a single tool covers.
func Describe(r contracts.Rule) string {
	names := append(append(append([]string{}, r.Command...), r.Path...), r.Host...)
	return fmt.Sprintf(contracts.SayRule, strings.Join(r.Tool, ", "), strings.Join(names, ", "), strings.Join(r.Repo, ", "))
}
