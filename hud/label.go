package hud

import (
	"fmt"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Label is the line that a viewer shows for a tool call. The result may be nil
// while the call runs.
func Label(call Call, result jsontext.Value) string {
	var args struct {
		FileArgs
		Command string `json:"command"`
		Query   string `json:"query"`
		URL     string `json:"url"`
		Action  string `json:"action"`
	}
	// A label is a courtesy: arguments of another shape leave fields empty.
	_ = json.Unmarshal(call.Args, &args)
	return Shorten(label(call.Tool, args.FileArgs, args.Command, args.Query, args.URL, args.Action, result), contracts.LimitPreview)
}

func label(tool string, file FileArgs, command, query, url, action string, result jsontext.Value) string {
	switch {
	case tool == "read" && file.Path != "":
		return "👁 " + file.Path + lines(file, result)
	case tool == "write" && file.Path != "":
		return "✏️ " + file.Path + " (overwrite)"
	case (tool == "edit" || tool == "append") && file.Path != "":
		return "✏️ " + file.Path + lines(file, result)
	case tool == "exec" && command != "":
		return "⚡ " + command
	case tool == "web_fetch" && url != "":
		return "🌐 " + url
	case tool == "web_search" && query != "":
		return "🔍 " + query
	case action != "":
		return tool + " " + action
	}
	return tool
}

func lines(file FileArgs, result jsontext.Value) string {
	var r struct {
		Area FileArea `json:"area"`
	}
	if file.Offset > 0 {
		r.Area = FileArea{StartLine: file.Offset, EndLine: file.Offset + file.Limit}
	}
	_ = json.Unmarshal(result, &r)
	if r.Area.StartLine == 0 {
		return ""
	}
	return fmt.Sprintf(":L%d–L%d", r.Area.StartLine, r.Area.EndLine)
}
