package work

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/bullpen-office/bullpen/contracts"
)

func signed(lines []Line) (out []string) {
	for _, l := range lines {
		out = append(out, string(l.Op)+l.Text)
	}
	return out
}

func TestLines(t *testing.T) {
	for _, c := range []struct {
		name, before, after string
		want                []string
	}{
		{"equal", "a\nb\n", "a\nb\n", []string{" a", " b"}},
		{"nothing", "", "", nil},
		{"all new", "", "a\n", []string{"+a"}},
		{"all gone", "a", "", []string{"-a"}},
		{"one line in the middle", "a\nb\nc\n", "a\nB\nc\n", []string{" a", "-b", "+B", " c"}},
		{"insert", "a\nc", "a\nb\nc", []string{" a", "+b", " c"}},
		{"removed lines come first", "a\nb\n", "x\ny\n", []string{"-a", "-b", "+x", "+y"}},
		{"moved", "a\nb\nc\nd", "b\nc\nd\na", []string{"-a", " b", " c", " d", "+a"}},
	} {
		if diff := cmp.Diff(c.want, signed(Lines(c.before, c.after, 1))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}

// For any two texts, the diff contains both in order, its line numbers increase, its marks are
// inside their lines, and every change is in exactly one hunk.
func TestLinesContainBothTexts(t *testing.T) {
	line := rapid.SampledFrom([]string{"", "a", "b", "c", "tea is good", "tea is very good", "世界 x", "}"})
	rapid.Check(t, func(t *rapid.T) {
		x, y := rapid.SliceOfN(line, 1, 40).Draw(t, "before"), rapid.SliceOfN(line, 1, 40).Draw(t, "after")
		lines := compare(x, y, 7)
		var before, after []string
		for _, l := range lines {
			if l.Op != Added {
				if before = append(before, l.Text); l.Old != 6+len(before) {
					t.Fatalf("line %d of the old text is numbered %d", len(before), l.Old)
				}
			}
			if l.Op != Removed {
				if after = append(after, l.Text); l.New != 6+len(after) {
					t.Fatalf("line %d of the new text is numbered %d", len(after), l.New)
				}
			}
			at := 0
			for _, m := range l.Marks {
				if m.From < at || m.To <= m.From || m.To > len(l.Text) {
					t.Fatalf("mark %v in %q", m, l.Text)
				}
				at = m.To
			}
		}
		if diff := cmp.Diff([][]string{x, y}, [][]string{before, after}); diff != "" {
			t.Fatal(diff)
		}
		inside := make([]int, len(lines))
		for _, h := range Hunks(lines, rapid.IntRange(0, 3).Draw(t, "around")) {
			for i := h.From; i < h.To; i++ {
				inside[i]++
			}
		}
		for i, l := range lines {
			if inside[i] > 1 || l.Op != Same && inside[i] != 1 {
				t.Fatalf("line %d (%c) is in %d hunks", i, l.Op, inside[i])
			}
		}
	})
}

// Files with almost nothing in common are shown as replaced, quickly and without losing a line.
func TestTooManyEdits(t *testing.T) {
	n := contracts.LimitDiffEdits
	before, after := strings.Repeat("old\nkept\n", n), strings.Repeat("kept\nnew\nmore\n", n)
	added, removed := Count(Lines(before, after, 1))
	if added != 3*n || removed != 2*n {
		t.Errorf("%d added, %d removed", added, removed)
	}
}

func TestHunks(t *testing.T) {
	before := strings.Split("1 2 3 4 5 6 7 8 9 10 11 12", " ")
	after := strings.Split("1 2 3 4 five 6 7 8 9 10 11 12", " ")
	lines := compare(before, after, 1)
	if diff := cmp.Diff([]Hunk{{2, 8}}, Hunks(lines, 2)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]Hunk{{0, 9}}, Hunks(lines, 3)); diff != "" { // a single line is not folded
		t.Error(diff)
	}
}

func TestMarks(t *testing.T) {
	for _, c := range []struct{ before, after, removed, added string }{
		{"const total = 0;", "let total = 0;", "const", "let"},
		{"a b c d e f", "a x y d e f", "b c", "x y"},
		{"return 1", "entirely other words", "", ""},
		{"price: 4 €", "price: 6 €", "4", "6"},
	} {
		lines := Lines(c.before, c.after, 1)
		markedText := func(l Line) string {
			out := ""
			for _, m := range l.Marks {
				out += l.Text[m.From:m.To]
			}
			return out
		}
		if removed, added := markedText(lines[0]), markedText(lines[1]); removed != c.removed || added != c.added {
			t.Errorf("%q → %q: marked %q and %q", c.before, c.after, removed, added)
		}
	}
}
