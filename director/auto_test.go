package director_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/world"
)

// autoProject submits a request with auto_assign and waits until its kickoff has ended. after is
// the seq of the last record before the kickoff ended.
func autoProject(t *testing.T, s *rig, kinds ...contracts.TaskKind) (project *world.Project, after uint64) {
	t.Helper()
	res := s.do(contracts.SubmitRequest{Text: "Find out why the nightly build takes 50 minutes", AutoAssign: true})
	drafts := make([]contracts.TaskDraft, len(kinds))
	for i, k := range kinds {
		drafts[i] = contracts.TaskDraft{Title: fmt.Sprintf("Task %d", i+1), Kind: k}
	}
	s.must(contracts.PlanReady{ProjectID: res.ProjectID, Tasks: drafts})
	p := s.w.Project(res.ProjectID)
	s.wait("the kickoff ends", func() bool {
		if p.Kickoff != world.KickoffOver {
			after = s.w.Seq()
		}
		return p.Kickoff == world.KickoffOver
	})
	return p, after
}

// A request with auto_assign starts automatically: the Advance call that ends the kickoff also
// assigns the tasks, with the usual events, and no agent that is assigned a task starts walking
// home first.
func TestAutoRequestStartsByItself(t *testing.T) {
	s := newRig(t)
	_, after := autoProject(t, s, contracts.KindCode, contracts.KindCopy, contracts.KindReview)
	want := []contracts.EventName{"tasks_created", "kickoff_finished", "task_assigned", "task_assigned"}
	if diff := cmp.Diff(want, s.events(after)); diff != "" {
		t.Fatal(diff)
	}
	goals := map[string]int{}
	for _, r := range s.recs {
		body, err := r.Decode()
		if err != nil {
			t.Fatal(err)
		}
		switch b := body.(type) {
		case *contracts.AgentGoal:
			if r.Seq > after {
				goals[b.AgentID]++
			}
		case *contracts.Event:
			if b.Name == contracts.EventTaskAssigned && !b.Auto {
				t.Errorf("%s was assigned without the auto mark", b.TaskID)
			}
		}
	}
	if goals["agent_eng_1"] != 1 || goals["agent_writer_1"] != 1 {
		t.Errorf("agents with a new task have more than one new goal: %v", goals)
	}
	chat := s.lastChat()
	if chat.Text != "I broke your request into 3 tasks. Work on 2 of them starts now; the rest will follow." {
		t.Errorf("BD says %q", chat.Text)
	}
	for _, a := range chat.SuggestedActions {
		if a.Action == "auto_assign" {
			t.Error("BD offers to assign tasks that are already assigned")
		}
	}
}

// If no suitable agent is free, tasks are assigned as agents become free.
func TestAutoRequestWaitsForAgents(t *testing.T) {
	s, busy := started(t, contracts.KindCode, "agent_eng_1")
	p, _ := autoProject(t, s, contracts.KindCode)
	if chat := s.lastChat(); chat.Text != "I broke your request into 1 task. Work starts as soon as someone suitable is free." {
		t.Errorf("BD says %q", chat.Text)
	}
	_, refusal := s.try(contracts.AutoAssign{ProjectID: p.ProjectID})
	if refusal == nil || !strings.HasPrefix(refusal.Message, "no suitable agent is free for 1 task: wait for ") || !strings.Contains(refusal.Message, " (working)") {
		t.Errorf("refusal = %v", refusal)
	}
	s.deliver(busy)
	s.wait("the engineer takes it", func() bool {
		for task := range s.w.ProjectTasks(p.ProjectID) {
			return task.Assignee == "agent_eng_1"
		}
		return false
	})
}

// A paused project assigns nothing until it is resumed.
func TestAutoRequestPaused(t *testing.T) {
	s := newRig(t)
	res := s.do(contracts.SubmitRequest{Text: "Fix the login bug", AutoAssign: true})
	s.must(contracts.PlanReady{ProjectID: res.ProjectID, Tasks: []contracts.TaskDraft{{Title: "Fix", Kind: contracts.KindCode}}})
	s.do(contracts.PauseProject{ProjectID: res.ProjectID})
	s.pass(time.Minute)
	if n := s.w.Made().Tasks; n != 0 {
		t.Fatalf("a paused kickoff created %d tasks", n)
	}
	s.do(contracts.ResumeProject{ProjectID: res.ProjectID})
	s.wait("work starts", func() bool {
		for task := range s.w.ProjectTasks(res.ProjectID) {
			return task.Status == contracts.TaskInProgress
		}
		return false
	})
}

// suits lists the roles that can do each kind of work; any agent can do work that no role suits.
var suits = map[contracts.TaskKind][]contracts.Role{
	contracts.KindResearch: {contracts.RoleResearcher, contracts.RoleStrategist}, contracts.KindPlan: {contracts.RoleStrategist, contracts.RoleResearcher},
	contracts.KindCopy: {contracts.RoleWriter}, contracts.KindDesign: {contracts.RoleDesigner}, contracts.KindCode: {contracts.RoleEngineer},
	contracts.KindReview: {contracts.RoleReviewer, contracts.RoleStrategist},
}

// handedOut checks that a project with auto_assign never stalls while a task is ready and a
// suitable agent is free. A review is ready when there is something to review.
func handedOut(w *world.World) error {
	for _, p := range w.Projects() {
		if !p.AutoAssign || p.Paused || p.Kickoff != world.KickoffOver {
			continue
		}
		made := true
		for t := range w.ProjectTasks(p.ProjectID) {
			made = made && (t.Kind == contracts.KindReview || t.Status.Final() || t.Status == contracts.TaskReview)
		}
		for t := range w.ProjectTasks(p.ProjectID) {
			if t.Status != contracts.TaskPlanned || t.Assignee != "" || t.Kind == contracts.KindReview && !made {
				continue
			}
			for _, a := range w.Agents() {
				if a.Role != contracts.RoleBD && w.Free(a) && fits(t.Kind, a.Role) {
					return fmt.Errorf("project %s is stalled: %s (%s) is waiting while %s is free", p.ProjectID, t.TaskID, t.Kind, a.AgentID)
				}
			}
		}
	}
	return nil
}

func fits(kind contracts.TaskKind, role contracts.Role) bool {
	return suits[kind] == nil || slices.Contains(suits[kind], role)
}
