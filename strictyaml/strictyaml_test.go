package strictyaml_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/bullpen-office/bullpen/strictyaml"
)

type settings struct {
	model string
	count int
	tools []string
}

// read returns the settings in a file, the line of each path, and the problems.
func read(t *testing.T, content string) (s settings, lines map[string]int, problems []string) {
	t.Helper()
	r := strictyaml.New("f.yaml", "")
	root, err := r.Parse([]byte(content))
	if err != nil {
		t.Fatal(err)
	}
	var ignored string
	base := r.Keys(map[string]strictyaml.Member{"model": r.Text(&ignored), "count": r.Integer(new(int))})
	r.Mapping("", root, map[string]strictyaml.Member{
		"base": base, "one": r.Keys(map[string]strictyaml.Member{"model": r.Text(&s.model), "count": r.Integer(&s.count), "tools": r.Texts(&s.tools)}),
	})
	for _, p := range r.Problems {
		problems = append(problems, p.Error())
	}
	return s, r.Lines, problems
}

// A key without a value, ~ and null are read as empty text, but are not accepted as a number.
func TestNull(t *testing.T) {
	for _, null := range []string{"", "~", "null"} {
		s, _, problems := read(t, "one: {model: "+null+", tools: [~, a], count: "+null+"}")
		if s.model != "" || !slices.Equal(s.tools, []string{"", "a"}) {
			t.Errorf("%q: %+v", null, s)
		}
		if want := []string{fmt.Sprintf("f.yaml line 1: one.count: %q is not a whole number", null)}; !cmp.Equal(problems, want) {
			t.Errorf("%q: %q", null, problems)
		}
	}
}

// Merging a mapping does not change the values that the other mapping sets itself, or their line
// numbers.
func TestMerge(t *testing.T) {
	s, lines, problems := read(t, "base: &base\n  model: a\n  count: 3\none:\n  <<: *base\n  model: b\n")
	if s.model != "b" || s.count != 3 || len(problems) > 0 {
		t.Errorf("%+v, %q", s, problems)
	}
	if lines["one"] != 5 || lines["one.model"] != 6 || lines["one.count"] != 3 {
		t.Errorf("lines %v", lines)
	}
}

// Only a limited number of aliases is followed; a file with more is reported as one problem.
func TestAliasLimit(t *testing.T) {
	_, _, problems := read(t, "base: {model: &m a}\none: {tools: ["+strings.Repeat("*m, ", 200)+"]}")
	if len(problems) != 1 || !strings.Contains(problems[0], "more than 100 aliases") {
		t.Errorf("%q", problems)
	}
}
