//go:build unix

package e2e_test

import (
	"strings"
	"testing"
)

// B11: from the command line, a person stops, resets and kills an agent that is connected to the
// bridge. The caller and the agent are notified, and each command is recorded once.
func TestControlFromTheCommandLine(t *testing.T) {
	t.Parallel()
	d := newBareDesk(t)
	d.open()
	p := newPeer(t, d.addr, d.operator(), "dev::desk", "p1")
	sees := func(activity string) { // the view lags behind the evidence
		t.Helper()
		until(t, "the office sees it "+activity, func() bool { return d.get("/v1/state").at("agents.0.activity") == activity })
	}
	for _, word := range []string{"stop", "kill", "new"} {
		answer := d.complete("dev::desk", "Build it")
		in := p.next("inbound")
		sees("working")
		if out := d.run("agent", word, "dev"); out == "" {
			t.Errorf("%s prints nothing", word)
		}
		if got := <-answer; !strings.Contains(got, "turn_stopped") {
			t.Errorf("after %s the caller got %q", word, got)
		}
		if f := p.next("cancel"); f.str("message_id") != in.at("meta.message_id") {
			t.Errorf("%s cancelled another turn: %v", word, f)
		}
		sees("idle") // so that the next "working" belongs to the next turn
	}
	answer := d.complete("dev::desk", "Build it after all")
	p.reply(p.next("inbound"), "Built.", true)
	if got := <-answer; got != "Built." {
		t.Errorf("the caller got %q", got)
	}
	seen := map[string]int{}
	for _, f := range d.activity() {
		if f.str("event") == "received" {
			seen[f.str("subtype")]++
		}
	}
	if seen["stop"] != 1 || seen["kill"] != 1 || seen["new_session"] != 1 || seen["message"] != 4 {
		t.Errorf("recorded %v", seen)
	}
	sees("idle")
	if out, err := d.command(d.bullpen, "agent", "stop", "dev").CombinedOutput(); err == nil || !strings.Contains(string(out), "has no work to stop") {
		t.Errorf("an idle agent was stopped: %v %s", err, out)
	}
	if out, err := d.command(d.bullpen, "agent", "handover", "dev", "dev").CombinedOutput(); err == nil || !strings.Contains(string(out), "is a guest and can only be watched here") {
		t.Errorf("a guest handed work over: %v %s", err, out)
	}
}

// B13: a connecting agent is listed immediately, receives messages in its chat, and is listed as
// offline when it disconnects. People who write to it after that are told that it is not connected.
func TestConnectedAgentGetsMessages(t *testing.T) {
	t.Parallel()
	d := newBareDesk(t)
	d.open()
	sees := func(activity string) {
		t.Helper()
		until(t, "the office sees it "+activity, func() bool { return d.get("/v1/state").at("agents.0.activity") == activity })
	}
	p := newPeer(t, d.addr, d.operator(), "dev::desk", "p1")
	sees("idle")
	output := make(chan string, 1)
	go func() {
		out, _ := d.command(d.bullpen, "agent", "say", "dev", "How is it going?").CombinedOutput()
		output <- string(out)
	}()
	in := p.next("inbound")
	if in.str("content") != "How is it going?" || in.at("meta.chat_id") != "desk" {
		t.Errorf("the agent got %v", in)
	}
	p.reply(in, "Well.\nAnd you?", true)
	if got := <-output; got != "Well.\nAnd you?\n" {
		t.Errorf("the person got %q", got)
	}
	p.conn.Close()
	sees("offline")
	if out := d.run("agent", "say", "dev", "Still there?"); !strings.Contains(out, "I could not answer: the agent is not connected") {
		t.Errorf("the person got %q", out)
	}
}

// B13: if an office is killed before a message is answered, the restarted office answers that it
// was restarted, and does not send the message to the agent again.
func TestRestartAnswersOpenMessages(t *testing.T) {
	t.Parallel()
	d := newBareDesk(t)
	d.open()
	p := newPeer(t, d.addr, d.operator(), "dev::desk", "p1")
	until(t, "it is in the office", func() bool { return d.get("/v1/state").at("agents.0.activity") == "idle" })
	asking := d.command(d.bullpen, "agent", "say", "dev", "How is it going?")
	if err := asking.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = asking.Process.Kill()
		_ = asking.Wait()
	})
	p.next("inbound")
	_ = d.office.Process.Kill()
	_ = d.office.Wait()
	d.office = nil
	d.open()
	until(t, "the message is answered", func() bool {
		for _, e := range list(d.get("/v1/events?kind=chat&limit=100")["events"]) {
			if strings.Contains(jsonOf(map[string]any(e)), "the office was restarted") {
				return true
			}
		}
		return false
	})
	again := newPeer(t, d.addr, d.operator(), "dev::desk", "p1")
	answer := d.complete("dev::desk", "And now?")
	in := again.next("inbound")
	if in.str("content") != "And now?" {
		t.Errorf("it was sent again: %v", in)
	}
	again.reply(in, "Well.", true)
	if got := <-answer; got != "Well." {
		t.Errorf("the caller got %q", got)
	}
}
