package world_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/world"
	"github.com/bullpen-office/bullpen/world/scene"
)

// tape returns bodies as records, numbered and timestamped as in a ledger.
func tape(t *testing.T, bodies ...contracts.Body) []contracts.Record {
	t.Helper()
	recs := make([]contracts.Record, len(bodies))
	for i, b := range bodies {
		rec, err := contracts.NewRecord(uint64(i+1), int64(i+1)*1000, "", b)
		if err != nil {
			t.Fatal(err)
		}
		recs[i] = rec
	}
	return recs
}

func fold(t *testing.T, recs []contracts.Record) *world.World {
	t.Helper()
	w := world.New(scene.Default())
	for _, r := range recs {
		if err := w.Apply(r); err != nil {
			t.Fatal(err)
		}
	}
	return w
}

func opened() contracts.Body {
	return &contracts.Event{Name: contracts.EventOfficeCreated, OfficeID: "ltest", Agents: []contracts.AgentProfile{{AgentID: "agent_bd", Name: "Ada", Role: contracts.RoleBD}}}
}

func submitted(id string) contracts.Body {
	return &contracts.Event{Name: contracts.EventRequestSubmitted, ProjectID: id, Project: &contracts.Project{ProjectID: id, Title: id}}
}

// W17: a position depends only on the goal and the time.
func TestPositionFollowsFromGoalAndTime(t *testing.T) {
	w := fold(t, tape(t, opened(), &contracts.AgentGoal{
		AgentID: "agent_bd", Goal: contracts.Goal{Kind: contracts.GoalGoToPOI}, Path: []contracts.Vec3{{0, 0, 0}, {2, 0, 0}, {2, 0, 2}},
		SpeedMPS: 1, StartedAt: 10_000, Facing: contracts.Vec3{0, 0, -1}, State: contracts.StateWalking,
	}))
	for _, c := range []struct {
		now    int64
		pos    contracts.Vec3
		facing contracts.Vec3
	}{
		{9_000, contracts.Vec3{0, 0, 0}, contracts.Vec3{1, 0, 0}},
		{11_000, contracts.Vec3{1, 0, 0}, contracts.Vec3{1, 0, 0}},
		{13_000, contracts.Vec3{2, 0, 1}, contracts.Vec3{0, 0, 1}},
		{99_000, contracts.Vec3{2, 0, 2}, contracts.Vec3{0, 0, -1}},
	} {
		row := w.Snapshot(c.now, nil, nil).Agents[0]
		if diff := cmp.Diff([]contracts.Vec3{c.pos, c.facing}, []contracts.Vec3{row.Pos, row.Facing}); diff != "" {
			t.Errorf("at %d: %s", c.now, diff)
		}
	}
}

// W16: archived projects are removed, and the world's size depends only on the live work.
func TestArchivedProjectsAreRemoved(t *testing.T) {
	once := fold(t, tape(t, opened(), submitted("proj_p1"), &contracts.Event{Name: contracts.EventProjectArchived, ProjectID: "proj_p1"}))
	bodies := []contracts.Body{opened()}
	for range 50 {
		bodies = append(bodies, submitted("proj_p1"), &contracts.Event{Name: contracts.EventProjectArchived, ProjectID: "proj_p1"})
	}
	often := fold(t, tape(t, bodies...))
	a, _ := once.Encode()
	b, _ := often.Encode()
	if len(b) > len(a)+16 {
		t.Errorf("with fifty archived projects the world has %d bytes, with one %d", len(b), len(a))
	}
}

// If invalid activity and receipts are skipped, the world is still the same, bit for bit.
func TestSkippedRecordsDoNotChangeTheWorld(t *testing.T) {
	recs := tape(t, opened(), &contracts.HUD{UUID: "u1", Event: contracts.HUDTurnStart, AgentID: "agent_bd"}, submitted("proj_p1"), &contracts.Receipt{CommandID: "c"})
	whole := fold(t, recs)
	parts := fold(t, []contracts.Record{recs[0], recs[2]})
	parts.SkipTo(4)
	a, _ := whole.Hash()
	b, _ := parts.Hash()
	if a != b {
		t.Error("a reader that skips these records gets a different world")
	}
}

func TestApplyRefusesImpossibleRecords(t *testing.T) {
	for name, body := range map[string]contracts.Body{
		"unknown task":                 &contracts.Event{Name: contracts.EventTaskDone, TaskID: "task_none"},
		"unknown agent":                &contracts.AgentGoal{AgentID: "agent_none"},
		"unknown project":              &contracts.Event{Name: contracts.EventKickoffStarted, ProjectID: "proj_none"},
		"request without a project":    &contracts.Event{Name: contracts.EventRequestSubmitted},
		"decision without a decision":  &contracts.Event{Name: contracts.EventDecisionRequested},
		"artifact without an artifact": &contracts.Event{Name: contracts.EventArtifactCreated},
	} {
		w := fold(t, tape(t, opened()))
		rec, err := contracts.NewRecord(2, 2000, "", body)
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Apply(rec); err == nil {
			t.Errorf("%s was applied", name)
		}
	}
	w := fold(t, tape(t, opened()))
	if err := w.Apply(tape(t, opened())[0]); err == nil {
		t.Error("a record was applied twice")
	}
}

func TestProjectStatusIsDerived(t *testing.T) {
	task := func(id string, s contracts.TaskStatus) contracts.Task {
		return contracts.Task{TaskID: id, ProjectID: "proj_p1", Status: s}
	}
	for _, c := range []struct {
		tasks []contracts.Task
		want  contracts.ProjectStatus
	}{
		{[]contracts.Task{task("task_a", contracts.TaskPlanned)}, contracts.ProjectExecuting},
		{[]contracts.Task{task("task_a", contracts.TaskBlocked), task("task_b", contracts.TaskPlanned)}, contracts.ProjectBlocked},
		{[]contracts.Task{task("task_a", contracts.TaskBlocked), task("task_b", contracts.TaskInProgress)}, contracts.ProjectExecuting},
		{[]contracts.Task{task("task_a", contracts.TaskDone), task("task_b", contracts.TaskCancelled)}, contracts.ProjectCompleted},
	} {
		w := fold(t, tape(t, opened(), submitted("proj_p1"), &contracts.Event{Name: contracts.EventTasksCreated, ProjectID: "proj_p1", Tasks: c.tasks},
			&contracts.Event{Name: contracts.EventKickoffFinished, ProjectID: "proj_p1"}))
		if got := w.Snapshot(0, nil, nil).Projects[0].Status; got != c.want {
			t.Errorf("%v: %s, want %s", c.tasks, got, c.want)
		}
	}
}
