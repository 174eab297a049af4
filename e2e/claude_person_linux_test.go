package e2e_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var personScripts = map[string][]reply{
	"hello": {{calls("Read", message{"file_path": "notes.txt"})}, says("Good morning.")},
	"later": {says("Good night.")},
	"slow":  {{{text: "Let me think", hang: true}}},
	"mute":  {{{mute: true}}},
	"sleep": {{calls("Bash", message{"command": "sleep 60"})}, says("Awake.")},
}

// answers waits for text on the screen, ignoring spacing.
func (term *terminal) answers(t *testing.T, text string) {
	t.Helper()
	text = strings.ReplaceAll(text, " ", "")
	until(t, text+" is on the screen", func() bool {
		return strings.Contains(strings.ReplaceAll(term.shown(), " ", ""), text)
	})
}

// Claude Code calls no hook when Esc interrupts a turn. Soon after that, the agent is no longer
// shown as working, and the office shows why.
func TestInterruptedClaudeIsNotWorking(t *testing.T) {
	t.Parallel()
	d := newDesk(t, personScripts)
	d.open()
	d.install()
	term := d.launch("--allowedTools", "Bash(sleep:*)")
	for _, prompt := range []string{"[slow] think", "[sleep] wait", "[mute] begin"} {
		term.types(t, prompt)
		id := d.guest().str("agent_id")
		d.doing(id, "working")
		script, _, _ := strings.Cut(strings.TrimPrefix(prompt, "["), "]")
		until(t, "the model was asked", func() bool { return strings.Contains(d.model.log(), script+"/0") })
		if script == "sleep" {
			until(t, "the tool runs", func() bool { return tally(d.activity())["tool_start exec"] == 1 })
		}
		term.press(t, "\x1b")
		row := d.doing(id, "idle")
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

// While no office is running, an agent sees no error and no delay. Its activity is recorded when
// the office starts.
func TestClaudeHooksAreStoredWithoutAnOffice(t *testing.T) {
	t.Parallel()
	d := newDesk(t, personScripts)
	d.install()
	term := d.launch("--allowedTools", "Read")
	term.types(t, "[hello] there")
	term.answers(t, "Good morning.")
	kept := func() int {
		files, _ := filepath.Glob(filepath.Join(d.data, "spool", "*.json"))
		return len(files)
	}
	until(t, "all hooks are stored on disk", func() bool { return kept() == 5 }) // SessionStart, UserPromptSubmit, PreToolUse, PostToolUse, Stop
	term.types(t, "[later] and now?")
	term.answers(t, "Good night.") // any output of earlier hooks has reached the screen
	until(t, "the later hooks are on disk", func() bool { return kept() == 7 })
	if shown := strings.ReplaceAll(term.shown(), " ", ""); strings.Contains(shown, "hookerror") || strings.Contains(shown, "ECONNREFUSED") {
		t.Errorf("Claude Code complains:\n%s", term.shown())
	}
	if err := os.Remove(filepath.Join(d.home, ".claude", "settings.json")); err != nil {
		t.Fatal(err)
	}
	d.open()
	until(t, "the hooks are taken in", func() bool { return kept() == 0 })
	until(t, "the activity is recorded once", func() bool {
		n := tally(d.activity())
		return n["turn_start"] == 2 && n["turn_end"] == 2 && n["tool_start read"] == 1 && n["tool_end read"] == 1
	})
	if row := d.doing(d.guest().str("agent_id"), "idle"); row.str("why") == "" {
		t.Errorf("the reason is missing: %v", row)
	}
	if pid := d.explain(d.guest().str("agent_id"))["pid"]; pid != float64(term.cmd.Process.Pid) {
		t.Errorf("the process is %v, Claude Code is %d", pid, term.cmd.Process.Pid)
	}
}

func (d *desk) explain(id string) message {
	d.t.Helper()
	return d.get("/v1/agents/" + id + "/explain")
}
