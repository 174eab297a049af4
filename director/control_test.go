package director_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/bullpen-office/bullpen/contracts"
)

// receivedBy returns the controls recorded for an agent, in order.
func (s *rig) receivedBy(agent string) (out []string) {
	for i := range s.recs {
		body, err := s.recs[i].Decode()
		if err != nil {
			s.t.Fatal(err)
		}
		if h, ok := body.(*contracts.HUD); ok && h.Event == contracts.HUDReceived && h.AgentID == agent {
			out = append(out, h.Subtype+": "+h.Label)
		}
	}
	return out
}

func control(name contracts.CommandName, agent, to string) contracts.AgentControl {
	return contracts.AgentControl{Name: name, AgentID: agent, ToAgentID: to}
}

// A new session is refused while the agent is working; otherwise the agent starts over. kill_agent
// ends the work, and the agent starts over.
func TestNewSessionAndKill(t *testing.T) {
	s, task := started(t, contracts.KindCode, "agent_eng_1")
	s.refuse(contracts.CodeConflict, control(contracts.CmdNewSession, "agent_eng_1", ""))
	s.do(control(contracts.CmdKillAgent, "agent_eng_1", ""))
	if d := s.w.OpenDecision(task.TaskID); d == nil || task.Run.Status != contracts.RunCancelled {
		t.Errorf("the killed run is %s, the decision %+v", task.Run.Status, d)
	}
	s.do(control(contracts.CmdNewSession, "agent_eng_1", ""))
	if n := s.w.Agent("agent_eng_1").Sessions; n != 2 {
		t.Errorf("%d new sessions", n)
	}
	want := []string{"kill: kill received — ending the process", "new_session: /new received — resetting session"}
	if diff := cmp.Diff(want, s.receivedBy("agent_eng_1")); diff != "" {
		t.Error(diff)
	}
	s.refuse(contracts.CodeConflict, control(contracts.CmdStopAgent, "agent_eng_1", ""))
	s.refuse(contracts.CodeConflict, control(contracts.CmdKillAgent, "agent_eng_1", ""))
}

// Stopping or killing an agent ends its answer: the chat says so, the message is not picked up
// again, and the record uses the HUD protocol's name for the state (B11).
func TestEndedAnswer(t *testing.T) {
	for name, said := range map[contracts.CommandName]string{
		contracts.CmdStopAgent: "I was stopped before I could answer.", contracts.CmdKillAgent: "I was killed before I could answer.",
	} {
		s := newRig(t)
		s.do(contracts.Say{ThreadID: "agent:agent_eng_1", Text: "Hello?"})
		asked := s.w.Work()[0].Chat.Seq
		s.do(control(name, "agent_eng_1", ""))
		if work := s.w.Work(); len(work) != 0 {
			t.Errorf("%s: the message was picked up again: %+v", name, work)
		}
		var answer *contracts.Chat
		var payload string
		for i := range s.recs {
			body, err := s.recs[i].Decode()
			if err != nil {
				t.Fatal(err)
			}
			switch b := body.(type) {
			case *contracts.Chat:
				answer = b
			case *contracts.HUD:
				payload = string(b.Payload)
			}
		}
		if answer.Text != said || answer.AnswersSeq != asked || answer.ThreadID != "agent:agent_eng_1" {
			t.Errorf("%s: %+v", name, answer)
		}
		if want := `{"agent_state":"WorkingAtPOI","state":"AGENT_RUNNING"}`; payload != want {
			t.Errorf("%s: %s, want %s", name, payload, want)
		}
	}
}

// A handover moves the task to the other agent, who continues it.
func TestHandover(t *testing.T) {
	s, task := started(t, contracts.KindCode, "agent_eng_1")
	s.refuse(contracts.CodeValidationFailed, control(contracts.CmdHandover, "agent_eng_1", ""))
	s.refuse(contracts.CodeNotFound, control(contracts.CmdHandover, "agent_eng_1", "agent_nobody"))
	s.refuse(contracts.CodeConflict, control(contracts.CmdHandover, "agent_eng_1", "agent_eng_1"))
	s.refuse(contracts.CodeConflict, control(contracts.CmdHandover, "agent_writer_1", "agent_eng_1"))
	s.do(control(contracts.CmdHandover, "agent_eng_1", "agent_design_1"))
	if task.Assignee != "agent_design_1" {
		t.Errorf("the assignee is %s", task.Assignee)
	}
	s.wait("the other works", func() bool { return task.Attempt == 2 && task.Status == contracts.TaskInProgress })
	if diff := cmp.Diff([]string{"handover: handover → Esi"}, s.receivedBy("agent_design_1")); diff != "" {
		t.Error(diff)
	}
}

// switch_agent makes another agent answer the unanswered messages; it is refused if there are none.
func TestSwitchAgent(t *testing.T) {
	s := newRig(t)
	s.refuse(contracts.CodeConflict, control(contracts.CmdSwitchAgent, "agent_eng_1", "agent_writer_1"))
	s.do(contracts.Say{ThreadID: "agent:agent_eng_1", Text: "Hello?"})
	s.do(control(contracts.CmdSwitchAgent, "agent_eng_1", "agent_writer_1"))
	work := s.w.Work()
	if len(work) != 1 || work[0].AgentID != "agent_writer_1" {
		t.Fatalf("%+v", work)
	}
	if refusal := s.tell(contracts.ChatSaid{Chat: contracts.Chat{From: "agent_eng_1", Text: "late", AnswersSeq: work[0].Chat.Seq}}); refusal == nil {
		t.Error("the agent that was switched away answered")
	}
	s.must(contracts.ChatSaid{Chat: contracts.Chat{From: "agent_writer_1", Text: "Hello.", AnswersSeq: work[0].Chat.Seq}})
	if diff := cmp.Diff([]string{"agent_switch: switch → Cleo"}, s.receivedBy("agent_writer_1")); diff != "" {
		t.Error(diff)
	}
	s.refuse(contracts.CodeConflict, control(contracts.CmdSwitchAgent, "agent_eng_1", "agent_writer_1"))
}

// A new session restarts an answer in progress as new work.
func TestNewSessionRestartsAnAnswer(t *testing.T) {
	s := newRig(t)
	s.do(contracts.Say{ThreadID: "agent:agent_eng_1", Text: "Hello?"})
	before := s.w.Work()[0]
	s.do(control(contracts.CmdNewSession, "agent_eng_1", ""))
	if after := s.w.Work()[0]; after.Key == before.Key || after.Session != before.Session+1 {
		t.Errorf("%+v, then %+v", before, after)
	}
}
