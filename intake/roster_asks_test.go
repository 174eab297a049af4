package intake_test

import (
	"path/filepath"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/hud/status"
)

// ask records a guest's question and the evidence for it, and returns the decision's id. With a
// call, the question is a permission request for that call.
func (r *rosterRig) ask(id, call string) (decisionID string) {
	r.t.Helper()
	q := contracts.AskSeen{AgentID: id, Kind: contracts.DecisionAsk, Prompt: "Ship it?", Options: []string{"Yes", "No"}}
	var fact contracts.Fact = contracts.UISeen{UI: contracts.UI{AgentID: id}, Ask: &q} // the question of a script, which polls for the answer
	if call != "" {
		q.Kind, q.Permission = contracts.DecisionPermission, &contracts.Permission{Tool: "exec", Label: "touch a", CallID: call}
		fact = q
	}
	reply := r.office.Tell(r.t.Context(), fact)[0]
	if reply.Refusal != nil {
		r.t.Fatal(reply.Refusal)
	}
	if call == "" {
		call = reply.Result.DecisionID
	}
	r.see(id, status.Asked, call, "Ship it?")
	r.pass(time.Second)
	r.expect(id, contracts.ActivityWaiting)
	return reply.Result.DecisionID
}

func (r *rosterRig) decision(id string) contracts.DecisionStatus {
	for _, d := range r.state().Decisions {
		if d.DecisionID == id {
			return d.Status
		}
	}
	return ""
}

func (r *rosterRig) withdraw(decisionID string) {
	r.t.Helper()
	if refusal := r.office.Tell(r.t.Context(), contracts.AskWithdrawn{DecisionID: decisionID, Reason: "The server restarted."})[0].Refusal; refusal != nil {
		r.t.Fatal(refusal)
	}
}

// overRestart runs an office twice, with an outage between the runs. The first run calls before(r),
// and the second calls after(r).
func overRestart(t *testing.T, before func(*rosterRig), outage time.Duration, after func(*rosterRig)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "ledger.db")
		first := openRig(t, path)
		before(first)
		first.stop()
		time.Sleep(outage)
		r := openRig(t, path)
		defer func() { r.stop() }()
		after(r)
	})
}

// A3, A5: a script waits for answers to all its open questions, for hours, across a restart, and
// even if a turn has ended since.
func TestOpenQuestionSurvivesARestart(t *testing.T) {
	script := contracts.AgentProfile{AgentID: "agent_deploy", Name: "deploy", Source: "ui"}
	var ids []string
	overRestart(t, func(r *rosterRig) {
		r.join(script)
		for range 3 {
			ids = append(ids, r.ask(script.AgentID, ""))
		}
		r.see(script.AgentID, status.TurnEnded, "", "")
		r.pass(time.Hour)
		r.expect(script.AgentID, contracts.ActivityWaiting)
	}, time.Hour, func(r *rosterRig) {
		for i, id := range ids {
			r.pass(3 * time.Hour)
			r.expect(script.AgentID, contracts.ActivityWaiting)
			if s := r.decision(id); s != contracts.DecisionOpen {
				r.t.Fatalf("question %d is %s", i, s)
			}
			r.withdraw(id)
		}
		r.pass(2 * time.Second)
		r.expect(script.AgentID, contracts.ActivityIdle)
		r.pass(contracts.SilenceOffline + contracts.OfflineGuestStay)
		if r.guest(script.AgentID) != nil {
			r.t.Error("the guest never left after its last question was answered")
		}
	})
}

// After a restart, a guest that was offline only because it was silent is waiting again for the
// answer to its open question.
func TestSilentAskerWaitsAfterARestart(t *testing.T) {
	script := contracts.AgentProfile{AgentID: "agent_deploy", Name: "deploy", Source: "ui"}
	id := ""
	overRestart(t, func(r *rosterRig) {
		r.join(script)
		r.pass(contracts.SilenceOffline + time.Second)
		r.expect(script.AgentID, contracts.ActivityOffline)
		asks := contracts.AskSeen{AgentID: script.AgentID, Kind: contracts.DecisionAsk, Prompt: "Ship it?", AllowFreeText: true}
		reply := r.office.Tell(r.t.Context(), contracts.UISeen{UI: contracts.UI{AgentID: script.AgentID}, Ask: &asks})[0]
		id = reply.Result.DecisionID // without evidence of the question
	}, time.Hour, func(r *rosterRig) {
		r.pass(3 * time.Hour)
		r.expect(script.AgentID, contracts.ActivityWaiting)
		if s := r.decision(id); s != contracts.DecisionOpen {
			r.t.Errorf("the question is %s", s)
		}
	})
}

// An agent whose process is gone is no longer waiting for answers to its questions.
func TestQuestionOfAGoneAgentIsNotWaitedFor(t *testing.T) {
	id := ""
	overRestart(t, func(r *rosterRig) {
		r.join(guestCalled(ada, "shop"))
		r.WatchProcess(ada, 7, 0)
		id = r.ask(ada, "")
		r.set(func() { r.dead[7] = true })
		r.pass(2 * contracts.ProcessCheck)
		r.expect(ada, contracts.ActivityOffline)
	}, time.Second, func(r *rosterRig) {
		r.pass(contracts.OfflineGuestStay)
		if r.guest(ada) != nil || r.decision(id) == contracts.DecisionOpen {
			r.t.Errorf("guest %v, its question is %s", r.guest(ada), r.decision(id))
		}
	})
}

// The reason an agent left is remembered until the agent returns.
func TestReasonForLeavingIsRemembered(t *testing.T) {
	inTime(t, func(t *testing.T, r *rosterRig) {
		r.join(guestCalled(ada, "shop"))
		if _, left := r.Left(ada); left {
			t.Error("the guest has left already")
		}
		r.WatchProcess(ada, 7, 0)
		r.set(func() { r.dead[7] = true })
		r.pass(2 * contracts.ProcessCheck)
		r.expect(ada, contracts.ActivityOffline)
		r.pass(contracts.OfflineGuestStay)
		if d, left := r.Left(ada); !left || d.Name != "shop" || d.Reason != "It has been offline for 10 min." {
			t.Errorf("%v, left: %t", d, left)
		}
		r.see(ada, status.TurnStarted, "", "")
		r.pass(3 * time.Second)
		r.see(ada, status.TurnStarted, "", "")
		r.pass(time.Second)
		r.expect(ada, contracts.ActivityWorking)
		if _, left := r.Left(ada); left {
			t.Error("the guest returned, but Left still finds it")
		}
	})
}

// A question that the view does not list yet does not count as answered.
func TestUnlistedQuestionIsNotTakenForAnswered(t *testing.T) {
	inTime(t, func(t *testing.T, r *rosterRig) {
		r.join(guestCalled(ada, "shop"))
		first := r.ask(ada, "")
		r.pass(time.Minute)
		r.see(ada, status.Asked, "dec_d2", "And this?") // the view lags behind the ledger
		r.pass(2 * time.Second)
		reply := r.office.Tell(r.t.Context(), contracts.AskSeen{AgentID: ada, Kind: contracts.DecisionAsk, Prompt: "And this?", AllowFreeText: true})[0]
		if reply.Result.DecisionID != "dec_d2" {
			r.t.Fatalf("the second question is %+v", reply)
		}
		r.withdraw(first)
		r.pass(3 * time.Hour)
		r.expect(ada, contracts.ActivityWaiting)
	})
}

// After the office is killed or closed, Claude Code keeps asking in its terminal: the agent waits
// until its call ends.
func TestTerminalPromptSurvivesARestart(t *testing.T) {
	for _, killed := range []bool{true, false} {
		id := ""
		overRestart(t, func(r *rosterRig) {
			r.join(guestCalled(ada, "shop"))
			r.see(ada, status.ToolStarted, "toolu_1", "touch a")
			if id = r.ask(ada, "toolu_1"); !killed {
				r.withdraw(id)
			}
		}, time.Hour, func(r *rosterRig) {
			began := r.now().Add(-time.Hour - time.Minute)
			if got := r.decision(id); got != contracts.DecisionCancelled {
				r.t.Errorf("the decision is %s", got)
			}
			r.AddEvidence(r.t.Context(), ada, status.Evidence{Source: contracts.FromTranscript, Claim: status.ToolStarted, Call: "toolu_1", Says: "tool_use Bash", At: began.UnixMilli()})
			r.pass(time.Hour)
			a := r.expect(ada, contracts.ActivityWaiting)
			if e, _ := r.Explain(ada); !slices.ContainsFunc(e.Evidence, func(e contracts.Evidence) bool { return e.Says == "as recorded before the restart" }) {
				r.t.Errorf("%s: %+v", a.Why, e.Evidence)
			}
			r.AddEvidence(r.t.Context(), ada, status.Evidence{Source: contracts.FromTranscript, Claim: status.ToolEnded, Call: "toolu_1", Says: "tool_result", At: r.now().UnixMilli()})
			r.pass(2 * time.Second)
			if a := r.guest(ada); a.Activity == contracts.ActivityWaiting {
				r.t.Errorf("killed %v: %s", killed, a.Why)
			}
		})
	}
}
