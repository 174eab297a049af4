package e2e_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/bullpen-office/bullpen/agents/claude/translate"
	"github.com/bullpen-office/bullpen/agents/guest"
)

// forget removes a hook from the settings, to imitate a version of Claude Code that does not have it.
func (d *desk) forget(event string) {
	d.t.Helper()
	path := filepath.Join(d.home, ".claude", "settings.json")
	text, err := os.ReadFile(path)
	if err != nil {
		d.t.Fatal(err)
	}
	var settings map[string]jsontext.Value
	var hooks map[string]jsontext.Value
	if json.Unmarshal(text, &settings) != nil || json.Unmarshal(settings["hooks"], &hooks) != nil || hooks[event] == nil {
		d.t.Fatalf("the settings are not understood: %s", text)
	}
	delete(hooks, event)
	settings["hooks"], _ = json.Marshal(hooks)
	text, _ = json.Marshal(settings)
	if err := os.WriteFile(path, text, 0o600); err != nil {
		d.t.Fatal(err)
	}
}

// If only a Notification reports a permission request in the terminal, the agent is shown as
// waiting, with the request's text and the folder.
func TestClaudeNotificationIsShownWaiting(t *testing.T) {
	t.Parallel()
	d := newDesk(t, questionScripts)
	d.open()
	d.install()
	d.forget("PermissionRequest")
	term := d.launch()
	term.types(t, "[ask] go")
	id := d.guest().str("agent_id")
	row := d.doing(id, "waiting")
	if line := row.str("line"); line != "Waiting for permission: ⚡ touch made.txt" || row.str("place") == "" {
		t.Errorf("it waits with %q in %q", line, row.str("place"))
	}
	until(t, "the notification is evidence", func() bool { return strings.Contains(d.run("agent", "explain", id), "Notification permission_prompt") })
	d.doing(id, "waiting")
	d.listed(guest.StateBlocked)
	if n := len(list(d.get("/v1/state")["decisions"])); n != 0 {
		t.Errorf("%d questions can be answered in the office, though the answer would not arrive", n)
	}
	term.press(t, "1")
	until(t, "the tool ran", func() bool { return d.exists("made.txt") })
	d.doing(id, "idle")
	d.listed(guest.StateIdle)
}

// listed waits until Claude Code itself reports that its only session is in this state.
func (d *desk) listed(state guest.State) {
	d.t.Helper()
	until(d.t, "Claude Code lists its session as "+string(state), func() bool {
		printed, err := d.command(d.claude, translate.AgentsCommand...).Output()
		if err != nil {
			d.t.Fatal(err)
		}
		reports, err := translate.ParseAgents(printed)
		if err != nil {
			d.t.Fatalf("%v: %s", err, printed)
		}
		return len(reports) == 1 && reports[0].State == state
	})
}

// A question that is answered in the terminal is withdrawn in the office.
func TestClaudeQuestionAnsweredInTheTerminalIsWithdrawn(t *testing.T) {
	t.Parallel()
	d := newDesk(t, questionScripts)
	d.open()
	d.install()
	term := d.launch()
	term.types(t, "[one] more")
	q := d.questions(1)[0]
	if q.str("prompt") != "Ship it?" {
		t.Errorf("asked %v", q)
	}
	term.answers(t, "Next week")
	term.press(t, "2")
	if got := d.decided(q.str("decision_id")); got.str("status") != "cancelled" || got.str("reason") != "answered in the terminal" {
		t.Errorf("the question became %v", got)
	}
	term.answers(t, "We wait for a week.")
}

// If a background task ends after its turn, a new turn starts, and the task's notice is not shown
// as a person's message. The task takes far longer than the turn, because a notice during a turn
// does not start a new one.
func TestClaudeTaskNoticeIsNotAMessage(t *testing.T) {
	t.Parallel()
	d := newDesk(t, questionScripts)
	d.open()
	d.install()
	term := d.launch("--allowedTools", "Bash(sleep:*)")
	term.types(t, "[bash] go")
	until(t, "the notice began a turn", func() bool {
		for _, f := range d.activity() {
			if f.str("event") == "turn_start" && strings.HasPrefix(f.str("label"), `Background command "wait a moment" completed`) {
				return true
			}
		}
		return false
	})
	for _, f := range d.activity() {
		if strings.Contains(jsonText(f), "<task-notification") {
			t.Errorf("markup is shown: %v", f)
		}
	}
}
