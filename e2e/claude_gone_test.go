//go:build unix

package e2e_test

import (
	"strings"
	"testing"
)

// After kill -9, the office notices that the Claude Code process is gone: the agent is offline,
// and its turn ends. A test in agents/watch checks with a fake clock that two checks are enough.
func TestKilledClaudeIsOffline(t *testing.T) {
	t.Parallel()
	d := newDesk(t, map[string][]reply{"slow": {{{text: "Let me see", hang: true}}}})
	d.open()
	d.install()
	s := d.start()
	s.prompt("[slow] go")
	id := d.guest().str("agent_id")
	d.doing(id, "working")
	s.kill()
	row := d.doing(id, "offline")
	if !strings.Contains(row.str("why"), "is gone") || row.str("authority") != "process" {
		t.Errorf("the office says: %v", row)
	}
	until(t, "the turn has ended", func() bool {
		n := tally(d.activity())
		return n["turn_start"] == 1 && n["turn_end"] == 1
	})
}
