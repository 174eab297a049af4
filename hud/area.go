package hud

import "strings"

// FileArea is a range of lines, counted from 1. The zero value means unknown.
type FileArea struct {
	StartLine int `json:"startLine"`
	EndLine   int `json:"endLine"`
}

// Lines returns an area of count lines (at least one) that starts at first, or the zero value if
// first is not positive.
func Lines(first, count int) FileArea {
	if first <= 0 {
		return FileArea{}
	}
	return FileArea{StartLine: first, EndLine: first + max(count, 1) - 1}
}

// Window returns the area that the HUD protocol defines for a read with this offset and limit, or
// the zero value if offset is not positive.
func Window(offset, limit int) FileArea {
	if offset <= 0 {
		return FileArea{}
	}
	return FileArea{StartLine: offset, EndLine: offset + max(limit, 0)}
}

// AllLines returns the area of all lines of text.
func AllLines(text string) FileArea {
	return Lines(1, lineCount(text))
}

// lineCount counts lines as an editor does: a final newline does not start another line.
func lineCount(text string) int {
	return strings.Count(strings.TrimSuffix(text, "\n"), "\n") + 1
}
