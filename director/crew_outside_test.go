package director_test

import (
	"testing"

	"github.com/bullpen-office/bullpen/contracts"
)

const eng = "agent_eng_1"

func (s *stage) seen(a contracts.Activity) {
	s.t.Helper()
	s.must(contracts.StatusSeen{Status: contracts.AgentStatus{AgentID: eng, Activity: a, Why: "Seen: a caller asks.", Authority: contracts.FromStream}})
}

// A2, A6: who answers a caller from outside is seen working, seen waiting while its
// permission is open, and goes home when it is done.
func TestCrewIsSeenWorkingForCallers(t *testing.T) {
	s := newStage(t)
	ag := s.w.Agent(eng)
	s.seen(contracts.ActivityWorking)
	if ag.Goal.State != contracts.StateWorking || ag.Goal.Why != "Seen: a caller asks." {
		t.Fatalf("%+v", ag.Goal)
	}
	s.must(contracts.AskSeen{AgentID: eng, Kind: contracts.DecisionPermission, Prompt: "May it run: make", Options: []string{"Allow once", "Deny"}, Permission: &contracts.Permission{Tool: "exec"}})
	id := s.told.DecisionID
	s.wait("it waits for a person", func() bool { return ag.Goal.State == contracts.StateWaiting })
	s.must(contracts.AskWithdrawn{DecisionID: id, Reason: "The turn was stopped."})
	s.wait("it works on", func() bool { return ag.Goal.State == contracts.StateWorking })
	s.seen(contracts.ActivityIdle)
	s.wait("it is free", func() bool { return ag.Goal.State == contracts.StateIdle })
	if ag.Status != nil {
		t.Errorf("%+v", ag.Status)
	}
}

// A task goes before whatever came from outside, and a caller is seen again after it.
func TestTaskGoesBeforeCallers(t *testing.T) {
	s, task := started(t, contracts.KindCode, eng)
	ag := s.w.Agent(eng)
	before := ag.Goal
	s.seen(contracts.ActivityWorking)
	if ag.Goal.StartedAt != before.StartedAt || ag.TaskID != task.TaskID {
		t.Errorf("%+v", ag.Goal)
	}
	s.do(contracts.CancelTask{TaskID: task.TaskID})
	s.wait("it answers the caller", func() bool { return ag.TaskID == "" && ag.Goal.State == contracts.StateWorking })
}

// B11: stopping ends what was asked in the office with an answer, and what came from
// outside by its record; with nothing left to stop it is refused.
func TestStopEndsAnswers(t *testing.T) {
	s := newStage(t)
	ag := s.w.Agent(eng)
	s.do(contracts.Say{ThreadID: "agent:" + eng, Text: "Hello?"})
	if ag.Goal.State != contracts.StateWorking || ag.Goal.Why != "Answers “Hello?”." {
		t.Fatalf("%+v", ag.Goal)
	}
	s.do(control(contracts.CmdStopAgent, eng, ""))
	if len(s.w.Work()) != 0 || len(s.w.MailOf(eng)) != 0 {
		t.Errorf("it still works on %+v", s.w.Work())
	}
	s.refuse(contracts.CodeConflict, control(contracts.CmdStopAgent, eng, ""))
	s.seen(contracts.ActivityWorking)
	s.do(control(contracts.CmdStopAgent, eng, ""))
	s.seen(contracts.ActivityIdle)
	s.refuse(contracts.CodeConflict, control(contracts.CmdStopAgent, eng, ""))
	if got := s.receivedBy(eng); len(got) != 2 || got[0] != "stop: stop received — aborting turn" || got[1] != got[0] {
		t.Errorf("%q", got)
	}
}
