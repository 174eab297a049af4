package tui

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/bullpen-office/bullpen/tui/model"
)

const outputRows = 400

// nodeLine is one turn, tool call or thought in a line.
func (a *app) nodeLine(n *model.Node, depth, w int, named, picked bool) string {
	sign, style := "✓", a.look.good
	switch n.State {
	case model.NodeRunning:
		sign, style = "●", a.look.work
	case model.NodeFailed:
		sign, style = "✗", a.look.bad
	}
	words := nodeWords(n)
	if named && n.AgentID != "" && n.Type != model.NodeThink {
		words = model.Line(a.office.Rows().Name(n.AgentID)) + " · " + words
	}
	right := ""
	switch {
	case n.State == model.NodeRunning:
		right = "…"
	case n.Type != model.NodeReceived && n.Ended:
		right = model.Duration(n.DurationMS)
	}
	if n.State == model.NodeFailed {
		right = "failed  " + right
	}
	if n.Usage != nil {
		right = model.TurnWords(*n.Usage) + "  " + right
	}
	pre := " " + strings.Repeat("   ", depth)
	if depth > 0 {
		pre = "   └ "
	}
	kind := ""
	if n.Type == model.NodeReceived {
		kind = "hears "
	}
	if picked {
		return a.look.picked.Render(split("›"+pre[1:]+sign+" "+kind+words, right+" ", w))
	}
	return split(a.look.soft.Render(pre)+style.Render(sign)+" "+a.look.soft.Render(kind)+words, a.look.soft.Render(right+" "), w)
}

// nodeWords: the label without its sign; a message shows how it begins.
func nodeWords(n *model.Node) string {
	if preview := n.Preview(); preview != "" {
		return "“" + model.Line(preview) + "”"
	}
	words := model.Line(model.Unsigned(n.Label))
	if n.Tool != "" && !strings.HasPrefix(words, n.Tool) {
		words = model.Line(n.Tool) + "  " + words
	}
	return words
}

// more is what a node came to, readable; the rest as JSON for those who want it.
func (s *activityScreen) more(n *model.Node, w, depth int) []string {
	a := s.app
	pad := strings.Repeat(" ", 5+3*depth)
	inner := max(20, w-len(pad)-1)
	var out []string
	whole := s.whole[n.ID]
	result := n.Result
	if whole.result != nil {
		result = whole.result
	}
	if n.Args != nil {
		out = append(out, painted(a.look.soft, jsonLines("args", n.Args, inner))...)
	}
	if result != nil {
		out = append(out, a.resultLines(result, inner)...)
	}
	switch {
	case whole.busy:
		out = append(out, a.look.soft.Render("Reading…"))
	case whole.err != "":
		out = append(out, a.look.bad.Render(model.Line(whole.err)))
	case whole.result == nil && wholePath(n.Result) != "":
		out = append(out, a.look.info.Render("W shows the whole result"))
	case whole.result == nil && wasCut(n.Result):
		out = append(out, a.look.soft.Render("The rest was not kept."))
	}
	if n.Usage != nil {
		out = append(out, a.look.soft.Render(model.TurnWords(*n.Usage)))
	}
	for i := range out {
		out[i] = pad + out[i]
	}
	return out
}

func wasCut(result jsontext.Value) bool {
	var r struct {
		Truncated bool `json:"truncated"`
	}
	return result != nil && json.Unmarshal(result, &r) == nil && r.Truncated
}

var exitWords = regexp.MustCompile(`(?i)^exit(ed)?( with)?( code| status)? \d+\.?$`)

// drawnMembers are those of a result that are drawn; whatever else there is
// stands in the JSON.
var drawnMembers = map[string]bool{
	"ok": true, "file": true, "area": true, "text": true, "bytes": true, "truncated": true, "exitCode": true, "stdout": true, "stderr": true,
	"mentionedPaths": true, "error": true, "url": true, "summary": true, "raw": true, "ref": true,
}

// resultLines is what came of a tool call, as each kind of tool tells it (H4).
func (a *app) resultLines(raw jsontext.Value, w int) []string {
	var r map[string]any
	if json.Unmarshal(raw, &r) != nil {
		return jsonLines("result", raw, w)
	}
	var out []string
	if facts := resultFacts(r); facts != "" {
		out = append(out, a.look.info.Render(clip(facts, w)))
	}
	if e, _ := r["error"].(string); e != "" && !exitWords.MatchString(e) {
		out = append(out, painted(a.look.bad, wrapped(e, w, 6))...)
	}
	for _, name := range []string{"summary", "text", "stdout", "stderr"} {
		if said, _ := r[name].(string); said != "" {
			style := a.look.plain
			if name == "stderr" {
				style = a.look.bad
			}
			out = append(out, painted(style, wrapped(said, w, outputRows))...)
		}
	}
	rest := map[string]any{}
	for k, v := range r {
		if !drawnMembers[k] {
			rest[k] = v
		}
	}
	if v, there := r["raw"]; there {
		if said, text := v.(string); text {
			out = append(out, wrapped(said, w, outputRows)...)
		} else {
			out = append(out, valueLines("raw", v, w, 0)...)
		}
	}
	if len(rest) > 0 {
		out = append(out, painted(a.look.soft, valueLines("more", rest, w, 0))...)
	}
	return out
}

// resultFacts is where, how much, and how it ended.
func resultFacts(r map[string]any) string {
	var facts []string
	if file, ok := r["file"].(map[string]any); ok {
		facts = append(facts, fileName(file)+lineWords(r["area"], file["area"]))
	}
	if n, ok := r["bytes"].(float64); ok {
		facts = append(facts, model.Bytes(int64(n)))
	}
	if code, ok := r["exitCode"].(float64); ok {
		if code < 0 {
			facts = append(facts, "exit code unknown")
		} else {
			facts = append(facts, fmt.Sprintf("exit code %d", int(code)))
		}
	}
	if u, ok := r["url"].(string); ok {
		facts = append(facts, u)
	}
	return model.Line(strings.Join(facts, " · "))
}

func fileName(file map[string]any) string {
	for _, name := range []string{"viewerPath", "path"} {
		if s, ok := file[name].(string); ok {
			return s
		}
	}
	return ""
}

func lineWords(areas ...any) string {
	for _, v := range areas {
		area, _ := v.(map[string]any)
		first, _ := area["startLine"].(float64)
		last, _ := area["endLine"].(float64)
		if first > 0 {
			return fmt.Sprintf(":L%d–L%d", int(first), int(last))
		}
	}
	return ""
}
