package hud

import "strings"

// FileArea is a range of lines, counted from 1. The zero value says that it is
// not known.
type FileArea struct {
	StartLine int `json:"startLine"`
	EndLine   int `json:"endLine"`
}

// Lines is an area of count lines from first on.
func Lines(first, count int) FileArea {
	if first <= 0 {
		return FileArea{}
	}
	return FileArea{StartLine: first, EndLine: first + max(count, 1) - 1}
}

// Window is the area that a read asked for, as seed 001 infers it.
func Window(offset, limit int) FileArea {
	if offset <= 0 {
		return FileArea{}
	}
	return FileArea{StartLine: offset, EndLine: offset + max(limit, 0)}
}

// Whole is the area of a whole text.
func Whole(text string) FileArea {
	return Lines(1, lineCount(text))
}

// Hunk is a piece of a unified diff: the lines begin with ' ', '+' or '-'.
type Hunk struct {
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

// lineCount counts lines as an editor does: a last newline begins no line.
func lineCount(text string) int {
	return strings.Count(strings.TrimSuffix(text, "\n"), "\n") + 1
}
