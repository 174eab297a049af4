package model

import (
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/bullpen-office/bullpen/contracts"
)

// TestUsageVectors runs contracts/vectors/usage.json, as web/src/hud/usage.test.ts does: both
// clients format usage alike, and never show an estimate as an actual charge.
func TestUsageVectors(t *testing.T) {
	var v struct {
		Tokens  [][2]jsontext.Value `json:"tokens"`
		Dollars [][2]jsontext.Value `json:"dollars"`
		Totals  []struct {
			Total                 contracts.UsageTotal `json:"total"`
			Cost, Short, Unpriced string
		} `json:"totals"`
		Turns []struct {
			Usage contracts.Usage `json:"usage"`
			Want  string          `json:"want"`
		} `json:"turns"`
	}
	readVectors(t, "usage.json", &v)
	check := func(got, want string) {
		t.Helper()
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	for _, c := range v.Tokens {
		check(Tokens(valueOf[int64](t, c[0])), valueOf[string](t, c[1]))
	}
	for _, c := range v.Dollars {
		check(Dollars(valueOf[float64](t, c[0])), valueOf[string](t, c[1]))
	}
	for _, c := range v.Totals {
		check(CostWords(c.Total), c.Cost)
		check(CostShort(c.Total), c.Short)
		check(UnpricedWords(c.Total), c.Unpriced)
	}
	for _, c := range v.Turns {
		check(TurnWords(c.Usage), c.Want)
	}
	if len(v.Tokens) < 10 || len(v.Dollars) < 10 || len(v.Totals) < 8 || len(v.Turns) < 4 {
		t.Error("vectors are missing")
	}
}

func valueOf[T any](t *testing.T, v jsontext.Value) (out T) {
	t.Helper()
	if err := json.Unmarshal(v, &out); err != nil {
		t.Fatal(err)
	}
	return out
}
