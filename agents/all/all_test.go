package all_test

import (
	"regexp"
	"testing"

	"github.com/bullpen-office/bullpen/agents/all"
)

// Every adapter that watches or drives has a row in the README's table, unless its agents only
// follow a script.
func TestAdaptersDescribeTheirSupport(t *testing.T) {
	for _, a := range all.Adapters {
		if (a.Watch != nil || a.Drive != nil) && a.Support == nil && !a.Scripted {
			t.Errorf("%s has no row: set Support, and run `make reference`", a.Label)
		}
	}
}

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
