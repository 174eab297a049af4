//go:build unix

package e2e_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// work contains scripted turns with two parallel tools, a tool that fails, and a sub-agent.
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

// The activity of real Claude Code is recorded once, even though both the hooks and the transcript
// report it. Its sub-agent is a separate agent, and a restart does not change the totals (A9).
func TestClaudeActivityIsRecordedOnce(t *testing.T) {
	t.Parallel()
	d := newDesk(t, work)
	d.open()
	d.install()
	d.ask("[work] go", "--allowedTools", "Read", "Task", "Bash(echo:*)")
	who := d.guest()
	facts := d.recordedOnce(2, 5)
	if failed := facts[indexOf(facts, "tool_end", "nowhere")]; failed.at("result.ok") == true || failed.at("result.error") == nil {
		t.Errorf("the failure is shown as %v", failed["result"])
	}
	d.checkSubagent(who)

	before := d.get("/v1/usage")["lifetime"]
	d.close()
	d.open() // reads the transcripts again
	if diff := cmp.Diff(before, d.get("/v1/usage")["lifetime"]); diff != "" {
		t.Errorf("the restart changed the totals:\n%s", diff)
	}
	d.install() // the office has a new port
	d.ask("[more] please", "--continue", "--allowedTools", "Read")
	d.recordedOnce(3, 6)
}

// recordedOnce waits until all turns and calls have ended and usage is recorded, checks that
// nothing was recorded twice, and returns the facts.
func (d *desk) recordedOnce(turns, calls int) []message {
	d.t.Helper()
	until(d.t, "every turn and call has its end", func() bool {
		n := tally(d.activity())
		return n["turn_end"] >= turns && n["tool_end"] >= calls && n["tool_start"] == n["tool_end"]
	})
	until(d.t, "the tokens of all replies are counted", func() bool {
		return d.get("/v1/usage").at("lifetime.tokens_out") == float64(stubTokensOut*d.model.asked.Load())
	})
	facts, seen := d.activity(), map[string]int{}
	for _, f := range facts {
		seen[f.str("event")+" "+f.str("correlationId")+f.str("subtype")+jsonText(f["payload"])]++
	}
	for what, n := range seen {
		if n != 1 {
			d.t.Errorf("%s was recorded %d times", what, n)
		}
	}
	if n := tally(facts); n["turn_start"] != turns || n["turn_end"] != turns || n["tool_start"] != calls || n["tool_end"] != calls {
		d.t.Errorf("%d turns with %d calls became %v", turns, calls, n)
	}
	return facts
}

func (d *desk) checkSubagent(parent message) {
	d.t.Helper()
	for _, a := range d.guests() {
		if a.str("parent_id") == parent.str("agent_id") {
			return
		}
	}
	d.t.Errorf("the sub-agent has no parent: %v", d.guests())
}

// indexOf returns the index of the fact with this event for the call whose arguments contain word.
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

// A session without hooks is found on disk, with its history.
func TestClaudeSessionIsFoundOnDisk(t *testing.T) {
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
