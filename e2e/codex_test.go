//go:build unix

package e2e_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/drive/drivetest"
)

// codexScript answers prompts according to their first word.
func codexScript(prompt string, step int) []drivetest.Block {
	run := func(input message) []drivetest.Block {
		return []drivetest.Block{{Tool: "exec_command", Input: input}}
	}
	word, _, _ := strings.Cut(prompt, " ")
	switch {
	case step > 0:
	case word == "fail":
		return run(message{"cmd": "echo tried; exit 3"})
	case word == "ask":
		return run(message{"cmd": "touch made.txt", "sandbox_permissions": "require_escalated", "justification": "make a file"})
	case word == "question":
		return []drivetest.Block{{Tool: "request_user_input", Input: message{"questions": []message{{"id": "color", "header": "Color", "question": "Which color?",
			"options": []message{{"label": "Red", "description": "warm"}, {"label": "Blue", "description": "cold"}}}}}}}
	case word == "split":
		return []drivetest.Block{{Tool: "multi_agent_v1.spawn_agent", Input: message{"message": "look around"}}}
	case word == "slow":
		return run(message{"cmd": "sleep 600", "yield_time_ms": 600000})
	}
	return []drivetest.Block{{Text: "All done."}}
}

// Real Codex appears as a guest, works, asks for permission, is stopped, is killed and returns. The
// office shows a failed command as failed, even though Codex reports success.
func TestCodexAtWork(t *testing.T) {
	t.Parallel()
	d, codex := newCodexDesk(t, codexScript)
	config := readFile(t, filepath.Join(d.home, ".codex", "config.toml"))
	d.open()
	d.run("hooks", "install", "codex")
	s := d.startCodex(codex, "")

	if status := s.completed(s.turn("fail please")); status != "completed" {
		t.Fatalf("the turn ended %s", status)
	}
	row := d.guest()
	id := row.str("agent_id")
	d.doing(id, "idle")
	if row.str("name") != "shop" || row.str("model") != "stub-model" {
		t.Errorf("the guest is shown as %v", row)
	}
	until(t, "the failure is shown", func() bool {
		return shows(d.activity(), "tool_end", `"exitCode":3`) && shows(d.activity(), "turn_end", "All done.")
	})
	until(t, "its usage is counted", func() bool { return strings.Contains(jsonText(d.get("/v1/usage")), id) })

	asking := s.turn("ask please")
	q := d.decision()
	if q.str("asked_by") != id || q.at("permission.tool") != "exec" || !strings.Contains(q.str("prompt"), "touch made.txt") || d.exists("made.txt") {
		t.Errorf("the question is %v", q)
	}
	d.doing(id, "waiting")
	if m := d.give(d.operator(), "resolve_decision", message{"decision_id": q.str("decision_id"), "choice": contracts.OptionAllow}); m.str("type") != "ack" {
		t.Fatalf("the operator was refused: %v", m)
	}
	if status := s.completed(asking); status != "completed" || !d.exists("made.txt") {
		t.Errorf("after the answer the turn ended %s", status)
	}
	d.doing(id, "idle")

	d.splits(s, id)

	slow := s.turn("slow please")
	until(t, "the command runs", func() bool { return shows(d.activity(), "tool_start", "sleep 600") })
	d.doing(id, "working")
	s.call("turn/interrupt", message{"threadId": s.thread, "turnId": slow})
	s.completed(slow)
	until(t, "the interruption is shown", func() bool { return shows(d.activity(), "turn_end", "interrupted") })

	s.turn("slow again")
	d.doing(id, "working")
	s.kill()
	d.doing(id, "offline")
	until(t, "everything has ended", func() bool {
		n := tally(d.activity())
		return n["turn_start"] == 6 && n["turn_end"] == 6 && n["tool_start"] == n["tool_end"]
	})

	back := d.startCodex(codex, s.thread)
	back.completed(back.turn("hello again"))
	d.doing(id, "idle")
	for _, a := range d.guests() {
		if a.str("agent_id") != id && a.str("parent_id") != id {
			t.Errorf("%v is in the office, want only the one that returned and its sub-agent", a)
		}
	}

	d.run("hooks", "uninstall", "codex")
	if after := readFile(t, filepath.Join(d.home, ".codex", "config.toml")); after != config {
		t.Errorf("Codex's settings were changed to %s", after)
	}
	if files, _ := filepath.Glob(filepath.Join(d.home, ".codex", "hooks.json*")); len(files) > 0 {
		t.Errorf("left behind: %q", files)
	}
}

// splits has Codex start a sub-agent, and checks that it appears as a separate agent, works and goes
// offline.
func (d *desk) splits(s *codexSession, parent string) {
	d.t.Helper()
	s.completed(s.turn("split please"))
	sub := ""
	until(d.t, "the sub-agent is in the office", func() bool {
		for _, a := range d.guests() {
			if a.str("parent_id") == parent {
				sub = a.str("agent_id")
			}
		}
		return sub != ""
	})
	until(d.t, "its turn is its own", func() bool {
		ended := tally(slices.DeleteFunc(d.activity(), func(f message) bool { return f.str("agent_id") != sub }))
		return ended["turn_start"] == 1 && ended["turn_end"] == 1
	})
	d.doing(sub, "offline")
	d.doing(parent, "idle")
}
