package director_test

import (
	"testing"

	"github.com/bullpen-office/bullpen/contracts"
)

const eng = "agent_eng_1"

func (s *rig) callerTurn(event contracts.HUDEvent) {
	s.t.Helper()
	if s.life == "" {
		var recs []contracts.Record
		var err error
		s.node = "n"
		s.life, recs, err = s.d.Begin(s.w, s.moment(), s.now, nil)
		s.keep(recs, err)
	}
	s.must(contracts.HUDSeen{HUD: contracts.HUD{UUID: string(event), Event: event, CorrelationID: "t", AgentID: eng, Session: "s", Label: "Build it", Origin: contracts.OriginCaller}})
}

// A2, A6: an agent that answers an outside caller is shown as working, and as waiting while its
// permission request is open. It goes home when it is done.
func TestCrewIsSeenWorkingForCallers(t *testing.T) {
	s := newRig(t)
	ag := s.w.Agent(eng)
	s.callerTurn(contracts.HUDTurnStart)
	if ag.Goal.State != contracts.StateWorking || ag.Goal.Why != "Working: Build it (stream: turn started)" {
		t.Fatalf("%+v", ag.Goal)
	}
	s.must(contracts.AskSeen{AgentID: eng, TurnID: "t", Kind: contracts.DecisionPermission, Prompt: "May it run: make", Options: []string{"Allow once", "Deny"}, Permission: &contracts.Permission{Tool: "exec", Label: "make"}})
	id := s.result.DecisionID
	s.wait("it waits for a person", func() bool { return ag.Goal.State == contracts.StateWaiting })
	if now := ag.Status; now.Activity != contracts.ActivityWaiting || now.Why != "Waiting for you: make (stream: permission requested)" || len(now.Evidence) != 2 {
		t.Errorf("%+v", now)
	}
	s.must(contracts.AskWithdrawn{DecisionID: id, Reason: "The turn was stopped."})
	s.wait("it works again", func() bool { return ag.Goal.State == contracts.StateWorking })
	s.callerTurn(contracts.HUDTurnEnd)
	s.wait("it is free", func() bool { return ag.Goal.State == contracts.StateIdle })
	if ag.Status != nil {
		t.Errorf("%+v", ag.Status)
	}
}

// A task takes precedence over outside callers; after the task, the caller's turn is shown again.
func TestTaskTakesPrecedenceOverCallers(t *testing.T) {
	s, task := started(t, contracts.KindCode, eng)
	ag := s.w.Agent(eng)
	before := ag.Goal
	s.callerTurn(contracts.HUDTurnStart)
	if ag.Goal.StartedAt != before.StartedAt || ag.TaskID != task.TaskID {
		t.Errorf("%+v", ag.Goal)
	}
	s.do(contracts.CancelTask{TaskID: task.TaskID})
	s.wait("it answers the caller", func() bool { return ag.TaskID == "" && ag.Goal.State == contracts.StateWorking })
}

// B11: stopping an agent answers its pending messages, and applies to its work for outside callers
// too. Each stop is recorded. If nothing is running, the command is refused.
func TestStopEndsAnswers(t *testing.T) {
	s := newRig(t)
	ag := s.w.Agent(eng)
	s.do(contracts.Say{ThreadID: "agent:" + eng, Text: "Hello?"})
	if ag.Goal.State != contracts.StateWorking || ag.Goal.Why != "Answering “Hello?”." {
		t.Fatalf("%+v", ag.Goal)
	}
	s.do(control(contracts.CmdStopAgent, eng, ""))
	if len(s.w.Work()) != 0 || len(s.w.PendingChats(eng)) != 0 {
		t.Errorf("the work list still has %+v", s.w.Work())
	}
	s.refuse(contracts.CodeConflict, control(contracts.CmdStopAgent, eng, ""))
	s.callerTurn(contracts.HUDTurnStart)
	s.do(control(contracts.CmdStopAgent, eng, ""))
	s.callerTurn(contracts.HUDTurnEnd)
	s.refuse(contracts.CodeConflict, control(contracts.CmdStopAgent, eng, ""))
	if got := s.receivedBy(eng); len(got) != 2 || got[0] != "stop: stop received — aborting turn" || got[1] != got[0] {
		t.Errorf("%q", got)
	}
}
