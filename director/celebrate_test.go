package director_test

import (
	"strings"
	"testing"

	"github.com/bullpen-office/bullpen/contracts"
)

// When a project is completed, all free agents gather at the trophies, each on its own spot and
// facing the camera. An agent with a task in another project keeps working.
func TestCompletionGathersTheCrew(t *testing.T) {
	s, task := started(t, contracts.KindCode, "agent_eng_1")
	busy := s.w.Agent("agent_writer_1")
	res := s.do(contracts.SubmitRequest{Text: "Write a page"})
	s.must(contracts.PlanReady{ProjectID: res.ProjectID, Tasks: []contracts.TaskDraft{{Title: "The page", Kind: contracts.KindCopy}}})
	s.wait("the second plan is there", func() bool { return len(s.w.Tasks()) == 2 })
	s.do(contracts.AssignTask{TaskID: s.w.Tasks()[1].TaskID, AgentID: busy.AgentID})
	s.wait("the writer works", func() bool { return busy.Goal.State == contracts.StateWorking })
	s.do(contracts.ApproveArtifact{ArtifactID: s.deliver(task).ArtifactID})

	free := 0
	s.wait("everyone else is at the trophies", func() bool {
		free = 0
		for _, ag := range s.w.Agents() {
			if ag == busy {
				continue
			}
			free++
			if ag.Goal.Goal.POIID != "poi_trophy_shelf" || ag.Goal.Goal.Kind != contracts.GoalIdle {
				return false
			}
		}
		return true
	})
	if free != len(crew)-1 || busy.Goal.State != contracts.StateWorking {
		t.Errorf("%d of %d agents are celebrating; the writer is %s", free, len(crew)-1, busy.Goal.State)
	}
	rows := map[float64]int{}
	for _, ag := range s.w.Agents() {
		if ag != busy {
			rows[ag.Destination()[2]]++
		}
	}
	for z, n := range rows {
		if len(rows) != 2 || n < 3 {
			t.Errorf("%d agents stand at z = %v, in one of %d rows", n, z, len(rows))
		}
	}
	for i, ag := range s.w.Agents() {
		if f := ag.Goal.Facing; ag != busy && (f[0] <= 0 || f[2] <= 0) {
			t.Errorf("%s faces %v, away from the camera", ag.Name, f)
		}
		for _, other := range s.w.Agents()[:i] {
			if ag.Destination() == other.Destination() {
				t.Errorf("%s and %s stand on the same spot", ag.Name, other.Name)
			}
		}
	}
	s.wait("everyone goes home", func() bool {
		for _, ag := range s.w.Agents() {
			if ag != busy && (ag.Goal.Goal.POIID == "poi_trophy_shelf" || ag.Goal.State != contracts.StateIdle) {
				return false
			}
		}
		return true
	})
}

// A celebrating agent can be assigned work immediately.
func TestWorkEndsACelebration(t *testing.T) {
	s, task := started(t, contracts.KindCode, "agent_eng_1")
	s.do(contracts.ApproveArtifact{ArtifactID: s.deliver(task).ArtifactID})
	agent := s.w.Agent("agent_eng_1")
	s.wait("the engineer celebrates", func() bool {
		return agent.Goal.Goal.POIID == "poi_trophy_shelf" && agent.Goal.Goal.Kind == contracts.GoalIdle
	})
	res := s.do(contracts.SubmitRequest{Text: "Fix the login bug", AutoAssign: true})
	s.must(contracts.PlanReady{ProjectID: res.ProjectID, Tasks: []contracts.TaskDraft{{Title: "The bug", Kind: contracts.KindCode}}})
	s.wait("the engineer works", func() bool { return agent.Goal.State == contracts.StateWorking })
}

// When a project is finished, BD thanks everyone who did one of its tasks, by name.
func TestHostThanksTheCrew(t *testing.T) {
	s, task := started(t, contracts.KindCode, "agent_eng_1")
	s.do(contracts.ApproveArtifact{ArtifactID: s.deliver(task).ArtifactID})
	want := " Thanks, " + s.w.Agent("agent_eng_1").Name + "!"
	if chat := s.lastChat(); chat == nil || !strings.Contains(chat.Text, want) {
		t.Errorf("the last message does not contain %q: %+v", want, chat)
	}
}
