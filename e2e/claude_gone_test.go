//go:build unix

package e2e_test

import (
	"strings"
	"testing"
	"time"

	"github.com/bullpen-office/bullpen/contracts"
)

// kill -9 of Claude Code: offline within two looks at its process (T5).
func TestClaudeKilled(t *testing.T) {
	t.Parallel()
	d := newDesk(t, map[string][]reply{"slow": {{{text: "Let me see", hang: true}}}})
	d.open()
	d.install()
	s := d.start()
	s.prompt("[slow] go")
	id := d.guest().str("agent_id")
	d.doing(id, "working")
	s.kill()
	killed := time.Now()
	row := d.doing(id, "offline")
	// The bound of the rule, and some patience with a busy machine.
	if took := time.Since(killed); took > 2*contracts.ProcessCheck+5*time.Second {
		t.Errorf("it took %v to see it", took)
	}
	if !strings.Contains(row.str("why"), "is gone") || row.str("authority") != "process" {
		t.Errorf("the office says: %v", row)
	}
	until(t, "the turn has ended", func() bool {
		n := tally(d.activity())
		return n["turn_start"] == 1 && n["turn_end"] == 1
	})
}
