package hud

import (
	"github.com/bullpen-office/bullpen/contracts"
	"github.com/go-json-experiment/json/jsontext"
)

// NoEnd is the failure reason for a turn or call whose end was not reported.
const NoEnd = "its end was not seen"

// Failure returns a result that contains only the reason for a failure.
func Failure(reason string) jsontext.Value {
	return Value(struct {
		OK    bool   `json:"ok"`
		Error string `json:"error"`
	}{Error: Line(reason, contracts.LimitNote)})
}

// Failed returns r marked as failed, with the reason. The output in r is kept.
func Failed(r Result, reason string) Result {
	return r.failed(Line(reason, contracts.LimitNote))
}

// FailedCall returns a failed result for a tool call that has no result, in the shape of the tool's
// results.
func FailedCall(call Call, reason string) Result {
	call = Canonical(call)
	args := argumentsOf(call.Args)
	file := FileMeta{Path: args.text("path"), Area: Window(args.number("offset"), args.number("limit"))}
	var empty Result
	switch shapeOf(call.Tool) {
	case "read":
		empty = ReadResult{File: file, Area: file.Area}
	case "write":
		empty = WriteResult{File: file, Area: file.Area}
	case "edit":
		empty = EditResult{File: file, Area: file.Area}
	case "exec":
		empty = ExecResult{ExitCode: -1, MentionedPaths: MentionedPaths(args.text("command"))}
	case "web":
		empty = WebResult{URL: args.text("url")}
	case "action":
		empty = ActionResult{}
	default:
		empty = OtherResult{}
	}
	return Failed(empty, reason)
}

// TextResult converts a text-only result to the shape of the tool's results.
func TextResult(call Call, text string) Result {
	call = Canonical(call)
	args := argumentsOf(call.Args)
	path := args.text("path")
	switch shapeOf(call.Tool) {
	case "read":
		return Read(path, text).At(Window(args.number("offset"), args.number("limit")))
	case "write":
		if call.Tool == "append" { // the length of the file is unknown
			return WriteResult{OK: true, File: FileMeta{Path: path}, Bytes: len(args.text("content"))}
		}
		return Write(path, args.text("content"))
	case "edit":
		return Edit(path, FileArea{})
	case "exec":
		return Exec(args.text("command"), 0, text, "")
	case "web":
		return Web(args.text("url"), text)
	case "action":
		return Action(Line(text, contracts.LimitNote), text)
	}
	return Other(text)
}

// ValueResult converts the value that a call returned to the shape of the tool's results; text is the
// value in readable form. An object that already has this shape is converted by ObjectResult. Any
// other value is kept if the shape allows any value; otherwise only the text is kept.
func ValueResult(call Call, value jsontext.Value, text string) Result {
	if r, ok := ObjectResult(call, value); ok {
		return r
	}
	r := plainResult(call, value, text)
	if value.Kind() == '{' {
		if mismatched, _ := Decode(value, &objectResult{}); hasUnknownOutcome(mismatched) {
			return Failed(r, UnknownOutcome)
		}
	}
	return r
}

func plainResult(call Call, value jsontext.Value, text string) Result {
	if value.IsValid(jsontext.AllowInvalidUTF8(true)) {
		switch shapeOf(Canonical(call).Tool) {
		case "action":
			return Action(Line(text, contracts.LimitNote), value)
		case "other":
			return Other(value)
		}
	}
	return TextResult(call, text)
}

func (r ReadResult) failed(reason string) Result {
	r.OK, r.Error = false, reason
	return r
}

func (r WriteResult) failed(reason string) Result {
	r.OK, r.Error = false, reason
	return r
}

func (r EditResult) failed(reason string) Result {
	r.OK, r.Error = false, reason
	return r
}

// failed marks the result as failed. It also replaces exit code 0, which would mean success.
func (r ExecResult) failed(reason string) Result {
	r.OK, r.Error = false, reason
	if r.ExitCode == 0 {
		r.ExitCode = -1
	}
	return r
}

func (r WebResult) failed(reason string) Result {
	r.OK, r.Error = false, reason
	return r
}

func (r ActionResult) failed(reason string) Result {
	r.OK, r.Summary = false, reason
	return r
}

func (r OtherResult) failed(reason string) Result {
	if r.OK = false; r.Raw == nil {
		r.Raw = reason
	} else {
		r.Error = reason
	}
	return r
}
