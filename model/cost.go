package model

import (
	"fmt"
	"math"
	"strconv"

	"github.com/bullpen-office/bullpen/contracts"
)

// Tokens formats a token count: 940, 12.3k, 4.1M.
func Tokens(n int64) string {
	switch {
	case n < 1000:
		return fmt.Sprint(n)
	case n < 999_500:
		return shortNumber(float64(n)/1000) + "k"
	}
	return shortNumber(float64(n)/1_000_000) + "M"
}

func shortNumber(n float64) string {
	if n >= 99.95 {
		return fmt.Sprintf("%.0f", rounded(n))
	}
	return strconv.FormatFloat(rounded(n*10)/10, 'f', -1, 64)
}

// rounded rounds halves up, as the browser does.
func rounded(n float64) float64 { return math.Floor(n + 0.5) }

// Dollars formats an amount in US dollars. A small amount is never shown as zero.
func Dollars(usd float64) string {
	switch {
	case usd >= 100:
		return fmt.Sprintf("$%.0f", rounded(usd))
	case usd >= 0.005 || usd <= 0:
		return fmt.Sprintf("$%.2f", rounded(max(0, usd)*100)/100)
	case usd >= 0.0001:
		return fmt.Sprintf("$%.4f", usd)
	}
	return contracts.SayTinyCost
}

// CostWords formats the total cost from many usage reports: "cost unknown" if no report has a
// price, "at least …" if only some have one.
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

// CostShort is a short form of CostWords. If no report has a price, it shows the number of tokens.
func CostShort(t contracts.UsageTotal) string {
	switch {
	case t.Priced == 0 && t.Unpriced == 0:
		return ""
	case t.Priced == 0:
		return approximate(t.Estimated > 0, fmt.Sprintf(contracts.SayTokens, Tokens(t.TokensIn+t.TokensOut)))
	case t.Unpriced > 0:
		return "≥ " + sumOf(t)
	}
	return sumOf(t)
}

// sumOf formats the cost, marked as approximate if any part of it is estimated or based on list
// prices.
func sumOf(t contracts.UsageTotal) string {
	return approximate(t.Estimated+t.Listed > 0, Dollars(t.CostUSD))
}

func approximate(estimated bool, cost string) string {
	if estimated {
		return "~" + cost
	}
	return cost
}

// UnpricedWords explains why a sum is incomplete. It returns "" if the sum is complete.
func UnpricedWords(t contracts.UsageTotal) string {
	if t.Unpriced == 0 {
		return ""
	}
	return fmt.Sprintf(contracts.SayUnpriced, t.Unpriced, contracts.SayReports.Of(int(t.Priced+t.Unpriced)))
}

// TurnWords formats the token usage and cost of one turn.
func TurnWords(u contracts.Usage) string {
	cost := contracts.SayCostUnknown
	if u.CostUSD != nil {
		cost = approximate(u.Estimated || u.Listed, Dollars(*u.CostUSD))
	}
	words := fmt.Sprintf(contracts.SayTurnUsage, Tokens(u.TokensIn), Tokens(u.TokensOut), cost)
	if u.Estimated {
		words = fmt.Sprintf(contracts.SayEstimated, words)
	}
	return words
}
