package contracts

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// The shortcut in CleanLine for text that is already clean never changes the result.
func TestCleanLineIsExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := strings.Join(rapid.SliceOfN(rapid.SampledFrom([]string{"a", "B", " ", "\t", "\n", "\x7f", "\x00", "é", "\u00a0", "\u202e", "\xff", "~", "!"}), 0, 6).Draw(t, "pieces"), "")
		if got, want := CleanLine(s), strings.Join(strings.Fields(CleanText(s)), " "); got != want {
			t.Fatalf("CleanLine(%q) = %q, want %q", s, got, want)
		}
	})
}

// Derived ids must not change, because existing ledgers contain them.
func TestDerivedUUIDIsStable(t *testing.T) {
	for want, parts := range map[string][]string{
		"e3b0c442-98fc-4c14-9afb-f4c8996fb924": nil,
		"f8d1eb78-05f8-4073-bdf1-f3b25c9e41f9": {"ui", "a b", "", "0", "start"},
		"573f2cc5-4805-49f1-8804-294021c20899": {"foreign", strings.Repeat("\x00", 300)},
	} {
		if got := DerivedUUID(parts...); got != want {
			t.Errorf("DerivedUUID(%q) = %s, want %s", parts, got, want)
		}
	}
}
