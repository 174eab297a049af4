package translate

import (
	"cmp"
	"strconv"
	"strings"

	"github.com/bullpen-office/bullpen/agents/guest"
	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/hud"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// outcome is the end of a call. A call that did not fail has the tool's structured response, the text
// that the model received, or both.
type outcome struct {
	response jsontext.Value
	text     string
	failure  string
}

// result converts an outcome to the result format of the call's tool.
func result(c hud.Call, out outcome) hud.Result {
	if out.failure != "" {
		return failed(c, out.failure)
	}
	build := results[c.Tool]
	if build == nil {
		return anyResult(c, out)
	}
	if out.response.Kind() == '{' {
		if r, ok := build(c, out.response); ok {
			return r
		}
	}
	text := out.text
	if text == "" && out.response.Kind() != '{' {
		text = ContentText(out.response)
	}
	if k := out.response.Kind(); text == "" && (k == '{' || k == '[') {
		return hud.Other(out.response) // an unknown shape is kept as it is
	}
	return hud.TextResult(c, text)
}

var results = map[string]func(hud.Call, jsontext.Value) (hud.Result, bool){
	"read":           readResult,
	"write":          writeResult,
	"edit":           editResult,
	"exec":           execResult,
	"web_fetch":      fetchResult,
	"web_search":     searchResult,
	"sessions_spawn": spawnResult,
	ToolQuestion:     answersResult,
}

// failed returns the result of a failed call. A command's failure text has the exit code on the
// first line, followed by the output.
func failed(c hud.Call, failure string) hud.Result {
	failure = strings.TrimSuffix(strings.TrimPrefix(failure, "<tool_use_error>"), "</tool_use_error>")
	if rest, ok := strings.CutPrefix(failure, "Exit code "); ok && c.Tool == "exec" {
		first, output, _ := strings.Cut(rest, "\n")
		if code, err := strconv.Atoi(strings.TrimSpace(first)); err == nil && code != 0 {
			return hud.Failed(hud.Exec(argument(c, "command"), code, output, ""), "exit code "+strconv.Itoa(code))
		}
	}
	return hud.FailedCall(c, failure)
}

func argument(c hud.Call, member string) string {
	var args map[string]jsontext.Value
	_ = json.Unmarshal(c.Args, &args, hud.Lenient) // arguments with another shape lack this member
	return guest.Text(args[member])
}

func readResult(c hud.Call, v jsontext.Value) (hud.Result, bool) {
	var r struct {
		File *struct {
			Path    string  `json:"filePath"`
			Content string  `json:"content"`
			Start   float64 `json:"startLine"`
		} `json:"file"`
	}
	if json.Unmarshal(v, &r, hud.Lenient) != nil || r.File == nil {
		return nil, false
	}
	path := cmp.Or(argument(c, "path"), r.File.Path)
	lines := strings.Count(strings.TrimSuffix(r.File.Content, "\n"), "\n") + 1
	return hud.Read(path, r.File.Content).At(hud.Lines(int(min(max(r.File.Start, 1), 1<<30)), lines)), true
}

func writeResult(c hud.Call, v jsontext.Value) (hud.Result, bool) {
	var r struct {
		Type    string     `json:"type"`
		Content *string    `json:"content"`
		Patch   []hud.Hunk `json:"structuredPatch"`
	}
	if _, err := hud.Decode(v, &r); err != nil || r.Content == nil {
		return nil, false
	}
	return hud.Write(argument(c, "path"), *r.Content).WithDiff(r.Patch, r.Type == "create"), true
}

func editResult(c hud.Call, v jsontext.Value) (hud.Result, bool) {
	var r struct {
		Patch []hud.Hunk `json:"structuredPatch"`
	}
	if json.Unmarshal(v, &r, hud.Lenient) != nil || r.Patch == nil {
		return nil, false
	}
	return hud.Edit(argument(c, "path"), hud.ChangedArea(r.Patch)).WithDiff(r.Patch), true
}

func execResult(c hud.Call, v jsontext.Value) (hud.Result, bool) {
	var r struct {
		Stdout      *string `json:"stdout"`
		Stderr      string  `json:"stderr"`
		Interrupted bool    `json:"interrupted"`
	}
	if json.Unmarshal(v, &r, hud.Lenient) != nil || r.Stdout == nil {
		return nil, false
	}
	out := hud.Exec(argument(c, "command"), 0, *r.Stdout, r.Stderr)
	if r.Interrupted {
		return hud.Failed(out, "interrupted"), true
	}
	return out, true
}

func fetchResult(c hud.Call, v jsontext.Value) (hud.Result, bool) {
	var r struct {
		Result *string        `json:"result"`
		URL    string         `json:"url"`
		Code   jsontext.Value `json:"code"`
	}
	if json.Unmarshal(v, &r, hud.Lenient) != nil || r.Result == nil {
		return nil, false
	}
	if r.URL == "" {
		r.URL = argument(c, "url")
	}
	out := hud.Web(r.URL, *r.Result)
	if code, ok := numberOf(r.Code); ok && code >= 400 {
		return hud.Failed(out, "HTTP status "+strconv.Itoa(int(min(code, 1<<30)))), true
	}
	return out, true
}

// searchResult lists the hits of a web search, one per line. It returns false if v has a different
// format.
func searchResult(_ hud.Call, v jsontext.Value) (hud.Result, bool) {
	var r struct {
		Results []jsontext.Value `json:"results"`
	}
	if json.Unmarshal(v, &r, hud.Lenient) != nil || r.Results == nil {
		return nil, false
	}
	var lines []string
	for _, item := range r.Results {
		var found struct {
			Content []struct {
				Title string `json:"title"`
				URL   string `json:"url"`
			} `json:"content"`
		}
		if item.Kind() == '"' || json.Unmarshal(item, &found, hud.Lenient) != nil {
			lines = append(lines, guest.Text(item))
			continue
		}
		for _, f := range found.Content {
			lines = append(lines, strings.TrimSpace(f.Title+" "+f.URL))
		}
	}
	return hud.Web("", strings.Join(lines, "\n")), true
}

// spawnResult returns the result of a sub-agent, or false if v has a different format.
func spawnResult(_ hud.Call, v jsontext.Value) (hud.Result, bool) {
	var r struct {
		Status  string         `json:"status"`
		Agent   string         `json:"agentId"`
		Content jsontext.Value `json:"content"`
	}
	if json.Unmarshal(v, &r, hud.Lenient) != nil {
		return nil, false
	}
	text := strings.TrimSpace(ContentText(r.Content))
	summary := cmp.Or(text, r.Status)
	return hud.Action(hud.Line(summary, contracts.LimitPreview), map[string]string{"agent": r.Agent, "status": r.Status, "text": text}), true
}

// answersResult returns a person's answers to ToolQuestion, or false if v has none.
func answersResult(_ hud.Call, v jsontext.Value) (hud.Result, bool) {
	var r struct {
		Questions []struct {
			Question string `json:"question"`
		} `json:"questions"`
		Answers map[string]string `json:"answers"`
	}
	if json.Unmarshal(v, &r, hud.Lenient) != nil || len(r.Answers) == 0 {
		return nil, false
	}
	var lines []string
	for _, q := range r.Questions {
		lines = append(lines, q.Question+" "+r.Answers[q.Question])
	}
	return hud.Action(hud.Line(strings.Join(lines, "; "), contracts.LimitPreview), r.Answers), true
}

// anyResult returns the result of a tool without a known format, such as an MCP tool: the value
// unchanged, or its text if the value is only text.
func anyResult(c hud.Call, out outcome) hud.Result {
	v := out.response
	if v.Kind() == 0 {
		return hud.TextResult(c, out.text)
	}
	text := ContentText(v)
	if onlyText(v) {
		return hud.TextResult(c, text)
	}
	var mcp struct {
		Content jsontext.Value `json:"content"`
		Failed  bool           `json:"isError"`
	}
	if v.Kind() == '{' {
		_, _ = hud.Decode(v, &mcp) // an object with another shape lacks these members
	}
	if said := ContentText(mcp.Content); said != "" {
		text = said
	}
	r := hud.ValueResult(c, v, text)
	if mcp.Failed {
		return hud.Failed(r, text)
	}
	return r
}
