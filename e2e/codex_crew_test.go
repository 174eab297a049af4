//go:build unix

package e2e_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/drive/drivetest"
)

// With --crew codex, real Codex plans a request, works on its task, asks a person before it leaves its
// sandbox, and delivers.
func TestCodexIsTheCrew(t *testing.T) {
	t.Parallel()
	const done = "```json\n" + `{"artifacts":[{"title":"Page","type":"copy","mime":"text/markdown","content":"# Done"}]}` + "\n```"
	d, codex := newCodexDesk(t, func(prompt string, step int) []drivetest.Block {
		switch {
		case strings.Contains(prompt, `"tasks"`):
			return []drivetest.Block{{Text: "```json\n" + `{"summary":"One task.","tasks":[{"title":"Write it","kind":"copy"}]}` + "\n```"}}
		case step == 0:
			return []drivetest.Block{{Tool: "exec_command", Input: message{"cmd": "touch made.txt", "sandbox_permissions": "require_escalated", "justification": "make a file"}}}
		}
		return []drivetest.Block{{Text: done}}
	})
	d.file("home/bullpen.yaml", fmt.Sprintf("runners:\n  codex:\n    kind: codex\n    command: %q\n    workspace: %q\n    env: [STUB_KEY]\n", codex, d.project))
	d.open("--crew", "codex", "--config", filepath.Join(d.home, "bullpen.yaml"), "--pace", "100")
	if m := d.give(d.operator(), "submit_request", message{"text": "Write it.", "auto_assign": true}); m.str("type") != "ack" {
		t.Fatalf("the request was refused: %v", m)
	}
	q := d.decision()
	if q.str("kind") != "permission" || !strings.Contains(q.str("prompt"), "touch made.txt") || d.exists("made.txt") {
		t.Errorf("the question is %v", q)
	}
	if m := d.give(d.operator(), "resolve_decision", message{"decision_id": q.str("decision_id"), "choice": contracts.OptionAllow}); m.str("type") != "ack" {
		t.Fatalf("the operator was refused: %v", m)
	}
	var made []message
	until(t, "the task is delivered", func() bool {
		made = list(d.get("/v1/state")["artifacts"])
		return len(made) == 1
	})
	if got := content(t, d.addr, made[0].str("artifact_id")); got != "# Done" || !d.exists("made.txt") {
		t.Errorf("delivered %q", got)
	}
	if guests := d.guests(); len(guests) > 0 {
		t.Errorf("threads of the crew are shown as guests: %v", guests)
	}
}
