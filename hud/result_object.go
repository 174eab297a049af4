package hud

import (
	"slices"
	"strings"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/go-json-experiment/json/jsontext"
)

// objectResult is a result that was sent as an object. Its fields are the members of the HUD
// protocol's shapes and the names that other programs use for them. A member of an unexpected type
// counts as absent.
type objectResult struct {
	OK         *bool          `json:"ok"`
	Success    *bool          `json:"success"`
	Text       *string        `json:"text"`
	Content    *string        `json:"content"`
	Bytes      *int           `json:"bytes"`
	Truncated  bool           `json:"truncated"`
	Error      string         `json:"error"`
	File       *FileMeta      `json:"file"`
	Area       FileArea       `json:"area"`
	PrevLines  *int           `json:"prevLineCount"`
	NewLines   *int           `json:"newLineCount"`
	Created    bool           `json:"created"`
	Diff       string         `json:"diff"`
	ExitCode   *int           `json:"exitCode"`
	Exit       *int           `json:"exit_code"`
	ReturnCode *int           `json:"returncode"`
	Code       *int           `json:"code"`
	Stdout     *string        `json:"stdout"`
	Stderr     *string        `json:"stderr"`
	Output     *string        `json:"output"`
	URL        *string        `json:"url"`
	Summary    *string        `json:"summary"`
	Raw        jsontext.Value `json:"raw"`
}

// UnknownOutcome is the error in a result whose outcome has an unexpected type. Such a result
// counts as a failure, because only a readable outcome can mean success.
const UnknownOutcome = "the outcome cannot be read"

// outcomes are the paths of members that report how a call ended. "code" is not among them, because a
// string there may be source code or a name.
var outcomes = []string{"/ok", "/success", "/exitCode", "/exit_code", "/returncode"}

// hasUnknownOutcome reports whether mismatched, the paths of members with an unexpected type, includes
// an outcome.
func hasUnknownOutcome(mismatched []string) bool {
	return slices.ContainsFunc(mismatched, func(at string) bool { return slices.Contains(outcomes, at) })
}

// ObjectResult converts the object that a tool returned into the result of its call. It returns
// false if value is not an object, or if the object does not have the shape of that tool's results.
func ObjectResult(call Call, value jsontext.Value) (Result, bool) {
	var t objectResult
	if value.Kind() != '{' {
		return nil, false
	}
	mismatched, err := Decode(value, &t)
	if err != nil {
		return nil, false
	}
	call = Canonical(call)
	args := argumentsOf(call.Args)
	r := t.shaped(call.Tool, args)
	if r == nil {
		return nil, false
	}
	if hasUnknownOutcome(mismatched) {
		return Failed(r, UnknownOutcome), true
	}
	if ok := first(t.OK, t.Success); ok != nil && !*ok {
		why := t.Error
		if t.Summary != nil && why == "" {
			why = *t.Summary
		}
		r = Failed(r, why)
	}
	return r, true
}

// shaped returns the result as the type that fits the tool. It returns nil if the object lacks the
// members that identify that type.
func (t *objectResult) shaped(tool string, args arguments) Result {
	text := first(t.Text, t.Content)
	switch shapeOf(tool) {
	case "read":
		if text != nil {
			return t.read(args, *text)
		}
	case "write":
		if t.changed() || t.Bytes != nil || t.Created || t.PrevLines != nil || t.NewLines != nil {
			return t.write(tool, args)
		}
	case "edit":
		if t.changed() {
			area := t.area()
			return EditResult{OK: true, File: t.file(args, area), Area: area, Diff: t.Diff, Error: t.Error}
		}
	case "exec":
		if t.exit() != nil || t.Stdout != nil || t.Stderr != nil {
			return t.exec(args)
		}
	case "web":
		if text != nil {
			return WebResult{OK: true, Text: *text, URL: or(t.URL, args.text("url")), Truncated: t.Truncated, Error: t.Error}
		}
	case "action":
		if t.Summary != nil {
			return Action(Line(*t.Summary, contracts.LimitNote), rawOrNothing(t.Raw))
		}
	case "other":
		if t.Raw != nil && t.OK != nil {
			return OtherResult{OK: true, Raw: t.Raw, Error: t.Error}
		}
	}
	return nil
}

// changed reports whether the object identifies the changed file or lines.
func (t *objectResult) changed() bool { return t.File != nil || t.Diff != "" || t.area() != FileArea{} }

func (t *objectResult) read(args arguments, text string) Result {
	r := Read("", text)
	if area := t.area(); area != (FileArea{}) {
		r = r.At(area)
	} else {
		r = r.At(Window(args.number("offset"), args.number("limit")))
	}
	r.File = t.file(args, r.Area)
	r.Bytes, r.Truncated, r.Error = max(or(t.Bytes, len(text)), 0), t.Truncated, t.Error
	return r
}

func (t *objectResult) write(tool string, args arguments) Result {
	content := args.text("content")
	area := t.area()
	switch known := content != ""; {
	case area != FileArea{}:
	case tool == "append" && t.PrevLines != nil && known:
		area = Lines(*t.PrevLines+1, lineCount(content))
	case tool == "append" && t.NewLines != nil && known:
		area = Lines(*t.NewLines-lineCount(content)+1, lineCount(content))
	case tool == "append" && t.PrevLines != nil && t.NewLines != nil:
		area = Lines(*t.PrevLines+1, *t.NewLines-*t.PrevLines)
	case tool == "write" && known:
		area = AllLines(content)
	}
	return WriteResult{
		OK: true, File: t.file(args, area), Area: area, Bytes: max(or(t.Bytes, len(content)), 0), Created: t.Created, Diff: t.Diff, Error: t.Error,
	}
}

func (t *objectResult) exec(args arguments) Result {
	code := -1 // unknown
	if exit := t.exit(); exit != nil {
		code = *exit
	} else if ok := first(t.OK, t.Success); ok != nil && *ok {
		code = 0
	}
	r := Exec(args.text("command"), code, or(first(t.Stdout, t.Output), ""), or(t.Stderr, ""))
	r.Truncated, r.Error = t.Truncated, Line(t.Error, contracts.LimitNote)
	if t.exit() == nil && first(t.OK, t.Success) == nil {
		r.OK = t.Error == ""
	}
	return r
}

func (t *objectResult) exit() *int { return first(t.ExitCode, t.Exit, t.ReturnCode, t.Code) }

// area returns the range of lines that the object names, or the zero value if it names no valid
// range.
func (t *objectResult) area() FileArea {
	area := t.Area
	if area == (FileArea{}) && t.File != nil {
		area = t.File.Area
	}
	if area.StartLine <= 0 || area.EndLine < area.StartLine {
		return FileArea{}
	}
	return area
}

// file returns the file that the object names, or the file in the call's arguments.
func (t *objectResult) file(args arguments, area FileArea) FileMeta {
	path := args.text("path")
	if t.File != nil && strings.TrimSpace(t.File.Path) != "" {
		path = t.File.Path
	}
	return FileMeta{Path: path, Area: area}
}

// first returns the first non-nil pointer, or nil.
func first[T any](all ...*T) *T {
	for _, v := range all {
		if v != nil {
			return v
		}
	}
	return nil
}

func or[T any](v *T, other T) T {
	if v != nil {
		return *v
	}
	return other
}

func rawOrNothing(raw jsontext.Value) any {
	if raw == nil {
		return nil
	}
	return raw
}
