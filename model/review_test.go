package model_test

import (
	"testing"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/model"
)

// A line about a review names the reviewer, what it runs on, and the result; it says if the files changed.
func TestReviewLine(t *testing.T) {
	rows := &model.Rows{
		Agents: []contracts.Agent{{AgentProfile: contracts.AgentProfile{AgentID: "agent_r", Name: "Rae", Runner: "codex", Model: "model-b"}}},
		Tasks:  []contracts.Task{{TaskID: "task_a", Tree: "new"}},
	}
	art := &contracts.Artifact{TaskID: "task_a", Tree: "new"}
	older := &contracts.Artifact{TaskID: "task_a", Tree: "old"}
	finding := []contracts.Finding{{Path: "a.go", Line: 3, Severity: contracts.SeverityNit, Text: "Name it."}}
	for _, c := range []struct {
		art  *contracts.Artifact
		v    contracts.Review
		want string
	}{
		{art, contracts.Review{AgentID: "agent_r", Status: contracts.ReviewAsked}, "Rae (codex, model-b) is reviewing it"},
		{art, contracts.Review{AgentID: "agent_r", Status: contracts.ReviewCommented, Differs: contracts.DiffersVendor}, "Rae (codex, model-b, another vendor) reviewed it: no findings"},
		{older, contracts.Review{AgentID: "agent_r", Status: contracts.ReviewCommented, Findings: finding}, "Rae (codex, model-b) reviewed it: 1 finding · stale: the files changed later"},
		{art, contracts.Review{AgentID: "agent_gone", Status: contracts.ReviewFailed, Differs: contracts.DiffersModel, Reason: "no answer"}, "agent_gone (another model) could not review it: no answer"},
		{art, contracts.Review{Status: contracts.ReviewFailed, Reason: "no other agent can review it"}, "Not reviewed by an agent: no other agent can review it"},
	} {
		if got := rows.ReviewLine(c.art, c.v); got != c.want {
			t.Errorf("got  %q\nwant %q", got, c.want)
		}
	}
}
