package hud

import (
	"fmt"
	"strings"

	"github.com/bullpen-office/bullpen/hud/work"
)

// Hunk is a piece of a unified diff: its lines start with ' ', '+' or '-'.
type Hunk struct {
	OldStart int      `json:"oldStart"`
	OldLines int      `json:"oldLines"`
	NewStart int      `json:"newStart"`
	NewLines int      `json:"newLines"`
	Lines    []string `json:"lines"`
}

// diffContext is the number of unchanged lines around a change.
const diffContext = 3

// Diff returns the changes that turn before into after.
func Diff(before, after string) (list []Hunk) {
	lines := work.Lines(before, after, 1)
	for _, h := range work.Hunks(lines, diffContext) {
		out := Hunk{}
		for _, l := range lines[h.From:h.To] {
			if out.OldStart == 0 {
				out.OldStart = l.Old
			}
			if out.NewStart == 0 {
				out.NewStart = l.New
			}
			out.Lines = append(out.Lines, string(rune(l.Op))+l.Text)
		}
		list = append(list, out)
	}
	return list
}

// ChangedArea returns the area of the resulting file that spans all changes in a diff, without the
// context lines around them. If nothing changed, it returns the zero value.
func ChangedArea(hunks []Hunk) (area FileArea) {
	for _, h := range hunks {
		line := h.NewStart
		for _, l := range h.Lines {
			changed := strings.HasPrefix(l, "+") || strings.HasPrefix(l, "-")
			if changed {
				if area.StartLine == 0 || line < area.StartLine {
					area.StartLine = max(line, 1)
				}
				area.EndLine = max(area.EndLine, line, 1)
			}
			if !strings.HasPrefix(l, "-") && !strings.HasPrefix(l, `\`) {
				line++
			}
		}
	}
	return area
}

// Unified formats a diff as text. It counts the lines itself, because the agent's counts are not
// trusted, and skips lines that do not belong in a diff.
func Unified(hunks []Hunk) string {
	var out strings.Builder
	for _, h := range hunks {
		var body strings.Builder
		removed, added := 0, 0
		for _, l := range h.Lines {
			if l == "" {
				l = " " // a context line that lost its leading space
			}
			switch l[0] {
			case ' ':
				removed, added = removed+1, added+1
			case '-':
				removed++
			case '+':
				added++
			case '\\':
			default:
				continue
			}
			body.WriteString(strings.ReplaceAll(l, "\n", " ") + "\n")
		}
		if body.Len() > 0 {
			fmt.Fprintf(&out, "@@ -%d,%d +%d,%d @@\n%s", max(h.OldStart, 0), removed, max(h.NewStart, 0), added, &body)
		}
	}
	return out.String()
}
