package hud

import (
	"strings"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Failure is the result of anything that did not work.
func Failure(reason string) jsontext.Value {
	return Value(struct {
		OK    bool   `json:"ok"`
		Error string `json:"error"`
	}{Error: Shorten(reason, contracts.LimitNote)})
}

// FailedCall is the result of a tool call that nobody ended, in the shape that
// the results of this tool have.
func FailedCall(call Call, reason string) jsontext.Value {
	reason = Shorten(reason, contracts.LimitNote)
	var args struct {
		FileArgs
		URL string `json:"url"`
	}
	_ = json.Unmarshal(call.Args, &args) // arguments of another shape leave fields empty
	area := FileArea{StartLine: args.Offset, EndLine: args.Offset + args.Limit}
	file := FileMeta{Path: args.Path, ViewerPath: args.Path, Area: area}
	switch tool := call.Tool; {
	case tool == "read":
		return Value(ReadResult{File: file, Area: area, Error: reason})
	case tool == "write", tool == "edit", tool == "append":
		return Value(WriteResult{File: file, Area: area, Error: reason})
	case tool == "exec":
		return Value(failedExec{ExitCode: -1, Error: reason})
	case tool == "web_search", tool == "web_fetch":
		return Value(failedFetch{URL: args.URL, Error: reason})
	case tool == "browser", tool == "canvas", tool == "nodes", tool == "message", strings.HasPrefix(tool, "sessions_"):
		return Value(failedAction{Summary: reason})
	}
	return Value(failedOther{Raw: reason})
}

type failedExec struct {
	OK        bool   `json:"ok"`
	ExitCode  int    `json:"exitCode"`
	Stdout    string `json:"stdout"`
	Truncated bool   `json:"truncated"`
	Error     string `json:"error"`
}

type failedFetch struct {
	OK        bool   `json:"ok"`
	Text      string `json:"text"`
	URL       string `json:"url,omitzero"`
	Truncated bool   `json:"truncated"`
	Error     string `json:"error"`
}

type failedAction struct {
	OK      bool   `json:"ok"`
	Summary string `json:"summary"`
}

type failedOther struct {
	OK  bool   `json:"ok"`
	Raw string `json:"raw"`
}
