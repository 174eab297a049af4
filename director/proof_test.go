package director_test

import (
	"strings"
	"testing"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/world"
)

var (
	treeA = strings.Repeat("a", 40)
	treeB = strings.Repeat("b", 40)
	base  = strings.Repeat("0", 40)
)

func worktree(checks ...string) contracts.Worktree {
	w := contracts.Worktree{Repo: "shop", Dir: "/data/worktrees/task_t1", Branch: "bullpen/p1-t1", Base: base, Target: "main"}
	for _, name := range checks {
		w.Checks = append(w.Checks, contracts.Check{Name: name, Command: "make " + name})
	}
	return w
}

// ran returns the result of a check that passed on a tree.
func ran(name, tree string, started int64) contracts.CheckResult {
	return contracts.CheckResult{Name: name, Command: "make " + name, End: contracts.EndExited, Tree: tree, TreeAfter: tree, Started: started, DurationMS: 5}
}

// inShopRepo returns an office where a task in the repository shop is in progress.
func inShopRepo(t *testing.T, checks ...string) (*rig, *world.Task) {
	s := newRig(t)
	s.caller = contracts.Caller{Permit: true, By: "tok_ada"}
	s.must(contracts.RepoSeen{Repo: contracts.Repo{Path: "/src/shop", Target: "main"}})
	s.repo = "shop"
	task := s.begin(contracts.KindCode, "agent_eng_1")
	s.must(contracts.TaskPrepared{TaskID: task.TaskID, Attempt: 1, Worktree: worktree(checks...)})
	return s, task
}

// deliverPatch delivers a patch and returns its artifact, in review.
func (s *rig) deliverPatch(task *world.Task, tree string) *contracts.Artifact {
	s.t.Helper()
	s.must(contracts.RunDelivered{TaskID: task.TaskID, Attempt: task.Attempt, Artifacts: []contracts.ArtifactDraft{
		{Type: contracts.ArtifactPatch, Title: task.Title, MIME: contracts.MIMEPatch, Tree: tree, Base: base, Stat: &contracts.DiffStat{Files: 1, Added: 2}},
	}})
	s.wait("it is on the shelf", func() bool { return task.Status == contracts.TaskReview })
	arts := s.w.TaskArtifacts(task.TaskID, contracts.ArtifactInReview)
	return arts[len(arts)-1]
}

// A check applies only to the files that it ran on.
func TestVerdictFollowsTheFiles(t *testing.T) {
	s, task := inShopRepo(t, "unit", "lint")
	is := func(when string, want contracts.Verdict) {
		t.Helper()
		if got := s.w.TaskRow(task).Verdict; got != want {
			t.Errorf("%s: %q, want %q", when, got, want)
		}
	}
	check := func(r contracts.CheckResult) {
		t.Helper()
		s.must(contracts.CheckRan{TaskID: task.TaskID, Attempt: task.Attempt, Result: r})
	}
	is("before anything was delivered", "")
	failed := ran("unit", treeA, 1)
	failed.ExitCode = 1
	check(failed)
	is("after a check failed", contracts.VerdictFailed)
	check(ran("unit", treeB, 2))
	is("after one of two passed", contracts.VerdictPartly)
	check(ran("lint", treeB, 3))
	is("after both passed", contracts.VerdictProven)
	after := s.w.Seq()
	check(ran("lint", treeB, 3))
	s.must(contracts.TaskPrepared{TaskID: task.TaskID, Attempt: 1, Worktree: worktree("unit", "lint")})
	if s.w.Seq() != after {
		t.Error("a repeated fact was recorded again")
	}
	art := s.deliverPatch(task, treeB)
	is("when it is delivered", contracts.VerdictProven)
	s.must(contracts.TreeSeen{TaskID: task.TaskID, Tree: treeA})
	is("when files went back to those that failed", contracts.VerdictFailed)
	s.must(contracts.TreeSeen{TaskID: task.TaskID, Tree: base})
	is("when files changed", contracts.VerdictOnlySaid)
	s.must(contracts.TreeSeen{TaskID: task.TaskID, Tree: treeB})
	is("when the change was undone", contracts.VerdictProven)
	s.do(contracts.RequestChanges{ArtifactID: art.ArtifactID, Instructions: "Again."})
	s.wait("the second attempt starts", func() bool { return task.Attempt == 2 })
	is("while the agent works again", "")
	s.checkReplay()
}

// Facts about worktrees and checks that do not fit the task are refused.
func TestProofIsRefused(t *testing.T) {
	s, task := inShopRepo(t, "unit")
	id := task.TaskID
	other := worktree("unit")
	other.Repo = "docs"
	twice := worktree("unit", "unit")
	weaker := ran("unit", treeA, 1)
	weaker.Command = "true"
	for name, f := range map[string]contracts.Fact{
		"another repository":     contracts.TaskPrepared{TaskID: id, Attempt: 1, Worktree: other},
		"a check twice":          contracts.TaskPrepared{TaskID: id, Attempt: 1, Worktree: twice},
		"an old attempt":         contracts.TaskPrepared{TaskID: id, Attempt: 0, Worktree: worktree("unit")},
		"an unknown check":       contracts.CheckRan{TaskID: id, Attempt: 1, Result: ran("mine", treeA, 1)},
		"another command":        contracts.CheckRan{TaskID: id, Attempt: 1, Result: weaker},
		"a check without a tree": contracts.CheckRan{TaskID: id, Attempt: 1, Result: ran("unit", "", 1)},
		"a check of attempt 2":   contracts.CheckRan{TaskID: id, Attempt: 2, Result: ran("unit", treeA, 1)},
		"no tree":                contracts.TreeSeen{TaskID: id, Tree: "x"},
		"an unknown task":        contracts.TreeSeen{TaskID: "task_t99", Tree: treeA},
		"a patch without a tree": contracts.RunDelivered{TaskID: id, Attempt: 1, Artifacts: []contracts.ArtifactDraft{{Type: "patch", Base: base}}},
	} {
		before := s.w.Seq()
		if refusal := s.tell(f); refusal == nil || s.w.Seq() != before {
			t.Errorf("%s was accepted", name)
		}
	}
}
