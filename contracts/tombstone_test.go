package contracts

import (
	"bytes"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// keptTexts are the string fields that a tombstone keeps: ids, states, and names such as those of
// tools, models and branches. A new field must be erased or be listed here.
var keptTexts = strings.Fields(`
	Event.Name Event.ProjectID Event.TaskID Event.AgentID Event.ArtifactID Event.DecisionID Event.POIID Event.SceneID Event.OfficeID
	Event.Participants Event.Kind Event.RunID Event.FromAgentID Event.TurnID Event.By Event.Via Event.Redaction.SHA256
	Event.Project.ProjectID Event.Project.Status
	Event.Tasks.TaskID Event.Tasks.ProjectID Event.Tasks.Kind Event.Tasks.Status Event.Tasks.Assignee Event.Tasks.RerunOf Event.Tasks.SplitFrom
	Event.Decision.DecisionID Event.Decision.ProjectID Event.Decision.Kind Event.Decision.TaskID Event.Decision.Status Event.Decision.AskedBy
	Event.Decision.TurnID Event.Decision.Owner Event.Decision.RuleID
	Event.Decision.Permission.Tool Event.Decision.Permission.CallID
	Event.Decision.Session.Agent.AgentID Event.Decision.Session.Agent.Role Event.Decision.Session.Agent.Runner Event.Decision.Session.Agent.Home Event.Decision.Session.Agent.Source Event.Decision.Session.Agent.ParentID Event.Decision.Session.Agent.Session Event.Decision.Session.Agent.Model Event.Decision.Session.Agent.Outpost Event.Decision.Session.Agent.Node Event.Decision.Session.Agent.RoomID Event.Decision.Session.Agent.SeatID Event.Decision.Session.Agent.Controls
	Event.Decision.Session.Checked.State Event.Decision.Session.Checked.Edit.Kind Event.Decision.Session.Checked.Edit.Outcome Event.Decision.Session.Checked.Edit.AgentID Event.Decision.Session.Checked.Check.Kind Event.Decision.Session.Checked.Check.Outcome Event.Decision.Session.Checked.Check.AgentID Event.Decision.Session.Checked.Command.Kind Event.Decision.Session.Checked.Command.Outcome Event.Decision.Session.Checked.Command.AgentID
	Event.Artifact.ArtifactID Event.Artifact.ProjectID Event.Artifact.TaskID Event.Artifact.Type Event.Artifact.Status Event.Artifact.Parent
	Event.Artifact.MIME Event.Artifact.POIID Event.Artifact.CreatedBy
	Event.Decor.DecorID Event.Decor.AnchorID Event.Decor.UnlockedBy
	Event.Agents.AgentID Event.Agents.Role Event.Agents.Runner Event.Agents.Home Event.Agents.Source Event.Agents.ParentID Event.Agents.Session
	Event.Agents.Model Event.Agents.Outpost Event.Agents.Node Event.Agents.RoomID Event.Agents.SeatID Event.Agents.Controls
	Event.Room.RoomID Event.Room.Module Event.Room.Accent Event.RoomID Event.RuleID
	Event.Rule.RuleID Event.Rule.Effect Event.Rule.Tool Event.Rule.Agent
	Event.Decision.AlwaysAdds.RuleID Event.Decision.AlwaysAdds.Effect Event.Decision.AlwaysAdds.Tool Event.Decision.AlwaysAdds.Agent
	Event.Repo.Name Event.Repo.Target Event.Repo.Node Event.Project.Repo Event.Tree Event.Artifact.Tree Event.Artifact.Base
	Event.Worktree.Repo Event.Worktree.Branch Event.Worktree.Base Event.Worktree.Target Event.Worktree.Checks.Name Event.Worktree.Checks.Kind
	Event.Check.Name Event.Check.Kind Event.Check.End Event.Check.Tree Event.Check.TreeAfter Event.Check.By
	Event.Landing.How Event.Landing.Tree Event.Landing.Status Event.Landing.By Event.Landing.Target Event.Landing.Commit Event.Landing.Pull.Head
	Event.Collision.TaskIDs
	Event.Review.AgentID Event.Review.Status Event.Review.Differs Event.Review.Findings.Severity
	Event.Artifact.Reviews.AgentID Event.Artifact.Reviews.Status Event.Artifact.Reviews.Differs Event.Artifact.Reviews.Findings.Severity
	Event.Tasks.Worktree.Repo Event.Tasks.Worktree.Branch Event.Tasks.Worktree.Base Event.Tasks.Worktree.Target Event.Tasks.Worktree.Checks.Name Event.Tasks.Worktree.Checks.Kind
	Event.Tasks.Tree Event.Tasks.Landing.How Event.Tasks.Landing.Tree Event.Tasks.Landing.Status Event.Tasks.Landing.By
	Event.Tasks.Landing.Target Event.Tasks.Landing.Commit Event.Tasks.Landing.Pull.Head Event.Tasks.Verdict Event.Tasks.Checks.Name Event.Tasks.Checks.Kind Event.Tasks.Checks.End
	Event.Tasks.Checks.Tree Event.Tasks.Checks.TreeAfter Event.Tasks.Checks.By Event.Tasks.Collisions.TaskIDs
	Receipt.Result.Repo
	Event.Status.AgentID Event.Status.Activity Event.Status.Authority Event.Status.Evidence.Source Event.Usage.Model
	AgentGoal.AgentID AgentGoal.Goal.Kind AgentGoal.Goal.POIID AgentGoal.Goal.AnchorID AgentGoal.Goal.PlayerID AgentGoal.Goal.PerchOf AgentGoal.State AgentGoal.TaskID
	Chat.ThreadID Chat.From Chat.To Chat.ProjectID
	Chat.SuggestedActions.Action Chat.SuggestedActions.ProjectID Chat.SuggestedActions.ArtifactID Chat.SuggestedActions.DecisionID
	HUD.Event HUD.CorrelationID HUD.ParentID HUD.AgentID HUD.Session HUD.TaskID HUD.Tool HUD.Subtype HUD.Usage.Model HUD.Owner HUD.Origin HUD.Impact.Kind HUD.Impact.Outcome HUD.Impact.AgentID
	UI.AgentID UI.RunID UI.Session UI.Name UI.Source UI.EventID UI.DecisionID
	Receipt.CommandID Receipt.Identity Receipt.Name Receipt.Result.ProjectID Receipt.Result.TaskIDs Receipt.Result.Assignments.TaskID
	Receipt.Result.Assignments.AgentID Receipt.Result.ArtifactID Receipt.Result.DecisionID Receipt.Result.RuleID
	Proposal.ProjectID Proposal.Tasks.Kind
	Run.RunID Run.TaskID Run.AgentID Run.Runner Run.Status`)

// plant sets every string in v to its own path.
func plant(v reflect.Value, path string) {
	if v.Type() == reflect.TypeFor[jsontext.Value]() {
		v.SetBytes(fmt.Appendf(nil, `{"<%s>":["<%s>"]}`, path, path))
		return
	}
	switch v.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		plant(v.Elem(), path)
	case reflect.Struct:
		for i := range v.NumField() {
			plant(v.Field(i), path+"."+v.Type().Field(i).Name)
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		plant(v.Index(0), path)
	case reflect.Map:
		v.Set(reflect.ValueOf(map[string]any{"<" + path + ">": "<" + path + ">"}))
	case reflect.Interface:
		v.Set(reflect.ValueOf("<" + path + ">"))
	case reflect.String:
		v.SetString("<" + path + ">")
	}
}

func TestTombstoneKeepsNoText(t *testing.T) {
	var kept []string
	for _, body := range []Body{&Event{}, &AgentGoal{}, &Chat{}, &HUD{}, &UI{}, &Receipt{}, &Proposal{}, &Run{}} {
		name := reflect.TypeOf(body).Elem().Name()
		plant(reflect.ValueOf(body).Elem(), name)
		rec, err := NewRecord(7, 1, "", body)
		if err != nil {
			t.Fatal(err)
		}
		before := bytes.Clone(rec.Body)
		stone, texts, err := rec.Tombstone()
		if err != nil || stone == nil {
			t.Fatalf("%s: %q, %v", name, texts, err)
		}
		if now, _ := json.Marshal(body, json.Deterministic(true)); !bytes.Equal(now, before) {
			t.Errorf("%s: the shared body was changed", name)
		}
		for part := range strings.SplitSeq(string(stone), "<") {
			if path, _, ok := strings.Cut(part, ">"); ok && !slices.Contains(kept, path) {
				kept = append(kept, path)
			}
		}
		tomb := rec.AsTombstone(stone)
		if err := tomb.Validate(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if again, texts, err := tomb.Tombstone(); err != nil || len(texts) > 0 && again != nil && !bytes.Equal(again, stone) {
			t.Errorf("%s: erasing a tombstone changed it: %s, %q, %v", name, again, texts, err)
		}
	}
	for _, path := range kept {
		if !slices.Contains(keptTexts, strings.ReplaceAll(path, "AgentProfile.", "")) {
			t.Errorf("%s survives erasure", path)
		}
	}
	if len(kept) != len(keptTexts) {
		t.Errorf("%d strings are kept, but %d are listed", len(kept), len(keptTexts))
	}
}

func TestTombstoneOfRecordWithoutText(t *testing.T) {
	rec, err := NewRecord(7, 1, "", &Event{Name: EventTaskStarted, TaskID: "task_t1"})
	if err != nil {
		t.Fatal(err)
	}
	if body, texts, err := rec.Tombstone(); body != nil || texts != nil || err != nil {
		t.Errorf("%s, %q, %v", body, texts, err)
	}
}

// The answers to permission requests are the office's own words, and programs wait for them, so a
// tombstone keeps them.
func TestTombstoneKeepsPermissionAnswers(t *testing.T) {
	rec, err := NewRecord(7, 1, "", &Event{Name: EventDecisionResolved, DecisionID: "dec_d1", Choice: OptionDeny, Note: "because of ann@example.com"})
	if err != nil {
		t.Fatal(err)
	}
	body, _, err := rec.Tombstone()
	if err != nil || !bytes.Contains(body, []byte(OptionDeny)) || bytes.Contains(body, []byte("ann@")) {
		t.Errorf("%s, %v", body, err)
	}
}
