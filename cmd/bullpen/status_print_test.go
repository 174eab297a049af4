package main

import (
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/bullpen-office/bullpen/cluster"
	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/ledger"
)

// A reason that only repeats the state is not printed.
func TestStatusDoesNotRepeatTheState(t *testing.T) {
	var b strings.Builder
	r := statusReport{Agents: []agentStatus{
		{AgentID: "agent_a", Name: "Ada", Doing: "free", Why: "Free."},
		{AgentID: "agent_b", Name: "Bram", Doing: "free", Why: "Waits for a desk."},
		{AgentID: "agent_c", Name: "Cleo", Doing: "needs_you", Why: "Needs you: Which color?"},
	}}
	if err := r.printPeople(&b); err != nil {
		t.Fatal(err)
	}
	if out := b.String(); strings.Count(out, "Free") != 2 || !strings.Contains(out, "Waits for a desk.") || !strings.Contains(out, "Needs you  Which color?") {
		t.Errorf("people:\n%s", out)
	}
}

// The status of a node shows which node is the writer and whether NATS is reachable.
func TestStatusShowsTheCluster(t *testing.T) {
	for want, c := range map[string]cluster.Status{
		`node "a" of office "team": this node is the writer; connected to NATS server n1`: {Office: "team", Node: "a", Writes: true, Writer: "a", Server: "n1"},
		`node "b" of office "team": the writer is node "a"; connected to NATS server n2`:  {Office: "team", Node: "b", Writer: "a", Server: "n2"},
		`node "b" of office "team": no writer; not connected to NATS`:                     {Office: "team", Node: "b"},
		`node "b\x1b" of office "team": no writer; connected to NATS server n 1`:          {Office: "team", Node: "b\x1b", Server: "n\x1b1"},
	} {
		var b strings.Builder
		r := statusReport{}
		r.Readiness.Cluster = &c
		if err := r.print(&b); err != nil || !strings.Contains(b.String(), "\ncluster   "+want+"\n") {
			t.Errorf("%v, want %s in:\n%s", err, want, &b)
		}
	}
}

// A ledger whose size is unknown is not shown as empty.
func TestStatusWithoutTheSizeOfTheLedger(t *testing.T) {
	for want, s := range map[string]ledger.Stats{"size unknown; 0 viewers": {}, "1 record, 2 KiB; 0 viewers": {Records: 1, Bytes: 2048}} {
		var b strings.Builder
		r := statusReport{}
		r.Readiness.Ledger = s
		if err := r.print(&b); err != nil || !strings.Contains(b.String(), "\nledger    "+want+"\n") {
			t.Errorf("%v, want %s in:\n%s", err, want, &b)
		}
	}
}

// The end of a turn shows the agent's answer or what it delivered, and how long the turn took. The
// note "overwrite" and the result are shown in the same parentheses.
func TestHUDWordsShowTheResult(t *testing.T) {
	took := int64(3000)
	for want, h := range map[string]contracts.HUD{
		"Answered: All tests pass. (done after 3.0 s)": {Event: contracts.HUDTurnEnd, Said: "All tests pass."},
		"Delivered: Cart (done after 3.0 s)":           {Event: contracts.HUDTurnEnd, Said: "Delivered: Cart"},
		"✏ cart.go (overwrite, done after 3.0 s)":      {Event: contracts.HUDToolEnd, Tool: "write", Args: jsontext.Value(`{"path":"cart.go"}`)},
		"⚡ f (x) (done after 3.0 s)":                   {Event: contracts.HUDToolEnd, Tool: "exec", Args: jsontext.Value(`{"command":"f (x)"}`)},
	} {
		h.DurationMS = &took
		if got := hudWords(&h); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// Text is broken only at spaces, and not inside a command.
func TestWrapText(t *testing.T) {
	for text, want := range map[string]string{
		"run `bullpen token create --data /tmp/audit-data` again": "run\n`bullpen token create --data /tmp/audit-data`\nagain",
		"files are in /tmp/audit-data/one":                        "files are in\n/tmp/audit-data/one",
		"an odd ` and a well-known word":                          "an odd ` and a\nwell-known word",
	} {
		if got := wrapText(text, 20); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
