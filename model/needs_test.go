package model

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/bullpen-office/bullpen/contracts"
)

// TestNeedVectors runs contracts/vectors/needs.json, as web/src/world/needs.test.ts does: both
// clients show the same cards in the same order.
func TestNeedVectors(t *testing.T) {
	var cases []struct {
		Name string             `json:"name"`
		Rows contracts.Snapshot `json:"rows"`
		Want [][]string         `json:"want"` // expected refs of each card
	}
	readVectors(t, "needs.json", &cases)
	if len(cases) < 10 {
		t.Fatalf("only %d cases", len(cases))
	}
	for _, c := range cases {
		t.Run(c.Name, func(t *testing.T) {
			rows := Rows{Agents: c.Rows.Agents, Projects: c.Rows.Projects, Tasks: c.Rows.Tasks, Artifacts: c.Rows.Artifacts, Decisions: c.Rows.Decisions}
			got := [][]string{}
			for _, group := range rows.NeedGroups() {
				var refs []string
				for _, n := range group {
					refs = append(refs, n.Ref)
				}
				got = append(got, refs)
			}
			if diff := cmp.Diff(c.Want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestNeedProject checks that a need names its project if there are several projects.
func TestNeedProject(t *testing.T) {
	rows := Rows{
		Projects:  []contracts.Project{{ProjectID: "proj_a", Title: "Fix the login bug", Status: contracts.ProjectExecuting}, {ProjectID: "proj_b", Title: "Plan the offsite", Status: contracts.ProjectCompleted}},
		Decisions: []contracts.Decision{{DecisionID: "dec_a", ProjectID: "proj_a"}, {DecisionID: "dec_b"}},
		Artifacts: []contracts.Artifact{{ArtifactID: "art_a", ProjectID: "proj_a"}},
	}
	needs := []Need{{Ref: "dec_a", Kind: NeedDecision}, {Ref: "art_a", Kind: NeedReview}, {Ref: "dec_b", Kind: NeedPermission}, {Ref: "proj_a", Kind: NeedPlan}}
	names := func() (out []string) {
		for _, n := range needs {
			out = append(out, rows.NeedProject(n))
		}
		return out
	}
	if diff := cmp.Diff([]string{"", "", "", ""}, names()); diff != "" {
		t.Errorf("one live project: %s", diff)
	}
	rows.Projects[1].Status = contracts.ProjectExecuting
	if diff := cmp.Diff([]string{"Fix the login bug", "Fix the login bug", "", ""}, names()); diff != "" {
		t.Errorf("two live projects: %s", diff)
	}
}
