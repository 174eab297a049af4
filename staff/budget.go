package staff

import (
	"fmt"
	"strconv"

	"github.com/bullpen-office/bullpen/contracts"
)

// Budgets are hard limits on the crew's usage. Zero means no limit.
type Budgets struct {
	Task     Budget // one task, including all its attempts
	AgentDay Budget // one agent per day (UTC)
	Day      Budget // the whole crew per day (UTC)
}

// Budget is an amount of money, a number of tokens, or both. Input and output tokens count; tokens
// read from a cache do not.
type Budget struct {
	USD    float64
	Tokens int64
}

// Exceeded describes the limit that is used up, for example "used 100 of 100 tokens". It returns ""
// if no limit is used up. Work without a known price counts only against the token limit.
func (b Budget) Exceeded(used contracts.UsageTotal) string {
	if tokens := used.TokensIn + used.TokensOut; b.Tokens > 0 && tokens >= b.Tokens {
		return fmt.Sprintf("used %d of %d tokens", tokens, b.Tokens)
	}
	if b.USD > 0 && used.CostUSD >= b.USD {
		return fmt.Sprintf("used $%.2f of $%s", used.CostUSD, strconv.FormatFloat(b.USD, 'f', -1, 64))
	}
	return ""
}

// NamedBudget is a budget with its path in the configuration.
type NamedBudget struct {
	Path string
	Budget
}

// Each lists the budgets with their paths, narrowest first.
func (b Budgets) Each() []NamedBudget {
	return []NamedBudget{{"budgets.task", b.Task}, {"budgets.agent_day", b.AgentDay}, {"budgets.day", b.Day}}
}

// Unenforced lists money budgets that cannot be enforced, because a runner in use has no
// known price.
func (s Staff) Unenforced() []Problem {
	var list []Problem
	for _, b := range s.Budgets.Each() {
		if b.USD == 0 {
			continue
		}
		for _, name := range s.Used() {
			r, ok := s.Runner(name)
			if !ok || s.Priced(r) {
				continue
			}
			list = append(list, Problem{b.Path + ".usd", s.unpriced(name, r)})
		}
	}
	return list
}

func (s Staff) unpriced(name string, r Runner) string {
	if spec, _ := s.Spec(r.Kind); !spec.Supports("prices") {
		return fmt.Sprintf("cannot be enforced for runner %s: runners of kind %s have no price; add a token budget", name, r.Kind)
	}
	return fmt.Sprintf("cannot be enforced for model %s: runner %s has no price for it; add runners.%s.prices, or a token budget", orUnnamed(r.Model), name, name)
}

func orUnnamed(model string) string {
	if model == "" {
		return "(none configured)"
	}
	return model
}
