package contracts

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A total counts estimated reports and list prices, so that a client never shows them as actual
// charges.
func TestUsageTotalAdd(t *testing.T) {
	price := 0.5
	var got UsageTotal
	got.Add(Usage{TokensIn: 2300, TokensOut: 10, CostUSD: &price, Estimated: true})
	got.Add(Usage{TokensIn: 700, CacheRead: 5, CacheWrite: 6, Estimated: true})
	got.Add(Usage{TokensIn: 1, CostUSD: &price, Listed: true})
	got.Add(Usage{TokensIn: 1, Listed: true})
	want := UsageTotal{TokensIn: 3002, TokensOut: 10, CacheRead: 5, CacheWrite: 6, CostUSD: 1, Priced: 2, Unpriced: 2, Estimated: 2, Listed: 1}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
