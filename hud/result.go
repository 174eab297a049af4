package hud

import (
	"strings"

	"github.com/bullpen-office/bullpen/contracts"
)

// FileArea is a range of lines, counted from 1.
type FileArea struct {
	StartLine int `json:"startLine"`
	EndLine   int `json:"endLine"`
}

// FileMeta is a file that a viewer can open.
type FileMeta struct {
	Path       string   `json:"path"`
	ViewerPath string   `json:"viewerPath"`
	Area       FileArea `json:"area,omitzero"`
}

// FileArgs is what read, write, edit and append are asked.
type FileArgs struct {
	Path      string `json:"path"`
	Operation string `json:"operation,omitzero"` // write, edit or append
	Offset    int    `json:"offset,omitzero"`
	Limit     int    `json:"limit,omitzero"`
}

// ReadResult is the result of the tool read.
type ReadResult struct {
	OK        bool     `json:"ok"`
	File      FileMeta `json:"file"`
	Area      FileArea `json:"area"`
	Text      string   `json:"text"`
	Bytes     int      `json:"bytes"`
	Truncated bool     `json:"truncated"`
	Error     string   `json:"error,omitzero"`
}

// WriteResult is the result of write, edit and append.
type WriteResult struct {
	OK    bool     `json:"ok"`
	File  FileMeta `json:"file"`
	Area  FileArea `json:"area"`
	Bytes int      `json:"bytes"`
	Error string   `json:"error,omitzero"`
}

// Read is the result of having read a whole text. Text beyond LimitHUDInline is
// left out and the result says so; Bytes is always the true size.
func Read(path, text string) ReadResult {
	area := whole(text)
	shown := Cut(text, contracts.LimitHUDInline)
	return ReadResult{
		OK: true, File: FileMeta{Path: path, ViewerPath: path, Area: area}, Area: area,
		Text: shown, Bytes: len(text), Truncated: len(shown) < len(text),
	}
}

// Write is the result of having written a whole text.
func Write(path, text string) WriteResult {
	area := whole(text)
	return WriteResult{OK: true, File: FileMeta{Path: path, ViewerPath: path, Area: area}, Area: area, Bytes: len(text)}
}

func whole(text string) FileArea {
	return FileArea{StartLine: 1, EndLine: max(1, strings.Count(strings.TrimSuffix(text, "\n"), "\n")+1)}
}
