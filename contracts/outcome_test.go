package contracts

import (
	"os"
	"testing"

	"github.com/go-json-experiment/json"
)

// TestOutcomeVectors runs contracts/vectors/outcomes.json, as web/src/overlay/proof/proof.test.tsx
// does, so that all clients show the same text.
func TestOutcomeVectors(t *testing.T) {
	data, err := os.ReadFile("vectors/outcomes.json")
	if err != nil {
		t.Fatal(err)
	}
	var cases []struct {
		Result CheckResult `json:"result"`
		Tree   string      `json:"tree"`
		Want   string      `json:"want"`
	}
	if err := json.Unmarshal(data, &cases, json.RejectUnknownMembers(true)); err != nil || len(cases) == 0 {
		t.Fatal(len(cases), err)
	}
	for _, c := range cases {
		if got := c.Result.Outcome(c.Tree); got != c.Want {
			t.Errorf("%+v on %s: %q, want %q", c.Result, c.Tree, got, c.Want)
		}
		if passed := c.Want == SayCheckPassed || c.Want == SayHostPassed; passed != (c.Result.Passed() && c.Result.Tree == c.Tree) {
			t.Errorf("%+v on %s: words and Passed disagree", c.Result, c.Tree)
		}
	}
}

func TestDurations(t *testing.T) {
	for ms, want := range map[int64]string{210: "210 ms", 4500: "4.5 s", 125_000: "2 m 05 s", 3_720_000: "1 h 02 m"} {
		if got := FormatDuration(ms); got != want {
			t.Errorf("%d is %q", ms, got)
		}
	}
}
