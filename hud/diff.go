package hud

import (
	"fmt"
	"strings"
)

// Hunk is a piece of a unified diff: the lines begin with ' ', '+' or '-'.
type Hunk struct {
	OldStart int      `json:"oldStart"`
	OldLines int      `json:"oldLines"`
	NewStart int      `json:"newStart"`
	NewLines int      `json:"newLines"`
	Lines    []string `json:"lines"`
}

// Patched is where the changes of a diff lie in the file that results, without
// the lines of context around them.
func Patched(hunks []Hunk) (area FileArea) {
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

// Unified writes a diff as text. The lines are counted here: what an agent says of
// their number is not trusted. A line of another form is left out.
func Unified(hunks []Hunk) string {
	var out strings.Builder
	for _, h := range hunks {
		var body strings.Builder
		removed, added := 0, 0
		for _, l := range h.Lines {
			if l == "" {
				l = " " // a line of context whose blank was lost
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
