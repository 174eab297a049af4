//go:build unix

package e2e_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// work is a turn with two tools at once, a tool that fails, and a sub-agent.
var work = map[string][]reply{
	"work": {
		{calls("Read", message{"file_path": "notes.txt"}), calls("Bash", message{"command": "echo hello"})},
		{calls("Read", message{"file_path": "/nowhere/at/all"})},
		{calls("Task", message{"description": "look", "prompt": "[sub] look around", "subagent_type": "general-purpose"})},
		says("All done."),
	},
	"sub":  {{calls("Read", message{"file_path": "notes.txt"})}, says("Seen.")},
	"more": {{calls("Read", message{"file_path": "notes.txt"})}, says("Again.")},
}

// What real Claude Code does is in the office once, although hooks and transcript
// both tell it (T9), with its sub-agent as a person of its own, and it is still
// there, with the same totals, after a restart (T8).
func TestClaudeAtWork(t *testing.T) {
	t.Parallel()
	d := newDesk(t, work)
	d.open()
	d.install()
	d.ask("[work] go", "--allowedTools", "Read", "Task", "Bash(echo:*)")
	who := d.guest()
	until(t, "every start has its end", func() bool {
		n := tally(d.activity())
		return n["turn_end"] >= 2 && n["tool_start"] == n["tool_end"] && n["tool_end read"] == 3
	})
	until(t, "the tokens of all replies are counted", func() bool {
		return d.get("/v1/usage").at("lifetime.tokens_out") == float64(stubTokensOut*d.model.asked.Load())
	})
	d.holdsStill(func() {})
	facts := d.activity()
	for what, n := range tally(facts) {
		if strings.Contains(what, "toolu_") && n != 1 {
			t.Errorf("%s was told %d times", what, n)
		}
	}
	n := tally(facts)
	if n["turn_start"] != 2 || n["turn_end"] != 2 || n["tool_start"] != 5 || n["tool_end"] != 5 {
		t.Errorf("two turns with five calls became %v", n)
	}
	if failed := facts[indexOf(facts, "tool_end", "nowhere")]; failed.at("result.ok") == true || failed.at("result.error") == nil {
		t.Errorf("the failure is shown as %v", failed["result"])
	}
	d.checkSubagent(who)
	d.checkRestart()
}

// holdsStill fails when the office learns anything new in the time in which the
// transcripts are read several times; do happens meanwhile.
func (d *desk) holdsStill(do func()) {
	d.t.Helper()
	known, usage := len(d.activity()), d.get("/v1/usage")
	do()
	time.Sleep(2 * time.Second)
	if facts := d.activity(); len(facts) != known {
		d.t.Errorf("%d facts became %d: %s", known, len(facts), jsonText(facts[min(known, len(facts)):]))
	}
	if diff := cmp.Diff(usage, d.get("/v1/usage")); diff != "" {
		d.t.Errorf("the totals changed:\n%s", diff)
	}
}

func (d *desk) checkSubagent(parent message) {
	d.t.Helper()
	for _, a := range d.guests() {
		if a.str("parent_id") == parent.str("agent_id") {
			return
		}
	}
	d.t.Errorf("the sub-agent is nobody's child: %v", d.guests())
}

// checkRestart: nothing is told again by the next life, and a session goes on.
func (d *desk) checkRestart() {
	d.t.Helper()
	before := d.get("/v1/usage")
	d.holdsStill(func() {
		d.close()
		d.open()
	})
	if diff := cmp.Diff(before["lifetime"], d.get("/v1/usage")["lifetime"]); diff != "" {
		d.t.Errorf("the restart changed the totals (T8):\n%s", diff)
	}
	turns := tally(d.activity())["turn_end"]
	d.install() // the office has another port now
	d.ask("[more] please", "--continue", "--allowedTools", "Read")
	until(d.t, "the session goes on", func() bool { return tally(d.activity())["turn_end"] == turns+1 })
}

// indexOf finds a fact by its event and a word in it.
func indexOf(facts []message, event, word string) int {
	correlation := ""
	for _, f := range facts {
		if f.str("event") == "tool_start" && strings.Contains(jsonText(f["args"]), word) {
			correlation = f.str("correlationId")
		}
	}
	for i, f := range facts {
		if f.str("event") == event && f.str("correlationId") == correlation {
			return i
		}
	}
	return 0
}

// A session without any hooks is found on disk, with what it did as history.
func TestClaudeFoundOnDisk(t *testing.T) {
	t.Parallel()
	d := newDesk(t, work)
	d.ask("[more] please", "--allowedTools", "Read")
	d.open()
	who := d.guest()
	if !strings.Contains(who.str("place"), "shop") {
		t.Errorf("it works in %q", who.str("place"))
	}
	until(t, "what it did is known", func() bool {
		n := tally(d.activity())
		return n["turn_start"] == 1 && n["turn_end"] == 1 && n["tool_start read"] == 1
	})
	if row := d.guests()[who.str("agent_id")]; row.str("activity") == "working" {
		t.Errorf("a session that ended is shown as %v", row)
	}
}
