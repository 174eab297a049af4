package status

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/bullpen-office/bullpen/contracts"
)

func program(d time.Duration, claim Claim, says string) Evidence {
	return Evidence{Source: contracts.FromProgram, Claim: claim, Says: says, At: at(d)}
}

// A turn that is quiet for longer than SilenceTurn continues while the program reports that the
// agent is busy, but not longer than SilenceTool after the last progress.
func TestProgramHoldsAQuietTurn(t *testing.T) {
	c := caseOf(hook(0, TurnStarted, "", "UserPromptSubmit"))
	last := time.Duration(0)
	for d := time.Duration(0); d < contracts.SilenceTool; d += time.Second {
		if c.IsUncertain(at(d)) {
			if last > 0 && d-last < contracts.SurveyInterval {
				t.Errorf("asked after %v and again after %v", last, d)
			}
			last = d
			c.Add(program(d, Busy, "claude agents: busy"))
		}
		if s, _ := c.Verdict(at(d)); s.Activity != contracts.ActivityWorking {
			t.Fatalf("after %v: %s", d, s.Why)
		}
	}
	expect(t, c, contracts.SilenceTool-time.Second, contracts.ActivityWorking, contracts.FromProgram, "claude agents: busy")
	c.Add(program(contracts.SilenceTool, Busy, "claude agents: busy"))
	expect(t, c, contracts.SilenceTool, contracts.ActivityIdle, contracts.FromSilence, "10 min")
}

// An interrupted turn whose end no hook reported is over once the program reports that the agent is
// idle.
func TestProgramEndsAnInterruptedTurn(t *testing.T) {
	c := caseOf(hook(0, TurnStarted, "", "UserPromptSubmit"))
	if c.IsUncertain(at(time.Second)) {
		t.Error("the verdict on a turn that has just started is uncertain")
	}
	if !c.IsUncertain(at(contracts.SilenceTurn - time.Second)) {
		t.Error("the verdict on a turn that is about to be given up is certain")
	}
	c.Add(program(80*time.Second, TurnEnded, "claude agents: idle"))
	expect(t, c, 81*time.Second, contracts.ActivityIdle, contracts.FromProgram, "claude agents: idle")
	if c.IsUncertain(at(10 * time.Minute)) {
		t.Error("the program has answered, and the verdict is still uncertain")
	}
}

// An agent is shown as waiting while the program reports that it needs a person, until there is
// progress.
func TestProgramKnowsThatAPersonIsNeeded(t *testing.T) {
	blocked := caseOf(hook(0, TurnStarted, "", "UserPromptSubmit"), program(80*time.Second, Blocked, "claude agents: waiting"))
	expect(t, blocked, 81*time.Second, contracts.ActivityWaiting, contracts.FromProgram, "Waiting for you: claude agents: waiting")
	expect(t, blocked, 80*time.Second+contracts.SilenceTurn, contracts.ActivityIdle, contracts.FromSilence)
	for name, e := range map[string]Evidence{
		"progress": hook(82*time.Second, ToolEnded, "toolu_1", "PostToolUse"),
		"busy":     program(82*time.Second, Busy, "claude agents: busy"),
		"idle":     program(82*time.Second, TurnEnded, "claude agents: idle"),
	} {
		c := caseOf(hook(0, TurnStarted, "", "UserPromptSubmit"), program(80*time.Second, Blocked, "claude agents: waiting"), e)
		if s, _ := c.Verdict(at(83 * time.Second)); s.Activity == contracts.ActivityWaiting {
			t.Errorf("%s: still waiting", name)
		}
	}
}

// A report that an agent is busy can change a verdict to working only if the agent was considered
// idle because of silence, or waiting because of an earlier report, and only within SilenceTool of
// its last progress.
func TestProgramCannotInventWork(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		es := story.Draw(t, "evidence")
		now := t0 + rapid.Int64Range(-1_200_000, 2_000_000).Draw(t, "now")
		busy := program(0, Busy, "busy")
		busy.At = t0 + rapid.Int64Range(-1_200_000, 1_200_000).Draw(t, "busy")
		before, c := caseOf(es...), caseOf(append(es, busy)...)
		was, _ := before.Verdict(now)
		is, _ := c.Verdict(now)
		if is.Activity == was.Activity || is.Activity == contracts.ActivityIdle || is.Activity == contracts.ActivityOffline {
			return
		}
		blocked := was.Activity == contracts.ActivityWaiting && len(before.Questions()) == 0
		uncertain := was.Authority == contracts.FromSilence || blocked
		if moved := before.view().moved; is.Activity != contracts.ActivityWorking || !uncertain || now >= moved.at+contracts.SilenceTool.Milliseconds() {
			t.Fatalf("%s (%s) became %s (%s)", was.Activity, was.Why, is.Activity, is.Why)
		}
	})
}
