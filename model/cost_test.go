package model

import (
	"testing"

	"github.com/bullpen-office/bullpen/contracts"
)

// TestEstimatesAreMarked checks that an estimate is never shown as an actual charge.
func TestEstimatesAreMarked(t *testing.T) {
	price := 0.0024
	var guess, mixed contracts.UsageTotal
	guess.Add(contracts.Usage{TokensIn: 2300, TokensOut: 10, CostUSD: &price, Estimated: true})
	mixed = guess
	mixed.Add(contracts.Usage{TokensIn: 700})
	unknown := contracts.UsageTotal{TokensIn: 3000, Unpriced: 1, Estimated: 1}
	exact := contracts.UsageTotal{CostUSD: 1.5, Priced: 1}
	for _, c := range []struct{ got, want string }{
		{CostWords(guess), "~$0.0024"}, {CostShort(guess), "~$0.0024"},
		{CostWords(mixed), "at least ~$0.0024"}, {CostShort(mixed), "≥ ~$0.0024"},
		{CostWords(unknown), "cost unknown"}, {CostShort(unknown), "~3k tokens"},
		{CostWords(contracts.UsageTotal{CostUSD: 1.5, Priced: 1, Listed: 1}), "~$1.50"},
		{TurnWords(contracts.Usage{TokensIn: 1200, TokensOut: 40, CostUSD: &price, Listed: true}), "1.2k in · 40 out · ~$0.0024"},
		{CostWords(exact), "$1.50"}, {CostShort(exact), "$1.50"},
		{TurnWords(contracts.Usage{TokensIn: 1200, TokensOut: 40, CostUSD: &price, Estimated: true}), "1.2k in · 40 out · ~$0.0024 · estimated"},
		{TurnWords(contracts.Usage{TokensIn: 1200, TokensOut: 40, CostUSD: &price}), "1.2k in · 40 out · $0.0024"},
	} {
		if c.got != c.want {
			t.Errorf("%q, want %q", c.got, c.want)
		}
	}
}
