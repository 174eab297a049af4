package intake_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/e2e/leaktest"
	"github.com/bullpen-office/bullpen/hud/status"
	"github.com/bullpen-office/bullpen/intake"
)

const ada, bob = "agent_claude_ada", "agent_claude_bob"

func guestCalled(id, name string) contracts.AgentProfile {
	return contracts.AgentProfile{AgentID: id, Name: name, Source: "claude"}
}

func TestJoinIsIdempotentAndNamesAreUnique(t *testing.T) {
	inTime(t, func(t *testing.T, r *rosterRig) {
		for range 3 {
			r.join(guestCalled(ada, "shop"))
			r.join(guestCalled(bob, "shop"))
		}
		r.join(contracts.AgentProfile{AgentID: ada, Name: "shop", Model: "opus"}) // adds a field
		r.join(guestCalled(ada, "shop"))                                          // an empty field does not clear it
		r.join(guestCalled("agent_claude_bea", "BEA"))                            // a crew member's name
		r.join(guestCalled("agent_claude_none", "\x00\u202e "))
		for id, want := range map[string]string{ada: "shop", bob: "shop 2", "agent_claude_bea": "BEA 2", "agent_claude_none": "Guest"} {
			if a := r.guest(id); a == nil || a.Name != want {
				t.Errorf("%s is %+v, want the name %q", id, a, want)
			}
		}
		if a := r.guest(ada); a.Model != "opus" {
			t.Errorf("the model is %q", a.Model)
		}
		if n := len(r.events(contracts.EventAgentJoined)); n != 5 {
			t.Errorf("%d joins are recorded, want four and one change", n)
		}
		for _, bad := range []contracts.AgentProfile{{AgentID: ada}, {AgentID: "Ada!", Source: "ui"}, {AgentID: contracts.AgentBD, Source: "ui"}} {
			if err := r.Join(t.Context(), bad, intake.Proof{}); err == nil {
				t.Errorf("%+v was admitted", bad)
			}
		}
	})
}

func TestStatusIsRecordedWhenItChanges(t *testing.T) {
	inTime(t, func(t *testing.T, r *rosterRig) {
		r.join(guestCalled(ada, "shop"))
		r.pass(time.Second)
		r.expect(ada, contracts.ActivityIdle)
		r.see(ada, status.TurnStarted, "", "")
		r.pass(time.Millisecond)
		r.expect(ada, contracts.ActivityWorking)
		before := len(r.events(contracts.EventAgentStatus))
		for i := range 100 { // twenty seconds of tools, five lines per second
			r.see(ada, status.ToolStarted, "", "line "+strings.Repeat("x", i))
			r.pass(200 * time.Millisecond)
		}
		r.see(ada, status.Sign, "", "the last line")
		r.see(ada, status.ToolEnded, "", "")
		r.pass(contracts.StatusInterval)
		if n := len(r.events(contracts.EventAgentStatus)) - before; n < 9 || n > 12 {
			t.Errorf("%d records for 101 lines in 20 s, want about one every %v", n, contracts.StatusInterval)
		}
		if a := r.guest(ada); a.StatusLine != "the last line" { // the trailing edge
			t.Errorf("the line is %q", a.StatusLine)
		}
		before = len(r.events(contracts.EventAgentStatus))
		for range 100 {
			r.see(ada, status.Sign, "", "")
			r.pass(100 * time.Millisecond)
		}
		if n := len(r.events(contracts.EventAgentStatus)) - before; n != 0 {
			t.Errorf("%d records though nothing changed", n)
		}
		for range 100 { // an agent that changes back and forth
			r.see(ada, status.TurnEnded, "", "")
			r.pass(10 * time.Millisecond)
			r.see(ada, status.TurnStarted, "", "")
			r.pass(10 * time.Millisecond)
		}
		if n := len(r.events(contracts.EventAgentStatus)) - before; n > 20 {
			t.Errorf("%d records for 200 changes in 2 s", n)
		}
	})
}

// After Esc, no event arrives; the roster detects the silence itself.
func TestT4SilenceIsRecorded(t *testing.T) {
	inTime(t, func(t *testing.T, r *rosterRig) {
		r.join(guestCalled(ada, "shop"))
		r.see(ada, status.TurnStarted, "", "")
		r.pass(contracts.SilenceTurn - time.Second)
		r.expect(ada, contracts.ActivityWorking)
		r.pass(2 * time.Second)
		a := r.expect(ada, contracts.ActivityIdle)
		if a.Authority != contracts.FromSilence || !strings.Contains(a.Why, "probably interrupted") {
			t.Errorf("because %s: %s", a.Authority, a.Why)
		}
		e, ok := r.Explain(ada)
		if !ok || e.Why != a.Why || len(e.Evidence) < 2 || e.DecaysAt == 0 {
			t.Errorf("explained as %+v", e)
		}
		r.pass(contracts.SilenceOffline)
		r.expect(ada, contracts.ActivityOffline)
		r.pass(contracts.OfflineGuestStay)
		if r.guest(ada) != nil {
			t.Error("the guest never left")
		}
		if left := r.events(contracts.EventAgentLeft); len(left) != 1 || left[0].Reason == "" {
			t.Errorf("left: %+v", left)
		}
	})
}

// When an agent's process is killed, the agent and its sub-agents leave.
func TestT5KilledProcessIsOffline(t *testing.T) {
	inTime(t, func(t *testing.T, r *rosterRig) {
		r.join(guestCalled(ada, "shop"))
		child := guestCalled(bob, "helper")
		child.ParentID = ada
		r.join(child)
		r.WatchProcess(ada, 4711, 99)
		for range 100 { // an idle agent whose process is alive stays
			r.pass(time.Minute)
		}
		r.expect(ada, contracts.ActivityIdle)
		r.join(child)
		r.see(ada, status.TurnStarted, "", "")
		r.see(bob, status.TurnStarted, "", "")
		r.pass(time.Second)
		r.expect(bob, contracts.ActivityWorking)
		r.set(func() { r.dead[4711] = true })
		r.pass(2 * contracts.ProcessCheck)
		if a := r.expect(ada, contracts.ActivityOffline); a.Authority != contracts.FromProcess || !strings.Contains(a.Why, "pid 4711 is gone") {
			t.Errorf("because %s: %s", a.Authority, a.Why)
		}
		if a := r.expect(bob, contracts.ActivityOffline); !strings.Contains(a.Why, "shop is offline") {
			t.Errorf("because %s", a.Why)
		}
		r.pass(contracts.OfflineSubagentStay + time.Second)
		if r.guest(bob) != nil || r.guest(ada) == nil {
			t.Error("the sub-agent leaves first")
		}
		r.pass(contracts.OfflineGuestStay)
		if r.guest(ada) != nil {
			t.Error("the guest never left")
		}
	})
}

// A live process is not progress: an agent that stays silent becomes idle.
func TestT6LiveProcessIsNotProgress(t *testing.T) {
	inTime(t, func(t *testing.T, r *rosterRig) {
		r.join(guestCalled(ada, "shop"))
		r.WatchProcess(ada, 4711, 99)
		r.see(ada, status.TurnStarted, "", "")
		r.pass(contracts.SilenceTurn + time.Second)
		if a := r.expect(ada, contracts.ActivityIdle); !strings.Contains(a.Why, "the agent's process is running") {
			t.Errorf("because %s", a.Why)
		}
		if n := len(r.events(contracts.EventAgentStatus)); n > 3 {
			t.Errorf("%d records; checking a process must not make a record", n)
		}
	})
}

func TestSubagentsLeaveWithTheirParent(t *testing.T) {
	inTime(t, func(t *testing.T, r *rosterRig) {
		r.join(guestCalled(ada, "shop"))
		child := guestCalled(bob, "helper")
		child.ParentID = ada
		r.join(child)
		r.Leave(t.Context(), ada, "The session was closed.")
		r.see(ada, status.TurnStarted, "", "") // late evidence of finished work
		r.pass(time.Millisecond)
		if r.guest(ada) != nil || r.guest(bob) != nil {
			t.Errorf("still there: %v %v", r.guest(ada), r.guest(bob))
		}
		if _, ok := r.Explain(ada); ok {
			t.Error("Explain finds an agent that left")
		}
		r.see(ada, status.TurnStarted, "", "")
		r.see(ada, status.Sign, "", "")
		r.pass(time.Minute)
		if r.guest(ada) != nil {
			t.Error("late evidence brought it back")
		}
		r.see(ada, status.TurnStarted, "", "") // its session continues after all
		r.pass(time.Millisecond)
		r.expect(ada, contracts.ActivityWorking)
	})
}

func TestRestartTakesGuestsOver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "ledger.db")
		first := openRig(t, path)
		for id, claim := range map[string]status.Claim{ada: status.TurnStarted, bob: status.Asked, "agent_ui_cid": status.TurnEnded, "agent_ui_dot": status.Ended} {
			first.join(guestCalled(id, "shop"))
			first.see(id, claim, "q", "")
		}
		first.pass(time.Second)
		name := first.guest(bob).Name
		records := len(first.events(contracts.EventAgentStatus))
		first.stop()
		time.Sleep(time.Hour) // a long outage

		r := openRig(t, path)
		defer func() { r.stop() }()
		r.pass(time.Second)
		for id, want := range map[string]contracts.Activity{ada: contracts.ActivityWorking, bob: contracts.ActivityWaiting, "agent_ui_cid": contracts.ActivityIdle} {
			r.expect(id, want)
			if e, ok := r.Explain(id); !ok || e.Activity != want || e.Evidence[0].Says != "as recorded before the restart" || e.Authority != contracts.FromOffice {
				t.Errorf("%s is explained as %+v", id, e)
			}
		}
		if n := len(r.events(contracts.EventAgentStatus)); n != records {
			t.Errorf("a restart made %d records", n-records)
		}
		if r.guest("agent_ui_dot") != nil {
			t.Error("a guest that was offline before a long outage is still in the office")
		}
		r.join(guestCalled(bob, "shop"))
		if a := r.guest(bob); a.Name != name {
			t.Errorf("renamed from %s to %s", name, a.Name)
		}
		r.see(bob, status.TurnEnded, "", "")
		r.pass(contracts.SilenceTurn)
		r.expect(ada, contracts.ActivityIdle)
		r.expect(bob, contracts.ActivityIdle)
		r.pass(contracts.SilenceOffline + contracts.OfflineGuestStay)
		if r.guest(ada) != nil {
			t.Error("the guest never left")
		}
	})
}

func TestFullOfficeDisplacesOfflineGuests(t *testing.T) {
	inTime(t, func(t *testing.T, r *rosterRig) {
		name := func(i int) string { return "agent_ui_" + time.Duration(i).String() }
		for i := range contracts.LimitGuests {
			r.join(guestCalled(name(i), "worker"))
		}
		if err := r.Join(t.Context(), guestCalled(ada, "shop"), intake.Proof{}); err == nil || !strings.Contains(err.Error(), fmt.Sprint(contracts.LimitGuests)) {
			t.Errorf("one too many: %v", err)
		}
		r.see(name(7), status.Ended, "", "")
		r.pass(time.Second)
		r.join(guestCalled(ada, "shop")) // displaces a guest that is offline
		if r.guest(name(7)) != nil || r.guest(ada) == nil {
			t.Error("no guest was displaced")
		}
		if a := r.guest(name(contracts.LimitGuests - 1)); a == nil || a.Name != fmt.Sprint("worker ", contracts.LimitGuests) {
			t.Errorf("the last is %+v", a)
		}
	})
}

// Invented sessions cannot fill the office: guests proven by a transcript, a connection or a live
// process are admitted, the unproven guest that has been silent the longest makes room, and every
// refused guest is counted.
func TestProvenGuestsDisplaceInventedOnes(t *testing.T) {
	inTime(t, func(t *testing.T, r *rosterRig) {
		name := func(i int) string { return fmt.Sprintf("agent_ui_%03d", i) }
		for i := range contracts.LimitGuests {
			r.join(guestCalled(name(i), "worker"))
			time.Sleep(time.Millisecond)
		}
		r.see(name(0), status.Sign, "", "") // reports again: now 001 is the oldest
		tries := []struct {
			id    string
			proof intake.Proof
			in    bool
		}{
			{"agent_fake", intake.Proof{}, false},
			{"agent_pid_alone", intake.Proof{PID: 4}, false},
			{"agent_dead", intake.Proof{PID: 5, Started: 50}, false},
			{"agent_process", intake.Proof{PID: 6, Started: 60}, true},
			{"agent_same_process", intake.Proof{PID: 6, Started: 60}, false},
			{"agent_transcript", intake.Proof{Seen: true}, true},
		}
		r.set(func() { r.dead[5] = true })
		for _, c := range tries {
			err := r.Join(t.Context(), guestCalled(c.id, "shop"), c.proof)
			if (err == nil) != c.in || !c.in && !errors.Is(err, intake.ErrFull) {
				t.Errorf("%s: %v", c.id, err)
			}
			r.WatchProcess(c.id, c.proof.PID, c.proof.Started)
		}
		if got := r.Crowd(); got != (intake.Crowd{Guests: contracts.LimitGuests, Limit: contracts.LimitGuests, Unproven: contracts.LimitGuests - 2, Displaced: 2, Refused: 4}) {
			t.Errorf("%+v", got)
		}
		if r.guest(name(1)) != nil || r.guest(name(2)) != nil || r.guest(name(0)) == nil {
			t.Error("the displaced guest was not the oldest")
		}
		if d, left := r.Left(name(1)); !left || !strings.Contains(d.Reason, "no process or transcript") {
			t.Errorf("%+v", d)
		}
		// A later proof counts as well.
		r.AddEvidence(t.Context(), name(3), status.Evidence{Source: contracts.FromTranscript, Claim: status.Sign, Says: "a row"})
		r.pass(contracts.UnprovenGrace)
		for i := range contracts.LimitGuests - 2 { // silent guests are displaced, proven ones stay
			if err := r.Join(t.Context(), guestCalled(fmt.Sprint("agent_late_", i), "late"), intake.Proof{}); (err == nil) != (i < contracts.LimitGuests-3) {
				t.Fatalf("%d: %v", i, err)
			}
		}
		for _, id := range []string{"agent_process", "agent_transcript", name(3)} {
			if r.guest(id) == nil {
				t.Errorf("%s was displaced", id)
			}
		}
	})
}

// A transcript outranks a process: programs posing as agents cannot keep sessions out.
func TestTranscriptsDisplaceProcesses(t *testing.T) {
	inTime(t, func(t *testing.T, r *rosterRig) {
		for i := range contracts.LimitGuests {
			if err := r.Join(t.Context(), guestCalled(fmt.Sprintf("agent_pid_%03d", i), "worker"), intake.Proof{PID: 10 + i, Started: 1}); err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Millisecond)
		}
		if err := r.Join(t.Context(), guestCalled("agent_process", "shop"), intake.Proof{PID: 5, Started: 1}); !errors.Is(err, intake.ErrFull) {
			t.Errorf("another process: %v", err)
		}
		if err := r.Join(t.Context(), guestCalled("agent_transcript", "shop"), intake.Proof{Seen: true}); err != nil {
			t.Error(err)
		}
		if d, left := r.Left("agent_pid_000"); !left || !strings.Contains(d.Reason, "no transcript proved") {
			t.Errorf("%v %+v", left, d)
		}
	})
}

func TestFailedRecordsAreRetried(t *testing.T) {
	inTime(t, func(t *testing.T, r *rosterRig) {
		r.join(guestCalled(ada, "shop"))
		r.pass(time.Second)
		r.set(func() { r.down = contracts.Refuse(contracts.CodeInternal, "the disk is full") })
		if err := r.Join(t.Context(), guestCalled(bob, "shop"), intake.Proof{}); err == nil {
			t.Error("admitted though nothing was recorded")
		}
		r.see(ada, status.TurnStarted, "", "")
		for range 60 {
			r.see(ada, status.Sign, "", "")
			r.pass(time.Second)
		}
		r.expect(ada, contracts.ActivityIdle)
		r.set(func() { r.down = nil })
		r.pass(2 * time.Second)
		r.expect(ada, contracts.ActivityWorking)
		if n := strings.Count(r.log.String(), "the disk is full"); n != 1 {
			t.Errorf("logged %d times:\n%s", n, r.log.String())
		}
	})
}

// An answer in the office ends the wait, even if the script that asked reports nothing.
func TestAnswerInTheOfficeEndsTheWait(t *testing.T) {
	inTime(t, func(t *testing.T, r *rosterRig) {
		r.join(guestCalled(ada, "shop"))
		for _, end := range []string{"answer", "withdraw"} {
			asked := r.office.Tell(t.Context(), contracts.AskSeen{AgentID: ada, Kind: contracts.DecisionAsk, Prompt: "Ship it?", Options: []string{"Yes", "No"}})[0]
			if asked.Refusal != nil {
				t.Fatal(asked.Refusal)
			}
			id := asked.Result.DecisionID
			r.see(ada, status.Asked, id, "Ship it?")
			r.pass(time.Hour)
			r.expect(ada, contracts.ActivityWaiting)
			if end == "answer" {
				reply := r.office.Do(t.Context(), contracts.Command{ID: "c1", Caller: contracts.Caller{Identity: "me", Access: contracts.AccessOperator}, Data: contracts.ResolveDecision{DecisionID: id, Choice: "Yes"}})
				if reply.Refusal != nil {
					t.Fatal(reply.Refusal)
				}
			} else {
				r.office.Tell(t.Context(), contracts.AskWithdrawn{DecisionID: id, Reason: "It was decided elsewhere."})
			}
			r.pass(2 * time.Second)
			if a := r.expect(ada, contracts.ActivityIdle); !strings.Contains(a.Why, "the question was "+end) {
				t.Errorf("because %s", a.Why)
			}
		}
	})
}

func TestEvidenceDoesNotWaitForTheLedger(t *testing.T) {
	inTime(t, func(t *testing.T, r *rosterRig) {
		r.join(guestCalled(ada, "shop"))
		r.pass(time.Second)
		hang := make(chan struct{})
		r.set(func() { r.hang = hang })
		r.see(ada, status.TurnStarted, "", "")
		r.pass(time.Second) // the roster waits in Tell
		began := time.Now()
		for range 10_000 {
			r.see(ada, status.Sign, "", "")
		}
		if e, ok := r.Explain(ada); !ok || e.Activity != contracts.ActivityWorking {
			t.Errorf("explained as %+v", e)
		}
		if waited := time.Since(began); waited != 0 {
			t.Errorf("evidence waited for %v", waited)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := r.Join(ctx, guestCalled(bob, "shop"), intake.Proof{}); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("joined with %v", err)
		}
		close(hang)
		r.pass(time.Second)
		r.expect(ada, contracts.ActivityWorking)
	})
}

func TestGuestThatTheOfficeLostIsReadmitted(t *testing.T) {
	inTime(t, func(t *testing.T, r *rosterRig) {
		r.join(guestCalled(ada, "shop"))
		r.pass(time.Second)
		r.office.Tell(t.Context(), contracts.AgentGone{AgentID: ada, Reason: "behind the roster's back"})
		r.see(ada, status.TurnStarted, "", "")
		r.pass(time.Second)
		r.expect(ada, contracts.ActivityWorking)
	})
}

func TestClockJumps(t *testing.T) {
	inTime(t, func(t *testing.T, r *rosterRig) {
		r.join(guestCalled(ada, "shop"))
		r.see(ada, status.TurnStarted, "", "first")
		r.pass(time.Second)
		r.set(func() { r.skew = -24 * time.Hour })
		r.see(ada, status.TurnEnded, "", "")
		r.pass(time.Second)
		r.expect(ada, contracts.ActivityIdle)
		r.see(ada, status.TurnStarted, "", "")
		r.pass(time.Second)
		r.expect(ada, contracts.ActivityWorking)
		r.set(func() { r.skew = 24 * time.Hour })
		r.see(ada, status.Sign, "", "")
		r.AddEvidence(context.Background(), ada, status.Evidence{Source: contracts.FromHook, Claim: status.Sign, At: 1 << 60})
		r.pass(time.Second)
		r.expect(ada, contracts.ActivityWorking)
		r.pass(contracts.SilenceTurn)
		r.expect(ada, contracts.ActivityIdle)
	})
}

func TestMain(m *testing.M) { leaktest.Main(m) }
