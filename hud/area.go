package hud

import "strings"

// FileArea is a range of lines, counted from 1. The zero value means unknown.
type FileArea struct {
	StartLine int `json:"startLine"`
	EndLine   int `json:"endLine"`
}

// Lines returns an area of count lines, starting at first.
func Lines(first, count int) FileArea {
	if first <= 0 {
		return FileArea{}
	}
	return FileArea{StartLine: first, EndLine: first + max(count, 1) - 1}
}

// Window returns the area that a read with this offset and limit asked for (seed 001).
func Window(offset, limit int) FileArea {
	if offset <= 0 {
		return FileArea{}
	}
	return FileArea{StartLine: offset, EndLine: offset + max(limit, 0)}
}

// Whole returns the area of a whole text.
func Whole(text string) FileArea {
	return Lines(1, lineCount(text))
}

// lineCount counts lines like an editor: a final newline does not start a line.
func lineCount(text string) int {
	return strings.Count(strings.TrimSuffix(text, "\n"), "\n") + 1
}
