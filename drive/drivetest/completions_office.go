package drivetest

import (
	"fmt"
	"strings"

	"github.com/go-json-experiment/json"
)

// OfficeScript is the script of a model that works in an office: it plans three tasks, asks one
// question before it writes copy, delivers artifacts, and makes requested changes.
func OfficeScript(c Call) Answer {
	a := Answer{In: 1000, Out: 200}
	switch {
	case strings.Contains(c.Prompt, "Break the request into"):
		a.Text = object(map[string]any{"summary": "Three parts, one after the other.", "tasks": []any{
			task("Write the landing page plan", "plan", 1), task("Write the copy", "copy", 2), task("Write the design brief", "design", 3),
		}})
	case strings.Contains(c.Prompt, "The client wrote to you"):
		a.Text = "Three tasks are under way; the copy waits for your answer."
	case strings.Contains(c.Prompt, "Write the copy") && !strings.Contains(c.Prompt, "The client has decided"):
		a.Text = object(map[string]any{"question": map[string]any{"prompt": "Which tone?", "options": []any{"Warm", "Dry"}, "allow_free_text": true}, "artifacts": []any{}, "follow_ups": []any{}})
	default:
		a.Text = object(map[string]any{"question": nil, "artifacts": []any{deliverable(c)}, "follow_ups": []any{}})
	}
	return a
}

func deliverable(c Call) map[string]any {
	title, version := "Landing page plan", 1
	switch {
	case strings.Contains(c.Prompt, "Write the copy"):
		title = "Copy"
	case strings.Contains(c.Prompt, "Write the design brief"):
		title = "Design brief"
	}
	content := fmt.Sprintf("# %s\n\nFor a note app, by a scripted model.\n\n- first point\n- second point\n", title)
	if strings.Contains(c.Prompt, "which was sent back") {
		version = 2
		content += "\n## Changed\n\nAs the client requested.\n"
	}
	return map[string]any{"type": "plan", "title": title, "mime": "text/markdown", "content": fmt.Sprintf("%s\nVersion %d\n", content, version)}
}

func task(title, kind string, priority int) map[string]any {
	return map[string]any{"title": title, "description": "Deliver it whole.", "kind": kind, "priority": priority}
}

func object(v map[string]any) string {
	b, _ := json.Marshal(v, json.Deterministic(true))
	return string(b)
}
