package watch

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bullpen-office/bullpen/agents/claude/translate"
	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/intake"
)

// A real session's hooks become agents and facts; the responses are empty.
func TestHooksBecomeAgentsAndFacts(t *testing.T) {
	inVirtualTime(t, func(t *testing.T, r *rig) {
		for _, body := range recordedHooks(t) {
			if status, answer, _ := r.post(body); status != http.StatusOK || answer != "" {
				t.Fatalf("%d %q for %s", status, answer, body)
			}
		}
		r.settle()
		open := map[string]string{}
		for _, h := range r.hud() {
			switch {
			case strings.HasSuffix(string(h.Event), "_start"):
				open[h.CorrelationID] = h.Label
			case strings.HasSuffix(string(h.Event), "_end"):
				delete(open, h.CorrelationID)
			}
		}
		if len(open) > 0 {
			t.Errorf("never ended: %v", open)
		}
		parent, sub := translate.AgentID(recorded, ""), translate.AgentID(recorded, helper)
		if e, ok := r.roster.Explain(parent); !ok || e.Activity != contracts.ActivityOffline {
			t.Errorf("the session ended, but is %+v", e)
		}
		if e, ok := r.roster.Explain(sub); !ok || e.Activity != contracts.ActivityOffline {
			t.Errorf("the sub-agent is done, but is %+v", e)
		}
		if n := len(recordedHooks(t)); r.count(hookTaken) != float64(n) {
			t.Errorf("%v of %d were recorded in time", r.count(hookTaken), n)
		}
		if len(r.shown) == 0 || !r.shown[len(r.shown)-1].Done {
			t.Errorf("the text was not shown to its end: %v", r.shown)
		}
	})
}

// A body that is not a hook is rejected, counted and logged, and affects nothing else.
func TestMalformedHooksAreRejected(t *testing.T) {
	inVirtualTime(t, func(t *testing.T, r *rig) {
		for _, body := range []string{"", "nonsense", "[1]", `{"hook_event_name":"Stop"}`, "\xff"} {
			if status, answer, _ := r.post(body); status != http.StatusBadRequest || !strings.Contains(answer, "VALIDATION_FAILED") {
				t.Errorf("%q: %d %s", body, status, answer)
			}
		}
		if status, _, _ := r.post(`{"session_id":"s","hook_event_name":"Stop","pad":"` + strings.Repeat("x", contracts.LimitHookBody) + `"}`); status != http.StatusRequestEntityTooLarge {
			t.Errorf("too large: %d", status)
		}
		if r.count(hookMalformed) != 6 || !strings.Contains(r.log.String(), "rejected") {
			t.Errorf("%v counted", r.count(hookMalformed))
		}
		r.settle()
		if got := r.hud(); len(got) > 0 {
			t.Errorf("%v was recorded", got)
		}
	})
}

// A member of an unexpected type is ignored, counted and logged once; the rest of the hook is
// recorded.
func TestHookWithUnexpectedMemberIsRecorded(t *testing.T) {
	inVirtualTime(t, func(t *testing.T, r *rig) {
		for i := range 3 {
			body := fmt.Sprintf(`{"session_id":"s","prompt_id":"p","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"x"},"tool_use_id":"c%d","cwd":{"path":"/x"},"is_interrupt":0}`, i)
			if status, _, _ := r.post(body); status != http.StatusOK {
				t.Errorf("%d", status)
			}
		}
		r.settle()
		if n := counted(t, r.hud())[contracts.HUDToolStart]; n != 3 {
			t.Errorf("%d of 3 calls were recorded", n)
		}
		if said := strings.Count(r.log.String(), "member=/cwd"); said != 1 || r.count(hookMalformed) != 0 {
			t.Errorf("logged %d times: %s", said, r.log.String())
		}
	})
}

// A hook is answered in time while the ledger hangs; queued hooks are recorded afterwards, and
// rejected hooks are counted.
func TestHookIsAnsweredWhileTheLedgerHangs(t *testing.T) {
	inVirtualTime(t, func(t *testing.T, r *rig) {
		release := make(chan struct{})
		r.mu.Lock()
		r.hang = release
		r.mu.Unlock()
		const sent = shardQueue + shardBatch + 20
		refused := 0
		for i := range sent {
			body := fmt.Sprintf(`{"session_id":"s","prompt_id":"p","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"x"},"tool_use_id":"c%d"}`, i)
			status, _, took := r.post(body)
			if took > contracts.HookAnswer || status != http.StatusAccepted && status != http.StatusServiceUnavailable {
				t.Fatalf("hook %d: %d after %s", i, status, took)
			}
			if status != http.StatusAccepted {
				refused++
			}
		}
		if over := r.count(hookOverflow); over == 0 || over != float64(refused) || over+r.count(hookPending) != sent {
			t.Errorf("%v lost, %d refused, %v pending of %d", over, refused, r.count(hookPending), sent)
		}
		close(release)
		r.mu.Lock()
		r.hang = nil
		r.mu.Unlock()
		r.settle()
		starts := 0
		for _, h := range r.hud() {
			if h.Event == contracts.HUDToolStart {
				starts++
			}
		}
		if want := sent - int(r.count(hookOverflow)); starts != want {
			t.Errorf("%d of %d were recorded", starts, want)
		}
	})
}

// The total size of waiting hooks is limited too: a few large hooks fill the backlog, which then
// drains again.
func TestBacklogIsBoundedInBytes(t *testing.T) {
	inVirtualTime(t, func(t *testing.T, r *rig) {
		release := make(chan struct{})
		r.mu.Lock()
		r.hang = release
		r.mu.Unlock()
		large := strings.Repeat("x", testBacklog/32)
		for i := range testBacklog/len(large) + 4 {
			r.post(fmt.Sprintf(`{"session_id":"s%d","hook_event_name":"Notification","message":"%s"}`, i, large))
		}
		if over, held := r.count(hookOverflow), r.backlog.Load(); over == 0 || held > testBacklog {
			t.Errorf("%v lost, %d bytes waiting", over, held)
		}
		close(release)
		r.mu.Lock()
		r.hang = nil
		r.mu.Unlock()
		r.settle()
		if held := r.backlog.Load(); held != 0 {
			t.Errorf("%d bytes are counted although nothing is waiting", held)
		}
	})
}

// Once invented sessions have filled the office, more of them are refused with an error that says
// why, but real sessions can still join.
func TestInventedSessionsDoNotKeepARealOneOut(t *testing.T) {
	inVirtualTime(t, func(t *testing.T, r *rig) {
		hook := `{"session_id":"%s","prompt_id":"p","hook_event_name":"UserPromptSubmit","prompt":"hi"%s}`
		refused := 0
		for i := range contracts.LimitGuests + 30 {
			status, answer, _ := r.post(fmt.Sprintf(hook, fmt.Sprint("fake", i), ""))
			if status == http.StatusConflict && strings.Contains(answer, "the office is full") {
				refused++
			} else if status != http.StatusOK {
				t.Fatalf("hook %d: %d %s", i, status, answer)
			}
		}
		if refused != 30 || r.count(hookNoPlace) != 30 || r.roster.Crowd().Refused == 0 {
			t.Errorf("%d refused, %v counted, %+v", refused, r.count(hookNoPlace), r.roster.Crowd())
		}
		if err := r.RecordSpooled(t.Context(), time.Now(), []byte(fmt.Sprintf(hook, "fake229", ""))); !errors.Is(err, intake.ErrFull) {
			t.Errorf("from the spool: %v", err)
		}
		if status, answer, _ := r.post(fmt.Sprintf(hook, "alive", `,"bullpen_pid":7,"bullpen_pid_start":70`)); status != http.StatusOK {
			t.Errorf("a live process: %d %s", status, answer)
		}
		r.write(transcript, fixture(t, "transcript.jsonl"))
		r.settle()
		for _, session := range []string{"alive", recorded} {
			if _, in := r.roster.Explain(translate.AgentID(session, "")); !in {
				t.Errorf("%s is not in the office", session)
			}
		}
	})
}

// A question is recorded before the status that shows its session as waiting for a person, even if
// recording takes a long time.
func TestQuestionComesBeforeTheWaiting(t *testing.T) {
	inVirtualTime(t, func(t *testing.T, r *rig) {
		r.asking = 3 * time.Second
		r.post(`{"hook_event_name":"UserPromptSubmit","session_id":"s1","cwd":"/srv/shop","prompt":"Ship it"}`)
		r.post(`{"hook_event_name":"PermissionRequest","session_id":"s1","cwd":"/srv/shop","tool_name":"Bash","tool_input":{"command":"make"}}`)
		r.settle()
		recs, err := r.ledger.Read(t.Context(), 0, 1000, contracts.KindEvent)
		if err != nil {
			t.Fatal(err)
		}
		var order []string
		for _, rec := range recs {
			body, err := rec.Decode()
			if err != nil {
				t.Fatal(err)
			}
			switch e := body.(*contracts.Event); {
			case e.Name == contracts.EventDecisionRequested:
				order = append(order, "asked")
			case e.Status != nil && e.Status.Activity == contracts.ActivityWaiting:
				order = append(order, "waits")
			}
		}
		if len(order) < 2 || order[0] != "asked" || order[1] != "waits" {
			t.Errorf("recorded %v", order)
		}
	})
}

// A spooled hook is recorded with its own time, and only once.
func TestSpooledHookKeepsItsTime(t *testing.T) {
	inVirtualTime(t, func(t *testing.T, r *rig) {
		at := time.Now().Add(-time.Hour)
		body := []byte(`{"session_id":"s","prompt_id":"p","hook_event_name":"UserPromptSubmit","prompt":"hi"}`)
		for range 2 {
			if err := r.RecordSpooled(t.Context(), at, body); err != nil {
				t.Fatal(err)
			}
		}
		if err := r.RecordSpooled(t.Context(), at, []byte("x")); err == nil || !strings.Contains(err.Error(), ErrMalformed.Error()) {
			t.Error(err)
		}
		if got := r.hud(); len(got) != 2 || got[0].At != at.UnixMilli() {
			t.Errorf("%+v", got)
		}
	})
}

// After kill -9, every start still gets an end, and the end of the turn reports that the process
// is gone.
func TestKilledSessionEndsItsTurn(t *testing.T) {
	inVirtualTime(t, func(t *testing.T, r *rig) {
		r.post(`{"session_id":"s","cwd":"/home/dev/shop","hook_event_name":"SessionStart","source":"startup","bullpen_pid":4711,"bullpen_pid_start":1}`)
		r.post(`{"session_id":"s","prompt_id":"p","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"sleep 99"},"tool_use_id":"c1"}`)
		time.Sleep(contracts.ProcessCheck)
		if e, _ := r.roster.Explain(translate.AgentID("s", "")); e.Activity != contracts.ActivityWorking {
			t.Errorf("%+v", e)
		}
		r.mu.Lock()
		r.dead[4711] = true
		r.mu.Unlock()
		time.Sleep(2 * contracts.ProcessCheck)
		synctest.Wait()
		if e, _ := r.roster.Explain(translate.AgentID("s", "")); e.Activity != contracts.ActivityOffline || e.Authority != contracts.FromProcess {
			t.Errorf("%+v", e)
		}
		list := r.hud()
		if end := list[len(list)-1]; end.Event != contracts.HUDTurnEnd || !strings.Contains(string(end.Result), "the process is gone") {
			t.Errorf("%+v", end)
		}
	})
}

// A session is shown as compacting until the next hook or, in older versions, until the session
// starts again. After a compaction that a person started, the session is idle.
func TestCompaction(t *testing.T) {
	for _, c := range []struct {
		name, trigger, after string
		activity             contracts.Activity
	}{
		{"automatic", "auto", `"PostCompact","trigger":"auto"`, contracts.ActivityWorking},
		{"by a person", "manual", `"PostCompact","trigger":"manual"`, contracts.ActivityIdle},
		{"automatic, without PostCompact", "auto", `"SessionStart","source":"compact"`, contracts.ActivityWorking},
		{"by a person, without PostCompact", "manual", `"SessionStart","source":"compact"`, contracts.ActivityIdle},
	} {
		t.Run(c.name, func(t *testing.T) {
			inVirtualTime(t, func(t *testing.T, r *rig) {
				r.post(`{"session_id":"s","cwd":"/home/dev/shop","hook_event_name":"SessionStart","source":"startup"}`)
				if c.trigger == "auto" {
					r.post(`{"session_id":"s","prompt_id":"p","hook_event_name":"UserPromptSubmit","prompt":"Build it"}`)
				}
				r.settle()
				status, answer, _ := r.post(`{"session_id":"s","hook_event_name":"PreCompact","trigger":"` + c.trigger + `","custom_instructions":""}`)
				if status != http.StatusOK || answer != "" && answer != "{}" {
					t.Errorf("the hook was answered with %d %q, which may block the compaction", status, answer)
				}
				r.settle()
				line := func() (contracts.Activity, string) {
					e, _ := r.roster.Explain(translate.AgentID("s", ""))
					return e.Activity, e.Line
				}
				if activity, got := line(); activity != contracts.ActivityWorking || got != contracts.LineCompacting {
					t.Fatalf("during the compaction: %s, %q", activity, got)
				}
				r.post(`{"session_id":"s","hook_event_name":` + c.after + `}`)
				r.settle()
				if activity, got := line(); activity != c.activity || got == contracts.LineCompacting {
					t.Errorf("after the compaction: %s, %q", activity, got)
				}
			})
		})
	}
}

// Helpers that Claude Code runs for itself do not join.
func TestInternalHelpersDoNotJoin(t *testing.T) {
	inVirtualTime(t, func(t *testing.T, r *rig) {
		r.post(`{"session_id":"s","agent_id":"a1","hook_event_name":"StopFailure","error":"unknown"}`)
		r.post(`{"session_id":"s","agent_id":"a2","agent_type":"x","hook_event_name":"SubagentStop"}`)
		r.settle()
		if got := r.hud(); len(got) > 0 {
			t.Errorf("%+v", got)
		}
		for _, a := range []string{"a1", "a2"} {
			if _, ok := r.roster.Explain(translate.AgentID("s", a)); ok {
				t.Errorf("%s is in the office", a)
			}
		}
	})
}

// A long call stays open while its process is alive. A sub-agent's call and turn end with its
// session.
func TestLongCallOfALiveProcessStaysOpen(t *testing.T) {
	inVirtualTime(t, func(t *testing.T, r *rig) {
		r.post(`{"session_id":"s","cwd":"/home/dev/shop","hook_event_name":"SessionStart","source":"startup","bullpen_pid":4711}`)
		r.post(`{"session_id":"s","prompt_id":"p","agent_id":"a","agent_type":"builder","hook_event_name":"SubagentStart"}`)
		r.post(`{"session_id":"s","prompt_id":"p","agent_id":"a","agent_type":"builder","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"make world"},"tool_use_id":"c1"}`)
		time.Sleep(2 * contracts.SilenceTool)
		r.settle()
		if n := counted(t, r.hud())[contracts.HUDToolEnd]; n != 0 {
			t.Fatal("a running call was ended")
		}
		r.post(`{"session_id":"s","hook_event_name":"SessionEnd","reason":"other"}`)
		r.settle()
		n := counted(t, r.hud())
		if n[contracts.HUDToolEnd] != 1 || n[contracts.HUDTurnEnd] != n[contracts.HUDTurnStart] {
			t.Errorf("%v", n)
		}
	})
}
