package server

import (
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/bullpen-office/bullpen/contracts"
	read "github.com/bullpen-office/bullpen/view/door"
	"github.com/bullpen-office/bullpen/world"
)

// In an office without a crew, a request waits, and no meeting starts.
func TestRequestWaitsWithoutACrew(t *testing.T) {
	r := startRig(t, Config{Crew: CrewNone})
	v := r.dial("")
	v.command(contracts.CmdSubmitRequest, contracts.SubmitRequest{Text: "Wait for a crew"})
	v.until("ack")
	state := r.view.State()
	if len(state.Agents) != 0 || len(state.Projects) != 1 || state.Projects[0].Status != contracts.ProjectPlanning {
		t.Errorf("%d people, projects %+v", len(state.Agents), state.Projects)
	}
	r.view.Look(func(w *world.World) {
		if w.Meeting() != nil {
			t.Error("a meeting without people")
		}
	})
}

// Rows that snapshots shorten are returned whole by their own endpoints (D2).
func TestRowEndpointsReturnWholeRows(t *testing.T) {
	r := startRig(t, Config{})
	v := r.dial("")
	text := strings.Repeat("A long wish. ", 120)
	v.command(contracts.CmdSubmitRequest, contracts.SubmitRequest{Text: text, Constraints: map[string]any{"tone": "warm"}, Attachments: []any{"notes.txt"}})
	made := v.untilEvent(func(e contracts.Event) bool { return e.Name == contracts.EventTasksCreated })
	project := getRow[contracts.Project](r, "/v1/projects/"+made.ProjectID)
	if project.Request != text || project.Constraints["tone"] != "warm" || len(project.Attachments) != 1 || project.Status == "" {
		t.Errorf("the project is not whole: %+v", project)
	}
	want := made.Tasks[0]
	if task := getRow[contracts.Task](r, "/v1/tasks/"+want.TaskID); task.TaskID != want.TaskID || task.Description != want.Description || task.Description == "" {
		t.Errorf("task %+v, want %+v", task, want)
	}
}

func getRow[T any](r *rig, path string) (row T) {
	r.t.Helper()
	status, body, _ := r.get(path, "")
	if err := json.Unmarshal([]byte(body), &row); err != nil || status != 200 {
		r.t.Fatalf("%s: %d %s %v", path, status, body, err)
	}
	return row
}

// Rows of an archived project can be looked up, and show that the project is archived (D2).
func TestArchivedRowsCanBeRead(t *testing.T) {
	var later atomic.Int64
	r := startRig(t, Config{Now: func() time.Time { return time.Now().Add(time.Duration(later.Load())) }})
	v := r.dial("")
	artifact, decision := finishProject(v)
	later.Store(int64(31 * time.Minute))
	v.command(contracts.CmdSubmitRequest, contracts.SubmitRequest{Text: "Something else"}) // makes the office check its clock
	v.untilEvent(func(e contracts.Event) bool { return e.Name == contracts.EventProjectArchived })
	if row := getRow[contracts.Artifact](r, "/v1/artifacts/"+artifact); row.ArtifactID != artifact || row.Status != contracts.ArtifactArchived || row.SHA256 == "" {
		t.Errorf("artifact %+v", row)
	}
	if row := getRow[read.ArchivedDecision](r, "/v1/decisions/"+decision); row.DecisionID != decision || !row.Archived || row.Prompt == "" {
		t.Errorf("decision %+v", row)
	}
}

// finishProject completes a request and returns one artifact and one question.
func finishProject(v *viewer) (artifact, decision string) {
	v.command(contracts.CmdSubmitRequest, contracts.SubmitRequest{Text: "Write a short plan for our summer party"})
	v.untilEvent(func(e contracts.Event) bool {
		switch e.Name {
		case contracts.EventTasksCreated:
			v.command(contracts.CmdAutoAssign, contracts.AutoAssign{ProjectID: e.ProjectID})
		case contracts.EventDecisionRequested:
			decision = e.Decision.DecisionID
			v.command(contracts.CmdResolveDecision, contracts.ResolveDecision{DecisionID: decision, Choice: e.Decision.Options[0]})
		case contracts.EventArtifactDelivered:
			artifact = e.ArtifactID
			v.command(contracts.CmdApproveArtifact, contracts.ApproveArtifact{ArtifactID: artifact})
		}
		return e.Name == contracts.EventProjectCompleted
	})
	return artifact, decision
}
