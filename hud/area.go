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

// Replaced is where the new block lies in the file that results when old becomes
// new in before: once, or everywhere with all. It is unknown when old is not there.
func Replaced(before, old, new string, all bool) FileArea {
	at := strings.Index(before, old)
	if at < 0 {
		return FileArea{}
	}
	area := Lines(1+strings.Count(before[:at], "\n"), lineCount(new))
	if all && old != "" {
		last := strings.LastIndex(before, old)
		grown := strings.Count(before[at:last], old) * (strings.Count(new, "\n") - strings.Count(old, "\n"))
		area.EndLine = Lines(1+strings.Count(before[:last], "\n")+grown, lineCount(new)).EndLine
	}
	return area
}

// Found is where a block lies in the file that results, unknown when it is not
// there.
func Found(after, block string) FileArea {
	return Replaced(after, block, block, false)
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
