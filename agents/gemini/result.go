package gemini

import (
	"cmp"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/bullpen-office/bullpen/agents/guest"
	"github.com/bullpen-office/bullpen/agents/guest/hooked"
	"github.com/bullpen-office/bullpen/hud"
)

// response is a tool's result: the text for the model, what the terminal shows, and the failure.
type response struct {
	Text    jsontext.Value `json:"llmContent"`
	Display jsontext.Value `json:"returnDisplay"`
	Error   *struct {
		Message string `json:"message"`
	} `json:"error"`
}

// display is what the terminal shows after a change to a file.
type display struct {
	Diff    string `json:"fileDiff"`
	Content string `json:"newContent"`
	New     bool   `json:"isNewFile"`
}

// stopped is the prefix of a command's result text if the command ended because a person stopped
// the turn. No later hook reports the end of that turn.
const stopped = "Command was cancelled by user"

// output returns a result's text for the model, without the tags around it.
func output(v jsontext.Value) string {
	var r response
	_, _ = hud.Decode(v, &r) // a response with another shape is shown as it is
	text := strings.TrimSuffix(strings.TrimPrefix(guest.Text(r.Text), "<untrusted_context>\n"), "\n</untrusted_context>")
	return cmp.Or(text, guest.Text(v))
}

// result converts the response to a call into the result format of the called tool.
func result(c hud.Call, v jsontext.Value) hud.Result {
	var r response
	_, _ = hud.Decode(v, &r) // a response with another shape is shown as it is
	text := output(v)
	var d display
	if r.Display.Kind() == '{' {
		_, _ = hud.Decode(r.Display, &d) // a display with another shape shows no change
	}
	path := hooked.Argument(c, "path")
	switch {
	case strings.HasPrefix(text, stopped):
		return hud.FailedCall(c, text)
	case c.Tool == "exec":
		output, exit, failure := parseExecResult(text)
		if r.Error != nil && failure == "" && (exit == nil || *exit == 0) {
			failure = r.Error.Message
		}
		if failure != "" {
			return hud.Failed(hooked.Executed(c, output, exit), failure)
		}
		return hooked.Executed(c, output, exit)
	case r.Error != nil:
		return hud.FailedCall(c, r.Error.Message)
	case c.Tool == "write" && d.Diff != "":
		w := hud.Write(path, d.Content)
		if w.Created = d.New; !d.New {
			w.Diff = d.Diff
		}
		return w
	case c.Tool == "edit" && d.Diff != "":
		e := hud.Edit(path, hud.FileArea{})
		e.Diff = d.Diff
		return e
	}
	return hud.TextResult(c, text)
}

// parseExecResult extracts the output, the exit code and the failure from a command's result text.
// exit is nil if the exit code is unknown. In the text, lines such as "Exit Code: 1" follow the
// output, but Gemini CLI leaves out exit code 0.
func parseExecResult(text string) (output string, exit *int, failure string) {
	output, found := strings.CutPrefix(text, "Output: ")
	if !found {
		return text, nil, ""
	}
	exit = new(int)
	for {
		i := strings.LastIndexByte(output, '\n')
		name, value, _ := strings.Cut(output[i+1:], ": ")
		switch {
		case i < 0:
			return strings.TrimPrefix(output, "(empty)"), exit, failure
		case name == "Exit Code":
			code, err := strconv.Atoi(value)
			if exit = &code; err != nil {
				exit = nil
			}
		case name == "Signal":
			exit, failure = nil, "ended by signal "+value
		case name == "Background PIDs": // the process has no exit code yet
			exit = nil
		case name != "Process Group PGID":
			return output, exit, failure
		}
		output = output[:i]
	}
}
