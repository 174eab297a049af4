package server

import (
	"sync/atomic"
	"testing"
	"time"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/view"
)

// later is a clock that a test moves forward.
type later struct{ by atomic.Int64 }

func (c *later) now() time.Time { return time.Now().Add(time.Duration(c.by.Load())) }

// pass moves the clock forward, reports a new guest called newcomer, and waits until the newcomer's
// activity is recorded: by then, the roster has checked every guest.
func (c *later) pass(r *rig, d time.Duration, newcomer string) {
	r.t.Helper()
	c.by.Add(int64(d))
	r.emit("/v1/ui/status?agent="+newcomer, "Working")
	r.untilRecorded("agent_"+newcomer, contracts.ActivityWorking)
}

// A3, A5: a script's question survives a restart and the timeout for silent guests, and the script
// can still wait for the answer.
func TestUIAskSurvivesARestart(t *testing.T) {
	clock := &later{}
	cfg := withoutCrew()
	cfg.DataDir, cfg.Now = t.TempDir(), clock.now
	r := startRig(t, cfg)
	var asks []string
	for range 2 {
		asks = append(asks, r.emit("/v1/ui/ask?agent=bee", `{"prompt":"Which?","choices":["Red","Green"]}`).DecisionID)
	}
	r.untilListed("agent_bee", func(a view.AgentRow) bool { return a.NeedsYou && a.Activity == contracts.ActivityWaiting })
	r.stop()

	r = startRig(t, cfg)
	v := r.dial(cfg.ownerToken(t))
	clock.pass(r, contracts.SilenceOffline+time.Minute, "ann")
	clock.pass(r, contracts.OfflineGuestStay+time.Minute, "cid")
	for _, id := range asks {
		if d := r.decision("/v1/decisions/" + id); d.Status != contracts.DecisionOpen {
			t.Fatalf("%+v", d)
		}
		if e := r.explain("agent_bee"); e.Activity != contracts.ActivityWaiting || e.DecaysAt != 0 {
			t.Fatalf("%s until %d: %s", e.Activity, e.DecaysAt, e.Why)
		}
		v.command(contracts.CmdResolveDecision, contracts.ResolveDecision{DecisionID: id, Choice: "Green"})
		if d := r.decision("/v1/decisions/" + id + "?wait=60s"); d.Choice != "Green" {
			t.Errorf("%+v", d)
		}
	}
	r.untilListed("agent_bee", func(a view.AgentRow) bool { return !a.NeedsYou && a.Activity == contracts.ActivityIdle })
}

// After the office restarts, a Claude Code session that is still asking in its terminal is shown as
// waiting, not working.
func TestClaudeIsShownWaitingAfterARestart(t *testing.T) {
	clock := &later{}
	cfg := Config{Crew: CrewNone, DataDir: t.TempDir(), Now: clock.now}
	r := startRig(t, cfg)
	id, answer := r.asking(r.dial(cfg.ownerToken(t)))
	asker := r.decision("/v1/decisions/" + id).AskedBy
	r.untilRecorded(asker, contracts.ActivityWaiting)
	r.stop()
	<-answer

	r = startRig(t, cfg)
	if d := r.decision("/v1/decisions/" + id + "?wait=60s"); d.Status != contracts.DecisionCancelled {
		t.Fatalf("%+v", d)
	}
	clock.pass(r, contracts.SilenceTool+time.Minute, "ann")
	if e := r.explain(asker); e.Activity != contracts.ActivityWaiting || e.Authority != contracts.FromOffice {
		t.Errorf("%s by %s: %s", e.Activity, e.Authority, e.Why)
	}
	if status, body := r.post(hookDoor, `{"session_id":"s1","cwd":"/src/shop","hook_event_name":"PostToolUse","tool_name":"Bash","tool_input":{"command":"make"},"tool_response":"ok","tool_use_id":"toolu_1"}`, asJSON); status/100 != 2 {
		t.Fatalf("%d %s", status, body)
	}
	r.untilListed(asker, func(a view.AgentRow) bool { return a.Activity != contracts.ActivityWaiting })
}
