package translate

import (
	"cmp"
	"strings"

	"github.com/bullpen-office/bullpen/hud"
)

// Result returns the result of the call. terminals returns the output of an office terminal that the
// call refers to.
func (c *Call) Result(terminals func(id string) (Terminal, bool)) hud.Result {
	call := c.OfficeCall()
	text, exit := c.text(terminals)
	if code := c.exitCode(); code != nil {
		exit = code
	}
	text = cmp.Or(text, c.outputText())
	if c.status == "failed" {
		return c.failed(call, text, exit)
	}
	switch list := c.diffs(); {
	case call.Tool == "exec":
		return executed(call, text, exit)
	case call.Tool == "write" && len(list) == 1:
		return hud.Write(pathOf(call), list[0].New).WithDiff(hunks(list[0]), list[0].Old == nil)
	case call.Tool == "edit" && len(list) == 1:
		changed := hunks(list[0])
		return hud.Edit(pathOf(call), hud.ChangedArea(changed)).WithDiff(changed)
	case text == "" && c.output.Kind() == '{':
		return hud.ValueResult(call, c.output, "")
	}
	return hud.TextResult(call, text)
}

// Unfinished returns the result of a call that has not ended.
func (c *Call) Unfinished(reason string) hud.Result { return hud.FailedCall(c.OfficeCall(), reason) }

func (c *Call) failed(call hud.Call, text string, exit *int) hud.Result {
	reason := cmp.Or(strings.TrimSpace(text), "the tool failed")
	if call.Tool != "exec" {
		return hud.FailedCall(call, reason)
	}
	return hud.Failed(executed(call, text, exit), reason)
}

// executed returns the result of a command. An unknown exit code stays unknown.
func executed(call hud.Call, text string, exit *int) hud.Result {
	command, _ := hud.Text(members(call.Args)["command"])
	if exit != nil {
		return hud.Exec(command, *exit, text, "")
	}
	r := hud.Exec(command, -1, text, "")
	r.OK = true
	return r
}

// exitCode returns the exit code from the tool's output, in any of the formats that known agents use.
// It returns nil if the output has no exit code, and -1 if the exit code cannot be read.
func (c *Call) exitCode() *int {
	var out struct {
		Code     *int `json:"exitCode"`
		Snake    *int `json:"exit_code"`
		Metadata struct {
			Exit *int `json:"exit"`
		} `json:"metadata"`
	}
	if c.output.Kind() != '{' {
		return nil
	}
	if mismatched, _ := hud.Decode(c.output, &out); len(mismatched) > 0 {
		return new(-1)
	}
	return cmp.Or(out.Code, out.Snake, out.Metadata.Exit)
}

// outputText returns the text in the tool's own output, or "" if there is none.
func (c *Call) outputText() string {
	if text, ok := hud.Text(c.output); ok {
		return text
	}
	for _, name := range []string{"output", "error", "message"} {
		if text, ok := hud.Text(members(c.output)[name]); ok {
			return text
		}
	}
	return ""
}

func pathOf(call hud.Call) string {
	path, _ := hud.Text(members(call.Args)["path"])
	return path
}

// hunks returns the changed lines of a diff.
func hunks(d content) []hud.Hunk {
	before := ""
	if d.Old != nil {
		before = *d.Old
	}
	return hud.Diff(before, d.New)
}
