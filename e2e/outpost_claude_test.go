//go:build unix

package e2e_test

import (
	"strings"
	"testing"

	"github.com/bullpen-office/bullpen/contracts"
)

// newRemoteDesk returns a machine that runs Claude Code and is an outpost of an office on another
// machine. The desk's methods read from that office.
func newRemoteDesk(t *testing.T, scripts map[string][]reply) (*desk, *machines) {
	t.Helper()
	d, m := newDesk(t, scripts), newMachines(t)
	m.homes = map[string]string{"laptop": d.home}
	m.openOffice()
	m.join()
	d.addr = m.addr
	d.install()
	return d, m
}

// Real Claude Code on an outpost asks for permission in the office. The question survives a kill of
// the office, the tool runs after it is allowed, and nothing is recorded twice.
func TestOutpostOfRealClaudeCode(t *testing.T) {
	t.Parallel()
	d, m := newRemoteDesk(t, map[string][]reply{"ask": asking["ask"], "more": work["more"]})
	s := d.start("--allowedTools", "Read")
	s.prompt("[more] please")
	who := d.guest()
	until(t, "the first turn has ended", func() bool { return tally(d.activity())["turn_end"] == 1 })
	if place := who.str("place"); !strings.HasPrefix(place, "laptop:") || !strings.HasSuffix(place, "/shop") {
		t.Errorf("it works in %q", place)
	}
	s.prompt("[ask] go")
	q := d.decision()
	if q.str("kind") != "permission" || !strings.HasPrefix(q.at("permission.place").(string), "laptop:") || !strings.Contains(jsonText(q), "touch made.txt") {
		t.Errorf("the question does not say what it is about: %v", q)
	}
	m.killOffice()
	m.openOffice()
	until(t, "the outpost is back", m.connected)
	if again := d.decision(); again.str("decision_id") != q.str("decision_id") || d.exists("made.txt") {
		t.Fatalf("after the restart the office asks %v", again)
	}
	m.run("office", "decide", q.str("decision_id"), contracts.OptionAllow)
	until(t, "the tool ran", func() bool { return d.exists("made.txt") })
	d.doing(who.str("agent_id"), "idle")
	if out := s.end(t); !strings.Contains(out, "Done with it.") {
		t.Errorf("the turn did not end: %s", out)
	}
	d.recordedOnce(2, 2)
	m.run("office", "verify")
}
