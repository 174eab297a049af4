package model

import (
	"os"
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/bullpen-office/bullpen/contracts"
)

// TestReasonVectors runs contracts/vectors/reasons.json, as web/src/world/words.test.ts does.
func TestReasonVectors(t *testing.T) {
	var cases []struct {
		Why, Label, Want string
		Authority        contracts.EvidenceSource
	}
	readVectors(t, "reasons.json", &cases)
	for _, c := range cases {
		if got := Reason(c.Why, c.Label, c.Authority); got != c.Want {
			t.Errorf("%q for %q by %q: %q, want %q", c.Why, c.Label, c.Authority, got, c.Want)
		}
	}
	if len(cases) < 10 {
		t.Error("vectors are missing")
	}
}

func readVectors(t *testing.T, name string, to any) {
	t.Helper()
	data, err := os.ReadFile("../contracts/vectors/" + name)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, to, json.MatchCaseInsensitiveNames(true)); err != nil {
		t.Fatal(err)
	}
}
