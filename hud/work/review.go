package work

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/bullpen-office/bullpen/contracts"
)

// Spot is a line of a patch: a line of the new version, or a removed line with its old number.
type Spot struct {
	Path    string `json:"path"`
	Line    int    `json:"line"`
	Removed bool   `json:"removed,omitzero"`
}

// String returns the name of the line, such as "src/cart.ts:12".
func (s Spot) String() string {
	name := fmt.Sprintf("%s:%d", s.Path, s.Line)
	if s.Removed {
		name += " (removed)"
	}
	return name
}

// Comment is a comment on a line of a patch.
type Comment struct {
	Spot
	Text string `json:"text"`
}

// Instructions returns the instructions for changes: the user's text (words), then the comments,
// sorted by file and line, each as "path:line: text". web/src/overlay/work/review.ts follows the
// same rule; contracts/vectors/review.json tests both.
func Instructions(words string, comments []Comment) string {
	sorted := slices.SortedStableFunc(slices.Values(comments), func(a, b Comment) int {
		return cmp.Or(strings.Compare(a.Path, b.Path), cmp.Compare(a.Line, b.Line))
	})
	lines := make([]string, len(sorted))
	for i, c := range sorted {
		lines[i] = c.Spot.String() + ": " + strings.ReplaceAll(strings.TrimSpace(c.Text), "\n", "\n  ")
	}
	return strings.TrimSpace(strings.TrimSpace(words) + "\n\n" + strings.Join(lines, "\n"))
}

var generated = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(strings.Join([]string{
		`(?:^|/)(?:dist|node_modules|third_party|vendor)/`,
		`(?:^|/)(?:Cargo|Gemfile|bun|composer|flake|package-lock|pnpm-lock|poetry|uv|yarn)\.(?:json|lock|yaml)$`,
		`(?:^|/)go\.sum$`,
		`\.(?:gen|min|pb)\.\w+$`,
		`_(?:generated|pb2?)\.\w+$`,
		`\.(?:map|snap)$`,
	}, "|"))
})

// Generated reports whether a file's path suggests that a program wrote the file.
func Generated(path string) bool { return generated().MatchString(path) }

// Folded reports whether a review folds the file: generated files and large changes are folded.
func (f File) Folded() bool {
	return Generated(f.Path) || f.Added+f.Removed > contracts.LimitReviewCollapse
}

// SpotOf returns the spot of one of the file's lines, or false if the line number is unknown.
func (f File) SpotOf(line Line) (Spot, bool) {
	if line.Op == Removed {
		return Spot{Path: cmp.Or(f.From, f.Path), Line: line.Old, Removed: true}, line.Old > 0
	}
	return Spot{Path: f.Path, Line: line.New}, line.New > 0
}
