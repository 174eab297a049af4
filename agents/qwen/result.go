package qwen

import (
	"cmp"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/bullpen-office/bullpen/agents/guest"
	"github.com/bullpen-office/bullpen/agents/guest/hooked"
	"github.com/bullpen-office/bullpen/hud"
)

// response is a tool's result: the text for the model and the content for the terminal.
type response struct {
	Text    jsontext.Value `json:"llmContent"`
	Display jsontext.Value `json:"returnDisplay"`
}

// display is the terminal content for a change to a file.
type display struct {
	Diff     string  `json:"fileDiff"`
	Original *string `json:"originalContent"`
	Content  string  `json:"newContent"`
}

// result converts a tool's response to the result type of that tool.
func result(c hud.Call, v jsontext.Value) hud.Result {
	var r response
	_, _ = hud.Decode(v, &r) // a response with an unknown shape is shown unchanged
	text := guest.Text(r.Text)
	if text == "" {
		text = guest.Text(v)
	}
	var d display
	changed := false
	if r.Display.Kind() == '{' {
		_, _ = hud.Decode(r.Display, &d) // a display with an unknown shape shows no file change
		changed = d.Diff != ""
	}
	path := hooked.Argument(c, "path")
	switch {
	case c.Tool == "exec":
		output, exit := parseExecResult(text)
		return hooked.Executed(c, output, exit)
	case c.Tool == "write" && changed:
		w := hud.Write(path, d.Content)
		if w.Created = d.Original == nil || *d.Original == ""; !w.Created {
			w.Diff = d.Diff
		}
		return w
	case c.Tool == "edit" && changed:
		e := hud.Edit(path, hud.FileArea{})
		e.Diff = d.Diff
		return e
	}
	return hud.TextResult(c, text)
}

// failure returns the result of a failed call. In newer versions of Qwen Code, a command that exits
// with an error is a failed call too; its text has the same format as that of other commands.
func failure(c hud.Call, text string) hud.Result {
	if c.Tool == "exec" {
		if output, exit := parseExecResult(text); exit != nil {
			return hooked.Executed(c, output, exit)
		}
	}
	return hud.FailedCall(c, cmp.Or(text, "the tool failed"))
}

// parseExecResult extracts a command's output and exit code from the tool's text. The text has one
// line per field, but the output may span several lines. exit is nil if the text does not contain
// the exit code.
func parseExecResult(text string) (output string, exit *int) {
	_, rest, found := strings.Cut(text, "\nOutput: ")
	end := strings.LastIndex(rest, "\nExit Code: ")
	if !found || end < 0 {
		return text, nil
	}
	line, _, _ := strings.Cut(rest[end+len("\nExit Code: "):], "\n")
	if code, err := strconv.Atoi(line); err == nil {
		exit = &code
	}
	output = rest[:end]
	if i := strings.LastIndex(output, "\nError: "); i >= 0 {
		output = output[:i]
	}
	if output == "(empty)" {
		output = ""
	}
	return output, exit
}
