package status

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/bullpen-office/bullpen/contracts"
)

var (
	someSource = rapid.SampledFrom([]contracts.EvidenceSource{
		contracts.FromHook, contracts.FromTranscript, contracts.FromGateway, contracts.FromStream, contracts.FromProcess, contracts.FromEvent, contracts.FromProgram, contracts.FromOffice,
	})
	someClaim    = rapid.SampledFrom([]Claim{TurnStarted, ToolStarted, ToolEnded, Sign, Asked, Answered, TurnEnded, Interrupted, Present, Alive, Busy, Blocked, Gone, Ended})
	someCall     = rapid.SampledFrom([]string{"", "a", "b", "c"})
	someEvidence = rapid.Custom(func(t *rapid.T) Evidence {
		return Evidence{
			Source: someSource.Draw(t, "source"), Claim: someClaim.Draw(t, "claim"), Call: someCall.Draw(t, "call"),
			Says: rapid.SampledFrom([]string{"", "x", "y"}).Draw(t, "says"), Line: rapid.SampledFrom([]string{"", "l", "m"}).Draw(t, "line"),
			At:    t0 + rapid.Int64Range(-1_200_000, 1_200_000).Draw(t, "at"),
			Until: rapid.SampledFrom([]int64{0, 0, t0, t0 + 50_000}).Draw(t, "until"),
		}
	})
	story = rapid.SliceOfN(someEvidence, 0, 24)
)

// The same evidence in any order leads to the same verdict, now and after any silence.
func TestOrderOfArrivalDoesNotMatter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		es := story.Draw(t, "evidence")
		a, b := caseOf(es...), caseOf(rapid.Permutation(es).Draw(t, "order")...)
		now := t0
		for range 4 {
			now += rapid.Int64Range(0, 1_500_000).Draw(t, "silence")
			s, until := a.Verdict(now)
			s2, until2 := b.Verdict(now)
			if d := cmp.Diff(s, s2); d != "" || until != until2 {
				t.Fatalf("%s\nuntil %d, %d", d, until, until2)
			}
			if x, y := a.Explain(now), b.Explain(now); x != y {
				t.Fatalf("%q, %q", x, y)
			}
		}
	})
}

// Without new evidence, every status becomes offline in a few steps, except while a question is
// open. A verdict stays valid until its expiry time and always has a reason.
func TestVerdictsDecay(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := caseOf(story.Draw(t, "evidence")...)
		now := t0 + rapid.Int64Range(-2_000_000, 2_000_000).Draw(t, "now")
		for range 5 {
			s, until := c.Verdict(now)
			if s.Why == "" || s.Authority == "" || len(s.Evidence) > contracts.LimitEvidence || s.Since > now {
				t.Fatalf("no reason: %+v", s)
			}
			if until == 0 {
				if s.Activity == contracts.ActivityWorking || s.Activity == contracts.ActivityIdle && len(c.marks) > 0 {
					t.Fatalf("%s forever: %s", s.Activity, s.Why)
				}
				return
			}
			if until <= now {
				t.Fatalf("holds until %d, now is %d", until, now)
			}
			if held, _ := c.Verdict(until - 1); held.Activity != s.Activity {
				t.Fatalf("changed early to %s, was %s", held.Activity, s.Activity)
			}
			if now = until; now-t0 > (2 * time.Hour).Milliseconds() {
				t.Fatalf("still %s after two hours: %s", s.Activity, s.Why)
			}
		}
		t.Fatal("the verdict never settles")
	})
}

// Evidence that an agent is gone overrides all older evidence.
func TestGoneWinsOverEverythingOlder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		es := story.Draw(t, "evidence")
		last := int64(0)
		for _, e := range es {
			last = max(last, e.At)
		}
		claim := rapid.SampledFrom([]Claim{Gone, Ended}).Draw(t, "claim")
		es = append(es, Evidence{Source: contracts.FromProcess, Claim: claim, Says: "pid 1 is gone", At: last})
		c := caseOf(rapid.Permutation(es).Draw(t, "order")...)
		if s, _ := c.Verdict(max(last, 0)); s.Activity != contracts.ActivityOffline {
			t.Fatalf("%s: %s", s.Activity, s.Why)
		}
	})
}

// The size of a Case is bounded, whatever the evidence.
func TestCaseStaysSmall(t *testing.T) {
	c := &Case{}
	c.Add(hook(0, Asked, "question", "PermissionRequest"))
	for i := range 5000 {
		for _, claim := range []Claim{ToolStarted, Asked, ToolEnded, Answered, Sign} {
			c.Add(Evidence{Source: contracts.FromStream, Claim: claim, Call: fmt.Sprint(i), At: t0 + int64(i)})
		}
	}
	if len(c.tools.all) > limitCalls || len(c.asks.all) > limitCalls || len(c.marks) > len(effects)*len(ranks) {
		t.Errorf("%d tools, %d questions, %d marks", len(c.tools.all), len(c.asks.all), len(c.marks))
	}
	expect(t, c, time.Minute, contracts.ActivityWaiting, contracts.FromHook) // the open question was not dropped
}

func FuzzCase(f *testing.F) {
	f.Add("hook", "tool_started", "a", "says", "line", t0, t0)
	f.Add("hook", "asked", "", "\xff\x00", "\u202e", int64(math.MaxInt64), int64(math.MinInt64))
	f.Fuzz(func(t *testing.T, source, claim, call, says, line string, when, now int64) {
		c := caseOf(Evidence{Source: contracts.EvidenceSource(source), Claim: Claim(claim), Call: call, Says: says, Line: line, Said: says, At: when})
		if s, _ := c.Verdict(now); s.Why == "" || s.Activity == "" || s.Authority == "" {
			t.Errorf("no reason: %+v", s)
		}
	})
}

// A question that is asked again after it was answered is open, so it is not dropped.
func TestQuestionAskedAgainIsKept(t *testing.T) {
	c := &Case{}
	c.Add(hook(0, Asked, "question", "PermissionRequest"))
	c.Add(hook(10*time.Millisecond, Answered, "question", "PermissionRequest"))
	c.Add(hook(20*time.Millisecond, Asked, "question", "PermissionRequest"))
	for i := range 3 * limitCalls {
		c.Add(hook(time.Second, ToolEnded, fmt.Sprint(i), "PostToolUse"))
	}
	if open := c.Questions(); len(open) != 1 || open[0].Name != "question" {
		t.Errorf("open: %v", open)
	}
}
