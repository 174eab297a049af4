package status

import (
	"strings"
	"testing"
	"time"

	"github.com/bullpen-office/bullpen/contracts"
)

// t0 is the start of every scenario.
const t0 = int64(1_800_000_000_000)

// at returns the time d after the start of the scenario.
func at(d time.Duration) int64 { return t0 + d.Milliseconds() }

func caseOf(es ...Evidence) *Case {
	c := &Case{}
	for _, e := range es {
		c.Add(e)
	}
	return c
}

func hook(d time.Duration, claim Claim, call, says string) Evidence {
	return Evidence{Source: contracts.FromHook, Claim: claim, Call: call, Says: says, At: at(d)}
}

func transcript(d time.Duration, claim Claim, call, says string) Evidence {
	return Evidence{Source: contracts.FromTranscript, Claim: claim, Call: call, Says: says, At: at(d)}
}

func process(d time.Duration, claim Claim, says string) Evidence {
	return Evidence{Source: contracts.FromProcess, Claim: claim, Says: says, At: at(d)}
}

// expect checks a verdict's activity and its authority, and that its reason contains the given
// words.
func expect(t *testing.T, c *Case, d time.Duration, activity contracts.Activity, by contracts.EvidenceSource, words ...string) contracts.AgentStatus {
	t.Helper()
	s, until := c.Verdict(at(d))
	if s.Activity != activity || s.Authority != by {
		t.Errorf("after %v: %s by %s (%s), want %s by %s", d, s.Activity, s.Authority, s.Why, activity, by)
	}
	for _, w := range words {
		if !strings.Contains(s.Why, w) {
			t.Errorf("after %v: %q does not say %q", d, s.Why, w)
		}
	}
	if until != 0 && until <= at(d) {
		t.Errorf("after %v: the verdict holds until %d, which is in the past", d, until-t0)
	}
	return s
}

func TestTurnFromPromptToStop(t *testing.T) {
	c := caseOf(hook(0, Present, "", "SessionStart"))
	expect(t, c, time.Second, contracts.ActivityIdle, contracts.FromHook, "Idle: SessionStart")
	c.Add(hook(2*time.Second, TurnStarted, "", "UserPromptSubmit"))
	expect(t, c, 3*time.Second, contracts.ActivityWorking, contracts.FromHook, "Working: in a turn")
	e := hook(4*time.Second, ToolStarted, "toolu_1", "PreToolUse Bash")
	e.Line = "Running npm test"
	c.Add(e)
	s := expect(t, c, 16*time.Second, contracts.ActivityWorking, contracts.FromHook, "Working: Running npm test (hook: PreToolUse Bash)")
	if s.Line != "Running npm test" || s.Since != at(2*time.Second) {
		t.Errorf("line %q since %d", s.Line, s.Since-t0)
	}
	if why := c.Explain(at(16 * time.Second)); why != "Working: Running npm test (hook: PreToolUse Bash, for 12 s)" {
		t.Errorf("explained as %q", why)
	}
	c.Add(hook(20*time.Second, ToolEnded, "toolu_1", "PostToolUse Bash"))
	c.Add(hook(25*time.Second, TurnEnded, "", "Stop"))
	s = expect(t, c, 26*time.Second, contracts.ActivityIdle, contracts.FromHook, "Idle: Stop")
	if s.Line != "" || s.Evidence[0].Says != "Stop" || s.Since != at(25*time.Second) {
		t.Errorf("idle shows %q, evidence %v", s.Line, s.Evidence)
	}
}

// If a person presses Esc in the middle of a turn, and neither a hook nor the transcript shows
// it, the agent counts as idle after a period of silence.
func TestT4EscapeWithoutHookOrTranscript(t *testing.T) {
	c := caseOf(hook(0, TurnStarted, "", "UserPromptSubmit"), hook(time.Second, Sign, "", "MessageDisplay"))
	expect(t, c, 90*time.Second, contracts.ActivityWorking, contracts.FromHook)
	_, until := c.Verdict(at(90 * time.Second))
	if until != at(time.Second+contracts.SilenceTurn) {
		t.Errorf("decays at %d", until-t0)
	}
	s := expect(t, c, 91*time.Second, contracts.ActivityIdle, contracts.FromSilence, "Not working: no activity for 90 s in the middle of a turn", "probably interrupted")
	if s.Evidence[0].Source != contracts.FromSilence || s.Since != at(91*time.Second) {
		t.Errorf("evidence %v since %d", s.Evidence, s.Since-t0)
	}
}

// If a person presses Esc while a tool is running, and the transcript records the interruption, the
// agent is idle, even if hooks from that turn arrive later.
func TestT4EscapeSeenInTheTranscript(t *testing.T) {
	c := caseOf(
		hook(0, TurnStarted, "", "UserPromptSubmit"), hook(time.Second, ToolStarted, "toolu_1", "PreToolUse Bash"),
		transcript(5*time.Second, Interrupted, "", "Request interrupted by user"),
		hook(5*time.Second+100*time.Millisecond, ToolEnded, "toolu_1", "PostToolUseFailure Bash"), // late
		hook(6*time.Second, Sign, "", "MessageDisplay"),                                           // later still
	)
	expect(t, c, 7*time.Second, contracts.ActivityIdle, contracts.FromTranscript, "Request interrupted by user")
}

// If a person presses Esc before anything has been written, only the session note shows that the
// agent is idle.
func TestT4EscapeSeenInTheSessionNote(t *testing.T) {
	c := caseOf(hook(0, TurnStarted, "", "UserPromptSubmit"), transcript(5*time.Second, TurnEnded, "", "session note: idle"))
	expect(t, c, 6*time.Second, contracts.ActivityIdle, contracts.FromTranscript, "session note: idle")
}

// If a person presses Esc while a tool is running, and no evidence shows it, the agent counts as
// working only until the time limit for a silent tool is reached.
func TestT4EscapeInAQuietTool(t *testing.T) {
	c := caseOf(hook(0, TurnStarted, "", "UserPromptSubmit"), hook(0, ToolStarted, "toolu_1", "PreToolUse Bash"))
	expect(t, c, contracts.SilenceTool-time.Second, contracts.ActivityWorking, contracts.FromHook)
	expect(t, c, contracts.SilenceTool, contracts.ActivityIdle, contracts.FromSilence, "10 min")
}

// After kill -9, an agent that was working or waiting for a person is offline.
func TestT5KilledIsOffline(t *testing.T) {
	for _, doing := range []Claim{TurnStarted, ToolStarted, Asked, Present} {
		c := caseOf(hook(0, doing, "x", "before"), process(time.Second, Alive, "pid 4711 is alive"), process(6*time.Second, Gone, "pid 4711 is gone"))
		expect(t, c, 6*time.Second, contracts.ActivityOffline, contracts.FromProcess, "pid 4711 is gone")
		c.Add(transcript(5*time.Second, Sign, "", "a row that was written before"))
		c.Add(hook(7*time.Second, Answered, "x", "the question was withdrawn"))
		c.Add(hook(7*time.Second, TurnEnded, "", "tidied up"))
		expect(t, c, 8*time.Second, contracts.ActivityOffline, contracts.FromProcess)
		c.Add(hook(time.Minute, Present, "", "SessionStart resume"))
		expect(t, c, time.Minute, contracts.ActivityIdle, contracts.FromHook, "resume")
	}
}

// An agent whose process is alive but makes no progress does not count as working.
func TestT6LiveProcessIsNotProgress(t *testing.T) {
	c := caseOf(hook(0, TurnStarted, "", "UserPromptSubmit"))
	for d := time.Duration(0); d < contracts.SilenceTurn; d += contracts.ProcessCheck {
		c.Add(process(d, Alive, "pid 4711 is alive"))
	}
	expect(t, c, contracts.SilenceTurn, contracts.ActivityIdle, contracts.FromSilence, "the agent's process is running", "is hanging")
	c.Add(process(2*contracts.SilenceOffline, Alive, "pid 4711 is alive"))
	expect(t, c, 2*contracts.SilenceOffline, contracts.ActivityIdle, contracts.FromSilence) // but not offline
}

func TestEndIsNotUndoneByAnExitingProcess(t *testing.T) {
	c := caseOf(hook(0, Present, "", "SessionStart"), hook(time.Second, Ended, "", "SessionEnd"), process(2*time.Second, Alive, "pid 1 is alive"))
	expect(t, c, 3*time.Second, contracts.ActivityOffline, contracts.FromHook, "SessionEnd")
	gateway := Evidence{Source: contracts.FromGateway, At: at(0)}
	gone, back := gateway, gateway
	gone.Claim, gone.Says, back.Claim, back.Says, back.At = Gone, "the gateway does not answer", Alive, "connected", at(time.Second)
	expect(t, caseOf(gone, back), 2*time.Second, contracts.ActivityIdle, contracts.FromGateway, "connected")
}

func TestWaitingHoldsWhileTheQuestionIsOpen(t *testing.T) {
	ask := hook(time.Second, Asked, "toolu_1", "PermissionRequest Bash")
	ask.Line = "May I run make?"
	c := caseOf(hook(0, TurnStarted, "", "UserPromptSubmit"), hook(time.Second, ToolStarted, "toolu_1", "PreToolUse Bash"), ask)
	c.Add(transcript(5*time.Second, Sign, "", "a row"))
	expect(t, c, 12*time.Hour, contracts.ActivityWaiting, contracts.FromHook, "Waiting for you: May I run make? (hook: PermissionRequest Bash)")
	for name, end := range map[string]Evidence{
		"answered":    hook(13*time.Hour, Answered, "toolu_1", "allowed"),
		"the tool":    hook(13*time.Hour, ToolEnded, "toolu_1", "PostToolUse Bash"),
		"the turn":    hook(13*time.Hour, TurnEnded, "", "Stop"),
		"interrupted": transcript(13*time.Hour, Interrupted, "", "Esc"),
		"gone":        process(13*time.Hour, Gone, "pid 1 is gone"),
	} {
		ended := caseOf(ask, end)
		if s, _ := ended.Verdict(at(13 * time.Hour)); s.Activity == contracts.ActivityWaiting {
			t.Errorf("%s: still waiting", name)
		}
	}
	nameless := caseOf(hook(0, Asked, "", "Notification"), hook(time.Second, ToolStarted, "toolu_2", "PreToolUse Read"))
	expect(t, nameless, 2*time.Second, contracts.ActivityWorking, contracts.FromHook)
}

func TestQuestionIsAskedAgainUnderTheSameName(t *testing.T) {
	c := caseOf(hook(0, Asked, "notification", "Notification"), hook(time.Second, Answered, "notification", "PostToolUse"))
	expect(t, c, 2*time.Second, contracts.ActivityIdle, contracts.FromHook)
	c.Add(transcript(3*time.Second, Asked, "notification", "session note: waiting"))
	expect(t, c, 4*time.Second, contracts.ActivityWaiting, contracts.FromTranscript)
	if q := c.Questions(); len(q) != 1 || q[0].Name != "notification" {
		t.Errorf("open questions: %v", q)
	}
	c.Add(Evidence{Source: contracts.FromOffice, Claim: Answered, Call: "notification", Says: "the question was answered", At: at(time.Hour)})
	expect(t, c, time.Hour, contracts.ActivityIdle, contracts.FromOffice, "the question was answered")
}

func TestToolEndIsNotUndoneByALateTranscript(t *testing.T) {
	c := caseOf(hook(0, TurnStarted, "", "UserPromptSubmit"), hook(time.Second, ToolStarted, "toolu_1", "PreToolUse Bash"),
		hook(2*time.Second, ToolEnded, "toolu_1", "PostToolUse Bash"), transcript(3*time.Second, ToolStarted, "toolu_1", "tool_use Bash"))
	expect(t, c, 4*time.Second, contracts.ActivityWorking, contracts.FromHook, "in a turn")
	c.Add(hook(5*time.Second, ToolStarted, "toolu_1", "PreToolUse Bash"))
	expect(t, c, 6*time.Second, contracts.ActivityWorking, contracts.FromHook, "PreToolUse Bash")
}

func TestHooksTakePrecedenceOverTranscript(t *testing.T) {
	c := caseOf(hook(0, TurnStarted, "", "UserPromptSubmit"), hook(10*time.Second, TurnEnded, "", "Stop"), transcript(11*time.Second, ToolStarted, "toolu_1", "a late row"))
	expect(t, c, 12*time.Second, contracts.ActivityIdle, contracts.FromHook)
	c.Add(transcript(2*time.Minute, TurnStarted, "", "a new prompt")) // hooks have stopped
	expect(t, c, 2*time.Minute, contracts.ActivityWorking, contracts.FromTranscript)
	alone := caseOf(transcript(0, TurnStarted, "", "a prompt"), transcript(time.Second, TurnEnded, "", "end_turn"))
	expect(t, alone, 2*time.Second, contracts.ActivityIdle, contracts.FromTranscript)
}

func TestTranscriptKeepsATurnOpen(t *testing.T) {
	c := caseOf(hook(0, TurnStarted, "", "UserPromptSubmit"), transcript(80*time.Second, Sign, "", "a row"))
	expect(t, c, 120*time.Second, contracts.ActivityWorking, contracts.FromHook)
}

func TestSilentIsOffline(t *testing.T) {
	c := caseOf(hook(0, TurnEnded, "", "Stop"))
	expect(t, c, contracts.SilenceOffline-time.Second, contracts.ActivityIdle, contracts.FromHook)
	expect(t, c, contracts.SilenceOffline, contracts.ActivityOffline, contracts.FromSilence, "Offline: no activity for 15 min")
}

func TestEvidenceReplacesRememberedStatus(t *testing.T) {
	recorded := Evidence{Source: contracts.FromOffice, Says: "as recorded before the restart", At: at(0)}
	for claim, want := range map[Claim]contracts.Activity{TurnStarted: contracts.ActivityWorking, Asked: contracts.ActivityWaiting, Present: contracts.ActivityIdle} {
		recorded.Claim = claim
		c := caseOf(recorded)
		expect(t, c, time.Second, want, contracts.FromOffice)
		if s, _ := c.Verdict(at(contracts.SilenceOffline)); s.Activity != contracts.ActivityOffline {
			t.Errorf("%s: still %s", claim, s.Activity)
		}
		c = caseOf(recorded, transcript(-time.Minute, TurnEnded, "", "end_turn"))
		expect(t, c, time.Second, contracts.ActivityIdle, contracts.FromTranscript)
	}
}

func TestWrongClocksDoNotFreezeTheStatus(t *testing.T) {
	c := caseOf(hook(1000*time.Hour, TurnStarted, "", "from a wrong clock"))
	expect(t, c, 0, contracts.ActivityWorking, contracts.FromHook)
	expect(t, c, contracts.SilenceTurn, contracts.ActivityIdle, contracts.FromSilence)
	expect(t, caseOf(hook(-1000*time.Hour, TurnStarted, "", "long ago")), 0, contracts.ActivityOffline, contracts.FromSilence)

	// The clock is set back by an hour: the order of the evidence stays the same.
	back := caseOf(hook(time.Hour, TurnStarted, "", "a"), hook(time.Hour+time.Minute, TurnEnded, "", "Stop"))
	expect(t, back, 0, contracts.ActivityIdle, contracts.FromHook, "Stop")
	back.Add(hook(time.Second, TurnStarted, "", "b"))
	expect(t, back, 2*time.Second, contracts.ActivityWorking, contracts.FromHook)
}

func TestNoEvidenceAndInvalidEvidence(t *testing.T) {
	c := &Case{}
	expect(t, c, 0, contracts.ActivityIdle, contracts.FromOffice, "no activity yet")
	c.Add(Evidence{Source: "rumour", Claim: TurnStarted, At: t0})
	c.Add(Evidence{Source: contracts.FromHook, Claim: "vibes", At: t0})
	if len(c.marks) != 0 {
		t.Errorf("invalid evidence was kept: %v", c.marks)
	}
	c.Add(hook(0, ToolEnded, "never started", "PostToolUse"))
	expect(t, c, time.Second, contracts.ActivityIdle, contracts.FromHook)
	c.Add(Evidence{Source: contracts.FromHook, Claim: Sign, Says: "\x1b[2J" + strings.Repeat("long ", 9999) + "\xff", Line: "\u202e", At: -5})
	if s, _ := c.Verdict(t0); len(s.Evidence[1].Says) > contracts.LimitPreview*4 || strings.Contains(s.Evidence[1].Says, "\x1b") {
		t.Errorf("not cleaned: %q", s.Evidence[1].Says)
	}
}

// U4: a status line that expires after two seconds is not shown for a minute.
func TestLineEndsBeforeTheTurn(t *testing.T) {
	c := caseOf(Evidence{Source: contracts.FromEvent, Claim: Sign, Says: "status update", Line: "Indexing", At: at(0), Until: at(2 * time.Second)})
	if s := expect(t, c, time.Second, contracts.ActivityWorking, contracts.FromEvent, "Indexing"); s.Line != "Indexing" {
		t.Errorf("the line is %q", s.Line)
	}
	if _, until := c.Verdict(at(time.Second)); until != at(2*time.Second) {
		t.Errorf("the verdict holds until %d, not until the line ends", until-t0)
	}
	if s := expect(t, c, 2*time.Second, contracts.ActivityWorking, contracts.FromEvent, "status update"); s.Line != "" {
		t.Errorf("the line is still %q", s.Line)
	}
	expect(t, c, contracts.SilenceTurn, contracts.ActivityIdle, contracts.FromSilence)
}

// A script that reports its status has no turns, so its silence is not explained by an interrupted
// turn.
func TestScriptHasNoTurns(t *testing.T) {
	sign := Evidence{Source: contracts.FromEvent, Claim: Sign, Says: "status update", Line: "Deploying", At: at(0)}
	s := expect(t, caseOf(sign), 2*contracts.SilenceTurn, contracts.ActivityIdle, contracts.FromSilence)
	if s.Why != "Idle: no activity for 90 s" {
		t.Errorf("the reason is %q", s.Why)
	}
	sign.Source = contracts.FromHook
	if s := expect(t, caseOf(sign), 2*contracts.SilenceTurn, contracts.ActivityIdle, contracts.FromSilence); !strings.Contains(s.Why, "in the middle of a turn") {
		t.Errorf("for an agent the reason is %q", s.Why)
	}
}

// A turn's answer is kept until the next turn ends.
func TestAnswerIsKeptUntilTheNextTurn(t *testing.T) {
	end := Evidence{Source: contracts.FromHook, Claim: TurnEnded, Says: "Stop", Said: "All tests pass.", At: at(0)}
	c := caseOf(end, Evidence{Source: contracts.FromHook, Claim: TurnStarted, Says: "UserPromptSubmit", At: at(time.Second)})
	if s := expect(t, c, 2*time.Second, contracts.ActivityWorking, contracts.FromHook); s.Said != "All tests pass." {
		t.Errorf("the answer is %q", s.Said)
	}
	end.Said, end.At = "Deployed.", at(3*time.Second)
	c.Add(end)
	if s := expect(t, c, 4*time.Second, contracts.ActivityIdle, contracts.FromHook); s.Said != "Deployed." {
		t.Errorf("the answer is %q", s.Said)
	}
}
