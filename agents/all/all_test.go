package all_test

import (
	"regexp"
	"testing"

	"github.com/bullpen-office/bullpen/agents/all"
)

// Every adapter describes itself completely, and no two share a name.
func TestAdaptersDescribeThemselves(t *testing.T) {
	color, seen := regexp.MustCompile(`^#[0-9a-f]{6}$`), map[string]bool{}
	for _, a := range all.Adapters {
		s := a.Source
		if s.Source == "" || s.Label == "" || s.Provider == "" || !color.MatchString(s.Color) || seen[s.Source] {
			t.Errorf("%+v", s)
		}
		seen[s.Source] = true
	}
}
