package staff

import (
	"fmt"
	"strconv"

	"github.com/bullpen-office/bullpen/contracts"
)

// Budgets are hard limits on what the crew uses. Zero means no limit.
type Budgets struct {
	Task     Budget // one task, all its attempts
	AgentDay Budget // one person on a day in UTC
	Day      Budget // the whole crew on a day in UTC
}

// Budget is an amount of money, of tokens, or both. Tokens are those in and out;
// what was read from a cache does not count.
type Budget struct {
	USD    float64
	Tokens int64
}

// Exceeded says which part of the budget is used up, as words with what was used;
// empty when there is something left. Work without a known price counts against
// tokens only.
func (b Budget) Exceeded(used contracts.UsageTotal) string {
	if tokens := used.TokensIn + used.TokensOut; b.Tokens > 0 && tokens >= b.Tokens {
		return fmt.Sprintf("%d tokens (%d are used)", b.Tokens, tokens)
	}
	if b.USD > 0 && used.CostUSD >= b.USD {
		return fmt.Sprintf("$%s ($%.2f are used)", strconv.FormatFloat(b.USD, 'f', -1, 64), used.CostUSD)
	}
	return ""
}

// Named is a budget with the path by which the configuration names it.
type Named struct {
	Path string
	Budget
}

// Each lists the budgets by their paths, the narrowest first.
func (b Budgets) Each() []Named {
	return []Named{{"budgets.task", b.Task}, {"budgets.agent_day", b.AgentDay}, {"budgets.day", b.Day}}
}

// Unenforced lists the amounts of money that cannot be kept to, because work on a
// runner has no known price, unless a budget in tokens stands beside them.
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
	if spec, _ := s.Spec(r.Kind); !spec.Takes("prices") {
		return fmt.Sprintf("cannot be enforced for the runner %s: the kind %s names no price; add a budget in tokens", name, r.Kind)
	}
	return fmt.Sprintf("cannot be enforced for model %s: the runner %s has no price for it; add runners.%s.prices, or a budget in tokens", orUnnamed(r.Model), name, name)
}

func orUnnamed(model string) string {
	if model == "" {
		return "(none named)"
	}
	return model
}
