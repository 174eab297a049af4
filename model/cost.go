package model

import (
	"fmt"
	"strings"

	"github.com/bullpen-office/bullpen/contracts"
)

// Tokens is a number of tokens in a few letters: 940, 12.3k, 4.1M.
func Tokens(n int64) string {
	switch {
	case n < 1000:
		return fmt.Sprint(n)
	case n < 999_950:
		return few(float64(n)/1000) + "k"
	}
	return few(float64(n)/1_000_000) + "M"
}

func few(n float64) string {
	if n >= 99.95 {
		return fmt.Sprintf("%.0f", n)
	}
	return strings.TrimSuffix(fmt.Sprintf("%.1f", n), ".0")
}

// Dollars is money that is known to have been spent. What is little is not shown
// as nothing.
func Dollars(usd float64) string {
	switch {
	case usd >= 100:
		return fmt.Sprintf("$%.0f", usd)
	case usd >= 0.005 || usd <= 0:
		return fmt.Sprintf("$%.2f", max(0, usd))
	case usd >= 0.0001:
		return fmt.Sprintf("$%.4f", usd)
	}
	return "< $0.0001"
}

// CostWords say what many reports cost together. Without a single price it is
// unknown; with some, it is at least the sum.
func CostWords(t contracts.UsageTotal) string {
	switch {
	case t.Priced == 0 && t.Unpriced == 0:
		return contracts.SayNothingUsed
	case t.Priced == 0:
		return contracts.SayCostUnknown
	case t.Unpriced > 0:
		return fmt.Sprintf(contracts.SayAtLeast, sumOf(t))
	}
	return sumOf(t)
}

// CostShort is the same where there is little room; of what has no price, how much it was.
func CostShort(t contracts.UsageTotal) string {
	switch {
	case t.Priced == 0 && t.Unpriced == 0:
		return ""
	case t.Priced == 0:
		return about(t.Estimated > 0, fmt.Sprintf(contracts.SayTokens, Tokens(t.TokensIn+t.TokensOut)))
	case t.Unpriced > 0:
		return "≥ " + sumOf(t)
	}
	return sumOf(t)
}

// sumOf is the money, marked when some of it is a guess.
func sumOf(t contracts.UsageTotal) string { return about(t.Estimated+t.Listed > 0, Dollars(t.CostUSD)) }

func about(estimated bool, cost string) string {
	if estimated {
		return "~" + cost
	}
	return cost
}

// UnpricedWords say why a sum is not the whole.
func UnpricedWords(t contracts.UsageTotal) string {
	if t.Unpriced == 0 {
		return ""
	}
	return fmt.Sprintf(contracts.SayUnpriced, t.Unpriced, contracts.SayReports.Of(int(t.Priced+t.Unpriced)))
}

// TurnWords say what one turn used.
func TurnWords(u contracts.Usage) string {
	cost := contracts.SayCostUnknown
	if u.CostUSD != nil {
		cost = about(u.Estimated || u.Listed, Dollars(*u.CostUSD))
	}
	words := fmt.Sprintf(contracts.SayTurnUsage, Tokens(u.TokensIn), Tokens(u.TokensOut), cost)
	if u.Estimated {
		words = fmt.Sprintf(contracts.SayEstimated, words)
	}
	return words
}
