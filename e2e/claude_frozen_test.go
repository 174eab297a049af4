//go:build unix

package e2e_test

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/bullpen-office/bullpen/agents/hook"
)

// A frozen office does not slow an agent down. Claude Code finishes its turn while the office is
// stopped: one hook waits for the office, and the others skip it. When the office continues, it
// records the whole turn, with each call once.
func TestFrozenOfficeDoesNotSlowClaude(t *testing.T) {
	t.Parallel()
	run := func(command string) reply {
		return reply{calls("Bash", message{"command": command, "description": "work"})}
	}
	d := newDesk(t, map[string][]reply{"work": {run("echo one"), run("echo two"), run("echo three"), says("Done with it.")}})
	d.extra = []string{"BULLPEN_HOOK_TIMEOUT=" + hook.DefaultTimeout.String()}
	d.open()
	d.install()
	if err := d.office.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.office.Process.Signal(syscall.SIGCONT) }) // a stopped process cannot be closed
	if out := d.ask("[work] go", "--allowedTools", "Bash"); !strings.Contains(out, "Done with it.") {
		t.Errorf("the turn did not end: %s", out)
	}
	if _, err := os.Stat(filepath.Join(d.data, "spool", ".breaker")); err != nil {
		t.Errorf("later hooks do not skip the office: %v", err)
	}
	kept, _ := filepath.Glob(filepath.Join(d.data, "spool", "*.json"))
	if want := 2*3 + 4; len(kept) < want { // two per call, plus start and end of session and turn
		t.Errorf("%d hooks are stored, want at least %d", len(kept), want)
	}
	if err := d.office.Process.Signal(syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	until(t, "the office has taken the hooks", func() bool {
		left, _ := filepath.Glob(filepath.Join(d.data, "spool", "*.json"))
		return len(left) == 0 && tally(d.activity())["turn_end"] == 1
	})
	if n := tally(d.activity()); n["tool_start exec"] != 3 || n["tool_end exec"] != 3 || n["turn_start"] != 1 {
		t.Errorf("the office recorded %v", n)
	}
}
