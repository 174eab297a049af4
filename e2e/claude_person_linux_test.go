package e2e_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

var morning = map[string][]reply{
	"hello": {{calls("Read", message{"file_path": "notes.txt"})}, says("Good morning.")},
	"slow":  {{{text: "Let me think", hang: true}}},
	"mute":  {{{mute: true}}},
	"sleep": {{calls("Bash", message{"command": "sleep 60"})}, says("Awake.")},
}

// answers waits for text on the screen, whatever the spacing.
func (term *terminal) answers(t *testing.T, text string) {
	t.Helper()
	text = strings.ReplaceAll(text, " ", "")
	until(t, text+" is on the screen", func() bool {
		return strings.Contains(strings.ReplaceAll(term.shown(), " ", ""), text)
	})
}

// Esc in mid-turn: Claude Code calls no hook for it, and yet the agent is not shown
// as working any more soon after, and the office says why (T4).
func TestClaudeInterrupted(t *testing.T) {
	t.Parallel()
	d := newDesk(t, morning)
	d.open()
	d.install()
	term := d.sit("--allowedTools", "Bash(sleep:*)")
	for _, prompt := range []string{"[slow] think", "[sleep] wait", "[mute] begin"} {
		term.types(t, prompt)
		id := d.guest().str("agent_id")
		d.doing(id, "working")
		if strings.HasPrefix(prompt, "[sleep]") {
			until(t, "the tool runs", func() bool { return tally(d.activity())["tool_start exec"] == 1 })
		}
		time.Sleep(time.Second) // in the middle of it
		term.press(t, "\x1b")
		pressed := time.Now()
		row := d.doing(id, "idle")
		if took := time.Since(pressed); took > 15*time.Second {
			t.Errorf("%s: it took %v", prompt, took)
		}
		why := d.run("agent", "explain", id)
		if !strings.Contains(why, "nterrupt") && !strings.Contains(why, "session note") {
			t.Errorf("%s: the reason is missing: %s\n%v", prompt, why, row)
		}
		until(t, "every start has its end", func() bool {
			n := tally(d.activity())
			return n["turn_start"] == n["turn_end"] && n["tool_start"] == n["tool_end"]
		})
	}
}

// While no office is open an agent notices nothing: no error, no waiting. What
// happened meanwhile is told when the office opens.
func TestClaudeWhileTheOfficeIsClosed(t *testing.T) {
	t.Parallel()
	d := newDesk(t, morning)
	d.install()
	term := d.sit("--allowedTools", "Read")
	term.types(t, "[hello] there")
	term.answers(t, "Good morning.")
	kept := func() int {
		files, _ := filepath.Glob(filepath.Join(d.data, "spool", "*.json"))
		return len(files)
	}
	until(t, "all hooks are on disk", func() bool { return kept() == 5 }) // SessionStart, UserPromptSubmit, Pre-, PostToolUse, Stop
	time.Sleep(500 * time.Millisecond)                                    // an error would be drawn by now
	if shown := strings.ReplaceAll(term.shown(), " ", ""); strings.Contains(shown, "hookerror") || strings.Contains(shown, "ECONNREFUSED") {
		t.Errorf("Claude Code complains:\n%s", term.shown())
	}
	if err := os.Remove(filepath.Join(d.home, ".claude", "settings.json")); err != nil {
		t.Fatal(err)
	}
	d.open()
	until(t, "the hooks are taken in", func() bool { return kept() == 0 })
	until(t, "what happened is told once", func() bool {
		n := tally(d.activity())
		return n["turn_start"] == 1 && n["turn_end"] == 1 && n["tool_start read"] == 1 && n["tool_end read"] == 1
	})
	if row := d.doing(d.guest().str("agent_id"), "idle"); row.str("why") == "" {
		t.Errorf("nobody says why: %v", row)
	}
	if pid := d.explain(d.guest().str("agent_id"))["pid"]; pid != float64(term.cmd.Process.Pid) {
		t.Errorf("the process is %v, Claude Code is %d", pid, term.cmd.Process.Pid)
	}
}

func (d *desk) explain(id string) message {
	d.t.Helper()
	return d.get("/v1/agents/" + id + "/explain")
}
