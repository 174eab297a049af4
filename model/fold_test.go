package model

import (
	"bytes"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/world/scene"
)

// recorded reads a real server's messages from the files that the browser's tests use, so that both
// clients are tested with the same messages.
func recorded(t *testing.T, name string) []Message {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "web", "src", "world", "testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	var list []Message
	for line := range bytes.Lines(data) {
		m, err := Read(line)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, m)
	}
	return list
}

func folded(messages ...Message) *Office {
	o := New(func() int64 { return 0 })
	o.Apply(messages...)
	return o
}

// sameWorld compares a fold with a snapshot from the server, including positions.
func sameWorld(t *testing.T, o *Office, m Message) {
	t.Helper()
	s := m.Payload.(*contracts.Snapshot)
	rows := o.Rows()
	apart := cmpopts.IgnoreFields(contracts.Agent{}, "Pos", "Facing")
	none := cmpopts.EquateEmpty()
	for name, diff := range map[string]string{
		"agents": cmp.Diff(s.Agents, rows.Agents, apart, none), "projects": cmp.Diff(s.Projects, rows.Projects, none),
		"tasks": cmp.Diff(s.Tasks, rows.Tasks, none), "artifacts": cmp.Diff(s.Artifacts, rows.Artifacts, none),
		"decisions": cmp.Diff(s.Decisions, rows.Decisions, none), "decor": cmp.Diff(s.OfficeDecor, rows.Decor, none),
		"usage": cmp.Diff(s.Usage, rows.Usage, none),
	} {
		if diff != "" {
			t.Errorf("%s differ (-server +fold):\n%s", name, diff)
		}
	}
	for i := range s.Agents {
		row := rows.Agent(s.Agents[i].AgentID)
		if row == nil {
			continue
		}
		if at := position(row, o.history.motions[row.AgentID], m.TS); scene.Length([]contracts.Vec3{at.Pos, s.Agents[i].Pos}) > 0.02 {
			t.Errorf("%s is at %v, want %v as on the server", row.Name, at.Pos, s.Agents[i].Pos)
		}
	}
	if o.Seq != m.Seq {
		t.Errorf("seq is %d, want %d", o.Seq, m.Seq)
	}
}

// TestFoldIsTheServersWorld checks that the first snapshot and the records after it result in the
// world of the last snapshot (W8, W17).
func TestFoldIsTheServersWorld(t *testing.T) {
	for _, name := range []string{"first_minute.jsonl", "guests.jsonl"} {
		t.Run(name, func(t *testing.T) {
			list := recorded(t, name)
			sameWorld(t, folded(list[:len(list)-1]...), list[len(list)-1])
		})
	}
}

// TestOrderDoesNotMatter checks that messages result in the same world in any order, even if some
// are duplicated (W3).
func TestOrderDoesNotMatter(t *testing.T) {
	for _, name := range []string{"first_minute.jsonl", "guests.jsonl"} {
		list := recorded(t, name)
		last := list[len(list)-1]
		for seed := range uint64(20) {
			mixed := append(append([]Message{}, list[:len(list)-1]...), list[1:len(list)/2]...)
			rand.New(rand.NewPCG(seed, 1)).Shuffle(len(mixed), func(i, j int) { mixed[i], mixed[j] = mixed[j], mixed[i] })
			o := folded(mixed...)
			sameWorld(t, o, last)
			o.Apply(list[0]) // an older snapshot reverts nothing
			sameWorld(t, o, last)
			if t.Failed() {
				t.Fatalf("%s, seed %d", name, seed)
			}
		}
	}
}

// TestDeltaSnapshots checks that a delta changes the rows that it contains and drops those that it
// removes (W16).
func TestDeltaSnapshots(t *testing.T) {
	snap := func(seq uint64, ts int64, s contracts.Snapshot) Message {
		s.Seq = seq
		return Message{Type: contracts.TypeSnapshot, ID: "snap", TS: ts, Seq: seq, Payload: &s}
	}
	two := []contracts.Task{{TaskID: "task_a", Title: "a"}, {TaskID: "task_b", Title: "b"}}
	o := folded(snap(5, 1, contracts.Snapshot{Tasks: two}),
		snap(6, 2, contracts.Snapshot{Mode: "delta", Tasks: []contracts.Task{{TaskID: "task_b", Title: "B"}, {TaskID: "task_c"}}, Removed: []string{"task_a"}}))
	want := []contracts.Task{{TaskID: "task_b", Title: "B"}, {TaskID: "task_c"}}
	if diff := cmp.Diff(want, o.Rows().Tasks); diff != "" {
		t.Error(diff)
	}
	o.Reset()
	if len(o.Rows().Tasks) != 0 || o.Seq != 0 {
		t.Error("Reset left rows behind")
	}
}

// TestSentBackAfterDone checks that a finished task that is sent back is open again, and so is its
// project.
func TestSentBackAfterDone(t *testing.T) {
	r := &Rows{
		Projects:  []contracts.Project{{ProjectID: "proj_a", Status: contracts.ProjectCompleted}},
		Tasks:     []contracts.Task{{TaskID: "task_a", ProjectID: "proj_a", Status: contracts.TaskDone}},
		Artifacts: []contracts.Artifact{{ArtifactID: "art_a", TaskID: "task_a", ProjectID: "proj_a", Status: contracts.ArtifactApproved}},
	}
	r.foldEvent(&contracts.Event{Name: contracts.EventReviewChangesRequested, ProjectID: "proj_a", TaskID: "task_a", ArtifactID: "art_a", By: contracts.ByPullRequest}, 2)
	if r.Artifacts[0].Status != contracts.ArtifactChangesRequested || r.Tasks[0].Status != contracts.TaskReview || r.Projects[0].Status != contracts.ProjectExecuting {
		t.Errorf("%s, %s, %s", r.Artifacts[0].Status, r.Tasks[0].Status, r.Projects[0].Status)
	}
}

// TestBrokenMessages checks that an invalid message is rejected as a whole.
func TestBrokenMessages(t *testing.T) {
	for _, raw := range []string{
		``, `[]`, `null`, `{"type":"event"}`, `{"type":"event","id":"e","ts":1,"v":2,"payload":{"name":"x"}}`,
		`{"type":"event","id":"e","ts":1,"v":1,"payload":[]}`, `{"type":"snapshot","id":"s","ts":1,"v":1,"payload":{"seq":-1}}`,
		`{"type":"agent_goal","id":"s","ts":1,"v":1,"payload":{"path":[[1]]}}`, "{\"type\":\"chat\",\"id\":\"\xff\"}",
	} {
		if m, err := Read([]byte(raw)); err == nil {
			t.Errorf("%s was read as %+v", raw, m)
		}
	}
	_, err := Read([]byte(`{"type":"later","id":"e","ts":1,"v":1,"payload":{}}`))
	if _, unknown := err.(ErrUnknown); !unknown {
		t.Errorf("a message type from a later version: %v", err)
	}
}
