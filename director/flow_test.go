package director_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/world"
	"github.com/bullpen-office/bullpen/world/scene"
)

// From a request to its tasks, events occur in the order that the Realtime World Protocol defines.
func TestFlowRequestToTasks(t *testing.T) {
	s := newRig(t)
	after := s.w.Seq()
	res := s.do(contracts.SubmitRequest{Text: "Create a landing page plan + copy + design brief"})
	want := []contracts.EventName{"request_submitted", "request_accepted", "kickoff_started"}
	if diff := cmp.Diff(want, s.events(after)); diff != "" {
		t.Fatal(diff)
	}
	p := s.w.Project(res.ProjectID)
	if len(p.Participants) != len(crew) {
		t.Fatalf("%d agents were called to the table, want all (%d)", len(p.Participants), len(crew))
	}
	for _, a := range s.w.Agents() {
		if a.Goal.Goal.POIID != "poi_meeting_table" || a.Goal.State != contracts.StateWalking || len(a.Goal.Path) < 2 {
			t.Errorf("%s is not walking to the table: %+v", a.AgentID, a.Goal)
		}
	}
	s.must(contracts.PlanReady{ProjectID: res.ProjectID, Tasks: []contracts.TaskDraft{{Title: "Plan", Kind: contracts.KindPlan}, {Title: "Copy", Kind: contracts.KindCopy}}})
	if got := s.w.Made().Tasks; got != 0 {
		t.Fatalf("%d tasks exist before the meeting is over", got)
	}
	planned := s.w.Seq()
	s.wait("everyone sits", func() bool { return s.w.Agent("agent_eng_1").Goal.State == contracts.StateMeeting })
	s.wait("the kickoff ends", func() bool { return p.Kickoff == world.KickoffOver })
	if diff := cmp.Diff([]contracts.EventName{"tasks_created", "kickoff_finished"}, s.events(planned)); diff != "" {
		t.Fatal(diff)
	}
	chat := s.lastChat()
	if chat.From != "agent_bd" || len(chat.SuggestedActions) != 3 || chat.SuggestedActions[0].Action != "auto_assign" {
		t.Errorf("BD does not offer the next steps: %+v", chat)
	}
	s.wait("everyone is home", func() bool { return s.w.Agent("agent_eng_1").Goal.State == contracts.StateIdle })
}

func TestFlowTaskToApprovedProject(t *testing.T) {
	s, project, ids := kickedOff(t, contracts.KindCode)
	after := s.w.Seq()
	s.do(contracts.AutoAssign{ProjectID: project})
	task := s.w.Task(ids[0])
	if task.Assignee != "agent_eng_1" {
		t.Fatalf("the code went to %s, want the engineer", task.Assignee)
	}
	s.wait("work starts", func() bool { return task.Status == contracts.TaskInProgress })
	agent := s.w.Agent("agent_eng_1")
	if poi, _ := s.w.Scene().POI(agent.Goal.Goal.POIID); poi.Type != contracts.POIDevDesk || agent.Goal.State != contracts.StateWorking {
		t.Errorf("the engineer is working at %+v", agent.Goal.Goal)
	}
	s.must(contracts.RunBegan{TaskID: task.TaskID, Attempt: 1, Runner: "rehearsal"})
	s.must(contracts.RunProgress{TaskID: task.TaskID, Attempt: 1, Percent: 45, Preview: "Writing handlers"})
	s.must(contracts.RunAsked{TaskID: task.TaskID, Attempt: 1, Prompt: "Which language?", Options: []string{"Go", "TypeScript"}})
	s.wait("the engineer waits for a person", func() bool { return agent.Goal.State == contracts.StateWaiting })
	s.do(contracts.ResolveDecision{DecisionID: s.w.OpenDecision(task.TaskID).DecisionID, Choice: "Go"})
	if work := s.w.Work(); len(work) != 1 || len(work[0].Task.Answers) != 1 || work[0].Task.Answers[0].Choice != "Go" {
		t.Fatalf("the answer is not in the work: %+v", work)
	}
	art := s.deliver(task)
	s.do(contracts.ApproveArtifact{ArtifactID: art.ArtifactID})
	want := []contracts.EventName{
		"task_assigned", "task_started", "task_progress", "task_blocked", "decision_requested", "decision_resolved",
		"artifact_created", "artifact_delivered", "review_requested", "review_approved", "task_done", "project_completed",
	}
	if diff := cmp.Diff(want, s.events(after)); diff != "" {
		t.Fatal(diff)
	}
	s.wait("the engineer celebrates", func() bool {
		return agent.Goal.State == contracts.StateIdle && agent.Goal.Goal.POIID == "poi_trophy_shelf"
	})
	s.wait("the engineer goes home", func() bool {
		return agent.Goal.State == contracts.StateIdle && agent.Goal.Goal.POIID == "poi_coffee_bar"
	})
	if decor := s.w.Decor(); len(decor) != 1 || decor[0].UnlockedBy != project {
		t.Errorf("no trophy: %+v", decor)
	}
}

// W15: a change request leads to a new version from the same agent.
func TestFlowChangesRequested(t *testing.T) {
	s, task := started(t, contracts.KindCopy, "agent_writer_1")
	first := s.deliver(task)
	s.caller.By, s.caller.Via = "tok_a", "token “desk”"
	before := len(s.recs)
	s.do(contracts.RequestChanges{ArtifactID: first.ArtifactID, Instructions: "Shorten the headline."})
	s.refuseWith(contracts.CodeConflict, "version 1 are already requested; wait for the next version", contracts.ApproveArtifact{ArtifactID: first.ArtifactID})
	if sent, err := s.recs[before].Decode(); err != nil || sent.(*contracts.Event).By != "tok_a" || sent.(*contracts.Event).Via != "token “desk”" {
		t.Errorf("the reviewer is not recorded: %+v, %v", sent, err)
	}
	s.wait("the second attempt starts", func() bool { return task.Attempt == 2 && task.Status == contracts.TaskInProgress })
	work := s.w.Work()[0].Task
	if work.Instructions != "Shorten the headline." || len(work.Previous) != 1 || work.Previous[0].ArtifactID != first.ArtifactID {
		t.Fatalf("the worker does not know what to change: %+v", work)
	}
	second := s.deliver(task)
	if second.Version != 2 || second.Parent != first.ArtifactID || second.CreatedBy != "agent_writer_1" || first.Status != contracts.ArtifactSuperseded {
		t.Fatalf("lineage is wrong: %+v after %+v", second, first)
	}
	s.refuseWith(contracts.CodeConflict, "version 1 was replaced by a newer version; review that one", contracts.ApproveArtifact{ArtifactID: first.ArtifactID})
	s.do(contracts.ApproveArtifact{ArtifactID: second.ArtifactID})
	if task.Status != contracts.TaskDone {
		t.Errorf("the task is %s", task.Status)
	}
}

func TestFlowSplit(t *testing.T) {
	s, task := started(t, contracts.KindCopy, "agent_writer_1")
	art := s.deliver(task)
	after := s.w.Seq()
	res := s.do(contracts.SplitIntoTasks{ArtifactID: art.ArtifactID, TaskTitles: []string{"Draft 3 headline variants", "Create 2 CTA variants"}})
	if diff := cmp.Diff([]contracts.EventName{"review_approved", "tasks_created", "task_done"}, s.events(after)); diff != "" {
		t.Fatal(diff)
	}
	if len(res.TaskIDs) != 2 || s.w.Task(res.TaskIDs[0]).SplitFrom != art.ArtifactID {
		t.Errorf("split_into_tasks created %v", res.TaskIDs)
	}
}

// An agent that needs a person stands on the stage and faces the viewer. Without a stage, it walks
// to a person in the room or, if there is none, to the lounge.
func TestBlockedAgentSeeksPerson(t *testing.T) {
	ask := func(s *rig, task *world.Task) *world.Agent {
		s.must(contracts.RunAsked{TaskID: task.TaskID, Attempt: 1, Prompt: "Tone?", Options: []string{"Warm"}})
		return s.w.Agent(task.Assignee)
	}
	bare := func(t *testing.T) (*rig, *world.Task) {
		m := *scene.Default().Manifest()
		m.POIs = slices.DeleteFunc(slices.Clone(m.POIs), func(p contracts.POI) bool { return p.Type == contracts.POIStage })
		text, err := json.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		sc, err := scene.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		return startedIn(t, sc, contracts.KindCopy, "agent_writer_1")
	}
	here := []contracts.Player{{PlayerID: "player_1", Pos: scene.Default().Manifest().Spawns.Player}}
	t.Run("stage", func(t *testing.T) {
		s, task := started(t, contracts.KindCopy, "agent_writer_1")
		s.players = here
		a := ask(s, task)
		if g := a.Goal; g.Goal.Kind != contracts.GoalGoToPlayer || g.Goal.PlayerID != "player_1" || g.State != contracts.StateToPlayer || g.Goal.AnchorID != "anchor_stage_1" {
			t.Fatalf("goal %+v", g)
		}
		s.wait("arrives", func() bool { return a.Goal.State == contracts.StateWaiting })
		if a.Goal.Facing != (contracts.Vec3{0.707, 0, 0.707}) {
			t.Errorf("the agent faces %v, not the viewer", a.Goal.Facing)
		}
	})
	t.Run("stage with an empty room", func(t *testing.T) {
		s, task := started(t, contracts.KindCopy, "agent_writer_1")
		if a := ask(s, task); a.Goal.Goal.AnchorID != "anchor_stage_1" || a.Goal.State != contracts.StateSeeking {
			t.Fatalf("goal %+v", a.Goal)
		}
	})
	t.Run("player", func(t *testing.T) {
		s, task := bare(t)
		s.players = here
		a := ask(s, task)
		if a.Goal.Goal.Kind != contracts.GoalGoToPlayer || a.Goal.Goal.PlayerID != "player_1" || a.Goal.State != contracts.StateToPlayer {
			t.Fatalf("goal %+v", a.Goal)
		}
		s.wait("arrives", func() bool { return a.Goal.State == contracts.StateWaiting })
	})
	t.Run("lounge", func(t *testing.T) {
		s, task := bare(t)
		if a := ask(s, task); a.Goal.Goal.POIID != "poi_lounge" || a.Goal.State != contracts.StateSeeking {
			t.Fatalf("goal %+v", a.Goal)
		}
	})
}

// Five agents stand on the stage. The sixth asks from where it is, and no two agents share a place.
func TestStageIsLimitedToItsPlaces(t *testing.T) {
	s := newRig(t)
	for i := range 7 {
		id := fmt.Sprintf("agent_guest_%d", i)
		s.must(contracts.AgentSeen{Profile: contracts.AgentProfile{AgentID: id, Name: id, Source: "claude"}})
		s.must(contracts.AskSeen{AgentID: id, Kind: contracts.DecisionAsk, Prompt: "Go on?", Options: []string{"Yes"}})
	}
	on, spots := 0, map[contracts.Vec3]string{}
	for i := range 7 {
		a := s.w.Agent(fmt.Sprintf("agent_guest_%d", i))
		if strings.HasPrefix(a.Goal.Goal.AnchorID, "anchor_stage_") {
			on++
		}
		if other := spots[a.Destination()]; other != "" {
			t.Errorf("%s and %s share %v", a.AgentID, other, a.Destination())
		}
		spots[a.Destination()] = a.AgentID
	}
	if on != 5 {
		t.Errorf("%d agents stand on the stage, want 5", on)
	}
}

// W14: pause blocks starts and work; resume continues where the work stopped.
func TestPauseResume(t *testing.T) {
	s, project, ids := kickedOff(t, contracts.KindCode)
	s.do(contracts.AssignTask{TaskID: ids[0], AgentID: "agent_eng_1"})
	s.do(contracts.PauseProject{ProjectID: project})
	s.refuse(contracts.CodeConflict, contracts.PauseProject{ProjectID: project})
	s.pass(60e9)
	task := s.w.Task(ids[0])
	if task.Status != contracts.TaskPlanned || s.w.Status(s.w.Project(project)) != contracts.ProjectPaused || len(s.w.Work()) != 0 {
		t.Fatalf("a paused project still has work: %+v", task)
	}
	s.do(contracts.ResumeProject{ProjectID: project})
	if task.Status != contracts.TaskInProgress || s.w.Agent("agent_eng_1").Goal.State != contracts.StateWorking {
		t.Fatalf("resume did not start the work: %+v", task)
	}
	s.refuse(contracts.CodeConflict, contracts.ResumeProject{ProjectID: project})
}

func TestCancelReassignRerun(t *testing.T) {
	s, task := started(t, contracts.KindCopy, "agent_writer_1")
	s.must(contracts.RunAsked{TaskID: task.TaskID, Attempt: 1, Prompt: "Tone?", Options: []string{"Warm"}})
	s.do(contracts.ReassignTask{TaskID: task.TaskID, ToAgentID: "agent_strategy_1", ExpectedTaskStatus: contracts.TaskBlocked})
	if task.Assignee != "agent_strategy_1" || s.w.OpenDecision(task.TaskID) != nil || s.w.Agent("agent_writer_1").TaskID != "" {
		t.Fatalf("the reassigned task still has the old attempt: %+v", task)
	}
	s.wait("the new one starts", func() bool { return task.Attempt == 2 })
	if refusal := s.tell(contracts.RunProgress{TaskID: task.TaskID, Attempt: 1, Percent: 9}); refusal == nil || refusal.Code != contracts.CodeConflict {
		t.Errorf("a report from the old attempt was accepted: %v", refusal)
	}
	s.do(contracts.CancelTask{TaskID: task.TaskID, Confirm: true})
	s.refuse(contracts.CodeConflict, contracts.CancelTask{TaskID: task.TaskID, Confirm: true})
	if s.w.Agent("agent_strategy_1").TaskID != "" || len(s.w.Work()) != 0 || len(s.w.Decor()) != 0 {
		t.Error("the cancelled task still has a run or a decision")
	}
	res := s.do(contracts.RerunTask{SourceTaskID: task.TaskID})
	again := s.w.Task(res.TaskIDs[0])
	if again.RerunOf != task.TaskID || again.Status != contracts.TaskPlanned {
		t.Errorf("rerun_task created %+v", again)
	}
	s.refuse(contracts.CodeNotAllowed, contracts.RerunTask{SourceTaskID: again.TaskID})
}

// A failed run leads to a question, never to a silent stop.
func TestRunBrokeOffersRetry(t *testing.T) {
	s, task := started(t, contracts.KindCode, "agent_eng_1")
	s.must(contracts.RunBroke{TaskID: task.TaskID, Attempt: 1, Reason: "no progress for 2 minutes"})
	d := s.w.OpenDecision(task.TaskID)
	if task.Status != contracts.TaskBlocked || d == nil || d.Kind != contracts.DecisionRetry {
		t.Fatalf("task %+v decision %+v", task, d)
	}
	s.do(contracts.ResolveDecision{DecisionID: d.DecisionID, Choice: "Try again"})
	s.wait("the next attempt", func() bool { return task.Attempt == 2 && task.Status == contracts.TaskInProgress })
	s.do(contracts.AgentControl{Name: contracts.CmdStopAgent, AgentID: "agent_eng_1"})
	d = s.w.OpenDecision(task.TaskID)
	s.do(contracts.ResolveDecision{DecisionID: d.DecisionID, Choice: "Cancel the task"})
	if task.Status != contracts.TaskCancelled {
		t.Errorf("the task is %s", task.Status)
	}
}

func TestSecondRequestWaitsForTheTable(t *testing.T) {
	s := newRig(t)
	first := s.do(contracts.SubmitRequest{Text: "First thing"}).ProjectID
	second := s.do(contracts.SubmitRequest{Text: "Second thing"}).ProjectID
	s.refuse(contracts.CodeConflict, contracts.StartKickoff{ProjectID: second})
	s.refuse(contracts.CodeConflict, contracts.StartKickoff{ProjectID: first})
	s.must(contracts.PlanReady{ProjectID: first, Tasks: []contracts.TaskDraft{{Title: "A", Kind: contracts.KindCode}}})
	s.wait("the second kickoff starts", func() bool { return s.w.Project(second).Kickoff == world.KickoffRunning })
}

func TestCompletedProjectIsArchived(t *testing.T) {
	s, task := started(t, contracts.KindCopy, "agent_writer_1")
	s.do(contracts.ApproveArtifact{ArtifactID: s.deliver(task).ArtifactID})
	s.pass(31 * 60e9)
	if len(s.w.Projects())+len(s.w.Tasks())+len(s.w.Artifacts()) != 0 || len(s.w.Decor()) != 1 {
		t.Errorf("archived work is still in the world: %d projects, %d tasks, %d trophies", len(s.w.Projects()), len(s.w.Tasks()), len(s.w.Decor()))
	}
	s.refuse(contracts.CodeNotFound, contracts.RerunTask{SourceTaskID: task.TaskID})
}

// At most two task_progress events per second are recorded.
func TestProgressIsThrottled(t *testing.T) {
	s, task := started(t, contracts.KindCopy, "agent_writer_1")
	after := s.w.Seq()
	for i := range 40 {
		s.must(contracts.RunProgress{TaskID: task.TaskID, Attempt: 1, Percent: i, Preview: "…"})
		s.now += 50
	}
	if n := len(s.events(after)); n > 5 || n < 4 {
		t.Errorf("%d progress events in 2 s", n)
	}
}

func (s *rig) lastChat() *contracts.Chat {
	s.t.Helper()
	for i := len(s.recs) - 1; i >= 0; i-- {
		body, err := s.recs[i].Decode()
		if err != nil {
			s.t.Fatal(err)
		}
		if c, ok := body.(*contracts.Chat); ok {
			return c
		}
	}
	s.t.Fatal("there is no chat")
	return nil
}

// Agents walk along the room's paths: they never pass through furniture, and every walk starts
// where the previous one ended.
func TestWalksAreConnected(t *testing.T) {
	s, project, _ := kickedOff(t, contracts.KindCode, contracts.KindCopy, contracts.KindDesign)
	s.do(contracts.AutoAssign{ProjectID: project})
	s.pass(60e9)
	last := map[string]*contracts.AgentGoal{}
	for i := range s.recs {
		body, _ := s.recs[i].Decode()
		g, ok := body.(*contracts.AgentGoal)
		if !ok {
			continue
		}
		if was := last[g.AgentID]; was != nil {
			pos, _, _ := scene.Position(was.Path, was.SpeedMPS, was.StartedAt, s.recs[i].TS)
			if d := scene.Length([]contracts.Vec3{pos, g.Path[0]}); d > 0.02 {
				t.Errorf("%s jumps %.2f m at record %d", g.AgentID, d, s.recs[i].Seq)
			}
		}
		last[g.AgentID] = g
	}
}

// A review is assigned only when there is something to review.
func TestReviewWaitsForDeliverables(t *testing.T) {
	s, project, ids := kickedOff(t, contracts.KindReview, contracts.KindCopy)
	s.do(contracts.AutoAssign{ProjectID: project})
	review, draft := s.w.Task(ids[0]), s.w.Task(ids[1])
	s.wait("work starts", func() bool { return draft.Status == contracts.TaskInProgress })
	if review.Assignee != "" {
		t.Fatalf("%s got a review with nothing to review", review.Assignee)
	}
	s.deliver(draft)
	if review.Assignee != "agent_review_1" {
		t.Fatalf("the review went to %q", review.Assignee)
	}
}

// W14: a paused kickoff releases the table; resume starts the meeting again.
func TestPausedKickoffFreesTheTable(t *testing.T) {
	s := newRig(t)
	first := s.do(contracts.SubmitRequest{Text: "First thing"}).ProjectID
	second := s.do(contracts.SubmitRequest{Text: "Second thing"}).ProjectID
	s.do(contracts.PauseProject{ProjectID: first})
	if s.w.Project(second).Kickoff != world.KickoffRunning {
		t.Fatal("the paused kickoff keeps the table")
	}
	s.must(contracts.PlanReady{ProjectID: second, Tasks: []contracts.TaskDraft{{Title: "A", Kind: contracts.KindCode}}})
	s.wait("the second is planned", func() bool { return s.w.Project(second).Kickoff == world.KickoffOver })
	s.do(contracts.ResumeProject{ProjectID: first})
	if s.w.Project(first).Kickoff != world.KickoffRunning {
		t.Error("the resumed project does not meet again")
	}
}

// W17: an agent that walks to a person does not stop on anyone's seat.
func TestAgentsDoNotStandOnSeats(t *testing.T) {
	s, project, _ := kickedOff(t, contracts.KindCode, contracts.KindResearch)
	s.players = []contracts.Player{{PlayerID: "player_1", Pos: contracts.Vec3{0.9, 0, -0.2}}}
	s.do(contracts.AutoAssign{ProjectID: project})
	s.pass(60e9)
	for _, task := range s.w.Tasks() {
		s.must(contracts.RunAsked{TaskID: task.TaskID, Attempt: 1, Prompt: "Which?", Options: []string{" padded "}})
	}
	s.pass(60e9)
	if err := seats(s.w); err != nil {
		t.Fatal(err)
	}
	// An option can be chosen by the text that is displayed for it.
	s.do(contracts.ResolveDecision{DecisionID: s.w.Decisions()[0].DecisionID, Choice: s.w.Decisions()[0].Options[0]})
}

// If a run has several artifacts, each artifact that is sent back gets its own next version.
func TestReworkOfSeveralArtifacts(t *testing.T) {
	s, task := started(t, contracts.KindCopy, "agent_writer_1")
	two := []contracts.ArtifactDraft{{Type: "copy", Title: "One"}, {Type: "copy", Title: "Two"}}
	s.must(contracts.RunDelivered{TaskID: task.TaskID, Attempt: 1, Artifacts: two})
	s.wait("both are on the shelf", func() bool { return task.Status == contracts.TaskReview })
	arts := s.w.TaskArtifacts(task.TaskID, contracts.ArtifactInReview)
	s.do(contracts.RequestChanges{ArtifactID: arts[0].ArtifactID, Instructions: "Shorter."})
	s.do(contracts.RequestChanges{ArtifactID: arts[1].ArtifactID, Instructions: "Longer."})
	s.wait("the rework starts", func() bool { return task.Attempt == 2 && task.Status == contracts.TaskInProgress })
	if got := s.w.Work()[0].Task; got.Instructions != "Shorter.\n\nLonger." || len(got.Previous) != 2 {
		t.Fatalf("the work has %+v", got)
	}
	if refusal := s.tell(contracts.RunDelivered{TaskID: task.TaskID, Attempt: 2, Artifacts: two[:1]}); refusal == nil || refusal.Code != contracts.CodeValidationFailed {
		t.Fatalf("a rework with only one of two artifacts: %v", refusal)
	}
	s.must(contracts.RunDelivered{TaskID: task.TaskID, Attempt: 2, Artifacts: two})
	s.wait("both again", func() bool { return task.Status == contracts.TaskReview })
	for _, art := range s.w.TaskArtifacts(task.TaskID, contracts.ArtifactInReview) {
		if art.Version != 2 {
			t.Errorf("%+v", art)
		}
		s.do(contracts.ApproveArtifact{ArtifactID: art.ArtifactID})
	}
	if task.Status != contracts.TaskDone {
		t.Errorf("the task is %s", task.Status)
	}
}

// While one artifact is being reworked, the other artifacts of its task cannot be sent back.
func TestChangesDuringReworkAreRefused(t *testing.T) {
	s, task := started(t, contracts.KindCopy, "agent_writer_1")
	s.must(contracts.RunDelivered{TaskID: task.TaskID, Attempt: 1, Artifacts: []contracts.ArtifactDraft{{Type: "copy", Title: "One"}, {Type: "copy", Title: "Two"}}})
	s.wait("both are on the shelf", func() bool { return task.Status == contracts.TaskReview })
	arts := s.w.TaskArtifacts(task.TaskID, contracts.ArtifactInReview)
	s.do(contracts.RequestChanges{ArtifactID: arts[0].ArtifactID, Instructions: "Shorter."})
	s.wait("the rework starts", func() bool { return task.Status == contracts.TaskInProgress })
	s.refuse(contracts.CodeConflict, contracts.RequestChanges{ArtifactID: arts[1].ArtifactID, Instructions: "Longer."})
	s.do(contracts.ApproveArtifact{ArtifactID: arts[1].ArtifactID})
}

// W19: text from workers is cleaned before it is stored.
func TestWorkersTextIsCleaned(t *testing.T) {
	s := newRig(t)
	project := s.do(contracts.SubmitRequest{Text: "x"}).ProjectID
	s.must(contracts.PlanReady{ProjectID: project, Tasks: []contracts.TaskDraft{{Title: "Pay \u202Egnp.exe\u0007", Kind: contracts.KindCode}}})
	s.wait("tasks are there", func() bool { return len(s.w.Tasks()) == 1 })
	if got := s.w.Tasks()[0].Title; got != "Pay gnp.exe" {
		t.Errorf("stored %q", got)
	}
	if refusal := s.tell(contracts.PlanReady{ProjectID: project, Tasks: []contracts.TaskDraft{{Title: "\u3164"}}}); refusal == nil {
		t.Error("an invisible title was accepted")
	}
}
