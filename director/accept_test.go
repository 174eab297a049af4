package director_test

import (
	"slices"
	"testing"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/world"
)

// accepting returns an office with a task in progress whose request has acceptance checks.
func accepting(t *testing.T, lines ...string) (*rig, *world.Task) {
	t.Helper()
	s := newRig(t)
	s.caller = contracts.Caller{Permit: true, By: "tok_ada"}
	s.must(contracts.RepoSeen{Repo: contracts.Repo{Path: "/src/shop", Target: "main"}})
	s.repo, s.accept = "shop", lines
	task := s.begin(contracts.KindCode, "agent_eng_1")
	tree := worktree("unit")
	accept, err := contracts.ParseAccept(lines)
	if err != nil {
		t.Fatal(err)
	}
	tree.Checks = append(tree.Checks, accept...)
	s.must(contracts.TaskPrepared{TaskID: task.TaskID, Attempt: 1, Worktree: tree})
	s.must(contracts.CheckRan{TaskID: task.TaskID, Attempt: 1, Result: ran("unit", treeA, 1)})
	return s, task
}

func (s *rig) verdict(task *world.Task, when string, want contracts.Verdict) {
	s.t.Helper()
	if got := s.w.TaskRow(task).Verdict; got != want {
		s.t.Fatalf("%s: %q, want %q", when, got, want)
	}
}

// A review and an approval apply only to the files of the patch.
func TestAcceptedByAgentAndPerson(t *testing.T) {
	s, task := accepting(t, "agent", "person")
	art := s.deliverPatch(task, treeA)
	s.verdict(task, "after the checks", contracts.VerdictPartly)
	reviewer := art.Reviews[0].AgentID
	nit := contracts.Finding{Path: "a.go", Line: 1, Severity: contracts.SeverityNit, Text: "x"}
	s.must(contracts.ReviewReady{ArtifactID: art.ArtifactID, AgentID: reviewer, Findings: []contracts.Finding{nit}})
	s.verdict(task, "after the review", contracts.VerdictPartly)
	s.do(contracts.ApproveArtifact{ArtifactID: art.ArtifactID})
	s.verdict(task, "after the approval", contracts.VerdictProven)
	by := map[string]string{}
	for _, r := range s.w.TaskRow(task).Checks {
		by[r.Command] = r.By
	}
	if by["agent"] != reviewer || by["person"] != "tok_ada" {
		t.Errorf("accepted by %v", by)
	}
	s.must(contracts.TreeSeen{TaskID: task.TaskID, Tree: treeB})
	s.verdict(task, "after a file changed", contracts.VerdictOnlySaid)
	s.checkReplay()
}

// After new commits from the target branch are merged into the files, another review and another
// approval are required.
func TestAcceptedAgainAfterAnUpdate(t *testing.T) {
	s, task := accepting(t, "agent", "person")
	art := s.deliverPatch(task, treeA)
	s.must(contracts.ReviewReady{ArtifactID: art.ArtifactID, AgentID: art.Reviews[0].AgentID})
	s.do(contracts.ApproveArtifact{ArtifactID: art.ArtifactID})
	s.do(land(task))
	s.must(contracts.TreeSeen{TaskID: task.TaskID, Tree: treeB, Base: treeA})
	s.must(contracts.CheckRan{TaskID: task.TaskID, Attempt: 1, Result: ran("unit", treeB, 2)})
	s.must(contracts.LandingFailed{TaskID: task.TaskID, Number: 1, Reason: "main had new commits", Patch: patchOf(treeB, treeA)})
	s.verdict(task, "after the checks ran again", contracts.VerdictPartly)
	next := s.w.Artifact("art_a2")
	if len(next.Reviews) != 1 || next.Reviews[0].Status != contracts.ReviewAsked {
		t.Fatalf("reviews of the new version: %+v", next.Reviews)
	}
	s.must(contracts.ReviewReady{ArtifactID: next.ArtifactID, AgentID: next.Reviews[0].AgentID})
	s.verdict(task, "after the second review", contracts.VerdictPartly)
	s.do(contracts.ApproveArtifact{ArtifactID: next.ArtifactID})
	s.verdict(task, "after the second approval", contracts.VerdictProven)
	s.do(land(task))
	s.checkReplay()
}

// A problem found by one reviewer is not outvoted by another review.
func TestAcceptedByNoAgentWithAProblem(t *testing.T) {
	s, task := accepting(t, "agent")
	art := s.deliverPatch(task, treeA)
	first := art.Reviews[0].AgentID
	problem := contracts.Finding{Path: "a.go", Line: 1, Severity: contracts.SeverityProblem, Text: "It overflows."}
	s.must(contracts.ReviewReady{ArtifactID: art.ArtifactID, AgentID: first, Findings: []contracts.Finding{problem}})
	s.verdict(task, "after a problem was found", contracts.VerdictFailed)
	res := s.do(contracts.AskReview{ArtifactID: art.ArtifactID})
	s.must(contracts.ReviewReady{ArtifactID: art.ArtifactID, AgentID: res.Assignments[0].AgentID})
	s.verdict(task, "after another review", contracts.VerdictFailed)
	s.refuse(contracts.CodeNotAllowed, contracts.AskReview{ArtifactID: art.ArtifactID, AgentID: "agent_eng_1"})
}

// Neither an agent nor a program that reports for it can change the acceptance checks or report a
// person's approval.
func TestAcceptanceBelongsToTheRequest(t *testing.T) {
	s, task := accepting(t, "file: docs/cart.md", "person")
	full := *task.Worktree
	for name, checks := range map[string][]contracts.Check{
		"none":          full.Checks[:1],
		"one less":      full.Checks[:2],
		"another order": {full.Checks[0], full.Checks[2], full.Checks[1]},
		"one more":      append(slices.Clone(full.Checks), contracts.Check{Name: "more", Kind: contracts.CheckAgent, Command: "agent"}),
		"another path":  {full.Checks[0], {Name: "accept: file: README.md", Kind: contracts.CheckFile, Command: "file: README.md"}, full.Checks[2]},
		"optional":      {full.Checks[0], full.Checks[1], {Name: "accept: person", Kind: contracts.CheckPerson, Command: "person", Optional: true}},
	} {
		tree := full
		tree.Checks = checks
		if refusal := s.tell(contracts.TaskPrepared{TaskID: task.TaskID, Attempt: 1, Worktree: tree}); refusal == nil {
			t.Errorf("%s was recorded", name)
		}
	}
	forged := contracts.CheckResult{Name: "accept: person", Command: "person", End: contracts.EndExited, Tree: treeA, TreeAfter: treeA, Started: 2}
	if refusal := s.tell(contracts.CheckRan{TaskID: task.TaskID, Attempt: 1, Result: forged}); refusal == nil {
		t.Error("a person's approval was reported as a check")
	}
	s.caller.Permit = false
	s.refuse(contracts.CodeNotAllowed, contracts.SubmitRequest{Text: "More", Repo: "shop", Accept: []string{"cmd: true"}})
	s.caller.Permit = true
	s.refuse(contracts.CodeValidationFailed, contracts.SubmitRequest{Text: "More", Accept: []string{"cmd: true"}})
}
