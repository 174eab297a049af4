//go:build unix

package e2e_test

import (
	"path/filepath"
	"strings"
	"testing"
)

// openWithHelper opens an office with a crew member that works through MCP, and returns the options
// that let Claude Code act as that member.
func (d *desk) openWithHelper() (options []string) {
	d.t.Helper()
	d.file("home/bullpen.yaml", "agents:\n  - {id: agent_helper, name: Helper, role: engineer, runner: mcp}\n")
	d.open("--config", filepath.Join(d.home, "bullpen.yaml"), "--crew", "rehearsal", "--pace", "100")
	words := strings.Fields(d.run("token", "create", "--role", "agent", "--agent", "agent_helper"))
	d.file("home/mcp.json", jsonText(message{"mcpServers": message{"bullpen": message{
		"command": d.bullpen, "args": []string{"mcp"}, "env": message{"BULLPEN_TOKEN": words[len(words)-1]},
	}}}))
	return []string{"--strict-mcp-config", "--mcp-config", filepath.Join(d.home, "mcp.json"), "--allowedTools", "mcp__bullpen"}
}

// plannedTask submits a request and returns the first task of its plan. The task is unassigned.
func (d *desk) plannedTask() (id string) {
	d.t.Helper()
	if m := d.give(d.operator(), "submit_request", message{"text": "Write a launch note"}); m.str("type") != "ack" {
		d.t.Fatalf("the request was refused: %v", m)
	}
	until(d.t, "the request is planned", func() bool {
		for _, task := range list(d.get("/v1/state")["tasks"]) {
			if id == "" && task.str("status") == "planned" {
				id = task.str("task_id")
			}
		}
		return id != ""
	})
	return id
}

// Real Claude Code uses the office's tools: it asks a person and waits for the answer, takes a task
// and delivers its result, which a person reviews (B18).
func TestClaudeUsesTheOfficesTools(t *testing.T) {
	t.Parallel()
	scripts := map[string][]reply{}
	d := newDesk(t, scripts)
	options := d.openWithHelper()
	task := d.plannedTask()
	scripts["ready"] = []reply{says("Ready.")}
	scripts["tools"] = []reply{
		{calls("mcp__bullpen__ask_person", message{"question": "Which colour?", "options": []string{"Red", "Blue"}})},
		{calls("mcp__bullpen__take_task", message{"task_id": task})},
		{calls("mcp__bullpen__deliver", message{"task_id": task, "artifacts": []message{{"title": "Note", "content": "# Launch in blue"}}})},
		says("Delivered."),
	}
	s := d.start(options...)
	// Claude Code starts a turn without the tools of a server that is slow to connect.
	until(t, "Claude Code offers the office's tools", func() bool {
		turns := s.turns()
		s.prompt("[ready] are you?")
		until(t, "the turn ends", func() bool { return s.turns() > turns })
		return d.model.offers("mcp__bullpen__ask_person")
	})
	s.prompt("[tools] go")
	q := d.decision()
	if q.str("asked_by") != "agent_helper" || q.str("prompt") != "Which colour?" {
		t.Errorf("the question is %v", q)
	}
	if m := d.give(d.operator(), "resolve_decision", message{"decision_id": q.str("decision_id"), "choice": "Blue"}); m.str("type") != "ack" {
		t.Fatalf("the answer was refused: %v", m)
	}
	artifact := ""
	until(t, "the result waits for a review", func() bool {
		for _, a := range list(d.get("/v1/state")["artifacts"]) {
			if a.str("task_id") == task {
				artifact = a.str("artifact_id")
			}
		}
		return artifact != ""
	})
	if got := content(t, d.addr, artifact); got != "# Launch in blue" {
		t.Errorf("delivered %q", got)
	}
	if out := s.end(t); !strings.Contains(out, "Delivered.") {
		t.Errorf("the turn did not end: %s", out)
	}
	if request := d.model.lastRequest("tools"); !strings.Contains(request, "Blue") || !strings.Contains(request, "Write a launch note") {
		t.Errorf("Claude Code got neither the answer nor the task: %s", request)
	}
}
