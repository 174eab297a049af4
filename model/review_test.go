package model_test

import (
	"os"
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/model"
)

// Every client describes a review in the same words.
func TestReviewLine(t *testing.T) {
	data, err := os.ReadFile("../contracts/vectors/review.json")
	if err != nil {
		t.Fatal(err)
	}
	var v struct {
		Agents []contracts.Agent `json:"agents"`
		Lines  []struct {
			Review contracts.Review `json:"review"`
			Stale  bool             `json:"stale"`
			Want   string           `json:"want"`
		} `json:"lines"`
	}
	if err := json.Unmarshal(data, &v); err != nil {
		t.Fatal(err)
	}
	if len(v.Lines) == 0 {
		t.Fatal("review.json has no lines")
	}
	rows := &model.Rows{Agents: v.Agents, Tasks: []contracts.Task{{TaskID: "task_a", Tree: "new"}}}
	for _, c := range v.Lines {
		art := &contracts.Artifact{TaskID: "task_a", Tree: map[bool]string{false: "new", true: "old"}[c.Stale]}
		if got := rows.ReviewLine(art, c.Review); got != c.Want {
			t.Errorf("got  %q\nwant %q", got, c.Want)
		}
	}
}

// A review can be requested while the patch is waiting for a person's decision, nobody is reviewing
// it, and another crew member is present.
func TestCanAskReview(t *testing.T) {
	crew := func(id, runner string) contracts.Agent {
		return contracts.Agent{AgentProfile: contracts.AgentProfile{AgentID: id, Runner: runner, Role: contracts.RoleEngineer}, State: contracts.StateIdle}
	}
	review := func(id string, status contracts.ReviewStatus) []contracts.Review {
		return []contracts.Review{{AgentID: id, Status: status}}
	}
	for name, c := range map[string]struct {
		change func(rows *model.Rows, art *contracts.Artifact)
		want   bool
	}{
		"nobody reviewed it":   {func(*model.Rows, *contracts.Artifact) {}, true},
		"the review failed":    {func(_ *model.Rows, art *contracts.Artifact) { art.Reviews = review("agent_b", contracts.ReviewFailed) }, true},
		"it is being reviewed": {func(_ *model.Rows, art *contracts.Artifact) { art.Reviews = review("agent_c", contracts.ReviewAsked) }, false},
		"the only other member reviewed it": {func(_ *model.Rows, art *contracts.Artifact) {
			art.Reviews = review("agent_b", contracts.ReviewCommented)
		}, false},
		"it is approved":                    {func(_ *model.Rows, art *contracts.Artifact) { art.Status = contracts.ArtifactApproved }, false},
		"it is a document":                  {func(_ *model.Rows, art *contracts.Artifact) { art.Type = "document" }, false},
		"the only other member is away":     {func(rows *model.Rows, _ *contracts.Artifact) { rows.Agents[1].State = contracts.StateOffline }, false},
		"the only other member is a guest":  {func(rows *model.Rows, _ *contracts.Artifact) { rows.Agents[1].Source = "claude" }, false},
		"the only other member is a script": {func(rows *model.Rows, _ *contracts.Artifact) { rows.Agents[1].Runner = "script" }, false},
		"both are scripts": {func(rows *model.Rows, _ *contracts.Artifact) {
			rows.Agents[0].Runner, rows.Agents[1].Runner = "script", "script"
		}, true},
		"the only other member delivered it before": {func(rows *model.Rows, _ *contracts.Artifact) {
			rows.Artifacts = append(rows.Artifacts, contracts.Artifact{ArtifactID: "art_1", TaskID: "task_a", CreatedBy: "agent_b"})
		}, false},
	} {
		rows := &model.Rows{Agents: []contracts.Agent{crew("agent_a", "codex"), crew("agent_b", "claude")}, Sources: contracts.Sources{{Source: "script", Scripted: true}}}
		art := &contracts.Artifact{ArtifactID: "art_2", TaskID: "task_a", Type: contracts.ArtifactPatch, Tree: "new", Status: contracts.ArtifactInReview, CreatedBy: "agent_a"}
		c.change(rows, art)
		if got := rows.CanAskReview(art); got != c.want {
			t.Errorf("%s: got %t, want %t", name, got, c.want)
		}
	}
}
