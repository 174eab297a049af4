package work_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/bullpen-office/bullpen/hud/work"
)

// coloured returns the lines with each coloured piece in angle brackets after the letter of its
// token, such as W<return>.
func coloured(path string, lines []work.Line) (out []string) {
	letters := map[work.Token]string{work.TokenComment: "C", work.TokenText: "T", work.TokenNumber: "N", work.TokenWord: "W", work.TokenName: "F"}
	work.Highlight(path, lines)
	for _, line := range lines {
		var b strings.Builder
		at := 0
		for _, r := range line.Code {
			b.WriteString(line.Text[at:r.From] + letters[r.Token] + "<" + line.Text[r.From:r.To] + ">")
			at = r.To
		}
		out = append(out, b.String()+line.Text[at:])
	}
	return out
}

// same returns the lines of text as the unchanged lines of a diff.
func same(text string) (lines []work.Line) {
	for line := range strings.SplitSeq(text, "\n") {
		lines = append(lines, work.Line{Op: work.Same, Text: line})
	}
	return lines
}

func TestHighlight(t *testing.T) {
	for _, c := range []struct{ path, code, want string }{
		{"a.go", "return sum(x, 12) // done", "W<return> F<sum>(x, N<12>) C<// done>"},
		{"a.go", "s := `one\ntwo` + \"a\\\"b\"", "s := T<`one>\nT<two`> + T<\"a\\\"b\">"},
		{"src/a.TS", "/* a\nb */ let über = 1", "C</* a>\nC<b */> W<let> über = N<1>"},
		{"a.py", "x = '''a\nb''' # it's", "x = T<'''a>\nT<b'''> C<# it's>"},
		{"a.py", "a#b", "a#b"},
		{"a.rs", "fn f<'a>(x: &'a str)", "W<fn> f<'a>(x: &'a W<str>)"},
		{"a.c", "don't", "don't"},
		{"a.c", `don't 'a' \'\' "b"`, `donT<'t '>a' \'\' T<"b">`},
		{"Makefile", "echo \"a\" # b", "W<echo> T<\"a\"> C<# b>"},
		{"a.json", `{"a": true, "b": "c"}`, `{T<"a">: W<true>, T<"b">: T<"c">}`},
		{"a.unknown", "return 1", "return 1"},
		{"noend", "return 1", "return 1"},
		{"", "\xff\xfe(", "\xff\xfe("},
	} {
		if diff := cmp.Diff(c.want, strings.Join(coloured(c.path, same(c.code)), "\n")); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.path, diff)
		}
	}
}

// A comment that only one side of a diff opens has no effect on the other side.
func TestHighlightOfSides(t *testing.T) {
	lines := []work.Line{{Op: work.Removed, Text: "/* a"}, {Op: work.Added, Text: "x = 1"}, {Op: work.Same, Text: "if"}, {Op: work.Removed, Text: "b */ 2"}}
	want := []string{"C</* a>", "x = N<1>", "W<if>", "C<b */> N<2>"}
	if diff := cmp.Diff(want, coloured("a.go", lines)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Pieces are in order and within their line, whatever the text.
func FuzzHighlight(f *testing.F) {
	f.Add("a.go", "`\n/*\n\"\\")
	f.Add("a.py", "'''\n#\xff\n\\'")
	f.Fuzz(func(t *testing.T, path, text string) {
		lines := same(text)
		work.Highlight(path, lines)
		for _, line := range lines {
			at := 0
			for _, r := range line.Code {
				if r.From < at || r.To <= r.From || r.To > len(line.Text) {
					t.Fatalf("%q: %v", line.Text, line.Code)
				}
				at = r.To
			}
		}
	})
}
