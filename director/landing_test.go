package director_test

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/world"
)

func land(task *world.Task) contracts.LandTask {
	return contracts.LandTask{TaskID: task.TaskID, How: contracts.LandMerge}
}

// approved returns an office with an approved task. The task's check has passed if proven is true.
func approved(t *testing.T, proven bool) (*rig, *world.Task) {
	s, task := inShopRepo(t, "unit")
	if proven {
		s.must(contracts.CheckRan{TaskID: task.TaskID, Attempt: 1, Result: ran("unit", treeA, 1)})
	}
	s.do(contracts.ApproveArtifact{ArtifactID: s.deliverPatch(task, treeA).ArtifactID})
	return s, task
}

// Proven and approved work is landed once, and its project is not archived until then.
func TestLanding(t *testing.T) {
	s, task := inShopRepo(t, "unit")
	s.must(contracts.CheckRan{TaskID: task.TaskID, Attempt: 1, Result: ran("unit", treeA, 1)})
	art := s.deliverPatch(task, treeA)
	s.refuse(contracts.CodeConflict, land(task))
	s.do(contracts.ApproveArtifact{ArtifactID: art.ArtifactID})
	s.pass(24 * time.Hour)
	if s.w.Task(task.TaskID) == nil {
		t.Fatal("the project was archived before its work was landed")
	}
	s.caller.Permit = false
	s.refuse(contracts.CodeNotAllowed, land(task))
	s.caller.Permit = true

	dry := land(task)
	dry.DryRun = true
	s.do(dry)
	s.refuse(contracts.CodeConflict, land(task))
	s.must(contracts.Landed{TaskID: task.TaskID, Number: 1, Target: "main"})
	if task.Landing.Status != contracts.LandChecked || !task.Unlanded() {
		t.Errorf("after a dry run: %+v", task.Landing)
	}

	s.do(land(task))
	after := s.w.Seq()
	s.must(contracts.Landed{TaskID: task.TaskID, Number: 1, Target: "main", Commit: treeB}) // a late report about the dry run
	if s.w.Seq() != after {
		t.Error("a repeated outcome was recorded again")
	}
	s.must(contracts.Landed{TaskID: task.TaskID, Number: 2, Target: "main", Commit: treeB})
	want := &contracts.Landing{Number: 2, How: contracts.LandMerge, Tree: treeA, Status: contracts.LandDone, By: "tok_ada", Target: "main", Commit: treeB}
	if diff := cmp.Diff(want, task.Landing); diff != "" {
		t.Error(diff)
	}
	after = s.w.Seq()
	s.must(contracts.Landed{TaskID: task.TaskID, Number: 2, Target: "main", Commit: treeB})
	s.must(contracts.LandingFailed{TaskID: task.TaskID, Number: 2, Reason: "late"})
	if s.w.Seq() != after {
		t.Error("an outcome was recorded after the landing ended")
	}
	s.refuse(contracts.CodeConflict, land(task))
	s.pass(time.Hour)
	if s.w.Task(task.TaskID) != nil {
		t.Error("the project is not archived after its work was landed")
	}
	s.checkReplay()
}

// A caller without the operator credential cannot approve a patch, but can approve other artifacts.
func TestApprovingAPatchNeedsTheOperator(t *testing.T) {
	s, task := inShopRepo(t)
	art := s.deliverPatch(task, treeA)
	s.caller.Permit = false
	s.refuse(contracts.CodeNotAllowed, contracts.ApproveArtifact{ArtifactID: art.ArtifactID})
	s.refuse(contracts.CodeNotAllowed, contracts.SplitIntoTasks{ArtifactID: art.ArtifactID, TaskTitles: []string{"Test it"}})
	s.caller.Permit = true
	s.do(contracts.ApproveArtifact{ArtifactID: art.ArtifactID})

	s, task = inShopRepo(t)
	s.caller.Permit = false
	s.do(contracts.ApproveArtifact{ArtifactID: s.deliver(task).ArtifactID})
}

// Work that is not proven is landed only if the command accepts unproven work.
func TestLandingUnproven(t *testing.T) {
	s, task := approved(t, false)
	s.refuse(contracts.CodeConflict, land(task))
	anyway := land(task)
	anyway.AcceptUnproven = true
	s.do(anyway)
	if !task.Landing.Unproven {
		t.Error("the landing does not say that the work is unproven")
	}
	s.must(contracts.LandingFailed{TaskID: task.TaskID, Number: 1, Reason: "main has moved"})
	if task.Landing.Status != contracts.LandFailed || s.w.Made().Tasks != 1 {
		t.Errorf("%+v, %d tasks", task.Landing, s.w.Made().Tasks)
	}
	s.checkReplay()
}

// Files that changed after the approval are not landed. This holds even if the files were proven
// before, if a landing has failed, or if the office itself merged them with the target branch.
func TestLandingUnapproved(t *testing.T) {
	s, task := inShopRepo(t, "unit")
	for i, tree := range []string{treeB, treeA} {
		s.must(contracts.CheckRan{TaskID: task.TaskID, Attempt: 1, Result: ran("unit", tree, int64(i+1))})
	}
	s.do(contracts.ApproveArtifact{ArtifactID: s.deliverPatch(task, treeA).ArtifactID})
	s.must(contracts.TreeSeen{TaskID: task.TaskID, Tree: treeB})
	anyway := land(task)
	anyway.AcceptUnproven = true
	s.refuse(contracts.CodeConflict, land(task))
	s.refuse(contracts.CodeConflict, anyway)
	s.must(contracts.TreeSeen{TaskID: task.TaskID, Tree: treeA})
	s.do(land(task))
	s.must(contracts.TreeSeen{TaskID: task.TaskID, Tree: treeB})
	s.must(contracts.LandingFailed{TaskID: task.TaskID, Number: 1, Reason: "a file is in the way"})
	s.refuse(contracts.CodeConflict, land(task))
	merged := contracts.TreeSeen{TaskID: task.TaskID, Tree: treeB, Base: treeA}
	if s.tell(merged) == nil {
		t.Error("files were merged although no landing was requested")
	}
	s.must(contracts.TreeSeen{TaskID: task.TaskID, Tree: treeA})
	s.do(land(task))
	s.must(merged)
	after := s.w.Seq()
	s.must(merged)
	if s.w.Seq() != after || task.Worktree.Base != treeA {
		t.Errorf("the base is %s, want %s; recorded again: %v", task.Worktree.Base, treeA, s.w.Seq() != after)
	}
	if s.tell(contracts.LandingFailed{TaskID: task.TaskID, Number: 2, Reason: "main had new commits", Patch: patchOf(treeA, treeA)}) == nil {
		t.Error("files that the office did not merge are a new version")
	}
	s.must(contracts.LandingFailed{TaskID: task.TaskID, Number: 2, Reason: "main had new commits"})
	s.refuse(contracts.CodeConflict, anyway)
	s.checkReplay()
}

func patchOf(tree, base string) *contracts.ArtifactDraft {
	return &contracts.ArtifactDraft{Type: contracts.ArtifactPatch, Title: "Fix", SHA256: "hash", Tree: tree, Base: base, Stat: &contracts.DiffStat{Files: 1}}
}

// Merging new commits from the target branch into the files creates a new version of the patch. The
// project is open again until a person approves that version. Only that version can then be landed.
func TestLandingAfterAnUpdate(t *testing.T) {
	s, task := approved(t, true)
	s.pass(time.Hour)
	before := s.w.Seq()
	s.do(land(task))
	s.must(contracts.TreeSeen{TaskID: task.TaskID, Tree: treeB, Base: treeA})
	s.must(contracts.CheckRan{TaskID: task.TaskID, Attempt: 1, Result: ran("unit", treeB, 2)})
	s.must(contracts.LandingFailed{TaskID: task.TaskID, Number: 1, Reason: "main had new commits", Patch: patchOf(treeB, treeA)})
	old, art := s.w.Artifact("art_a1"), s.w.Artifact("art_a2")
	if old.Status != contracts.ArtifactSuperseded || art == nil || art.Status != contracts.ArtifactInReview || art.Parent != old.ArtifactID || art.Version != 2 || art.Base != treeA || art.Title != old.Title || art.CreatedBy != old.CreatedBy {
		t.Fatalf("the approved version is %s, the new one is %+v", old.Status, art)
	}
	s.verdict(task, "after the checks ran again", contracts.VerdictProven)
	s.pass(30 * 24 * time.Hour)
	s.refuse(contracts.CodeConflict, land(task))
	s.do(contracts.ApproveArtifact{ArtifactID: art.ArtifactID})
	s.do(land(task))
	s.must(contracts.Landed{TaskID: task.TaskID, Number: 2, Target: "main", Commit: base})
	if task.Landing.Tree != treeB || !slices.Contains(s.events(before), contracts.EventProjectCompleted) {
		t.Errorf("landed %+v after %v", task.Landing, s.events(before))
	}
	s.checkReplay()
}

// Conflicts become a task for the agent that did the work.
func TestLandingConflicts(t *testing.T) {
	s, task := approved(t, true)
	s.do(land(task))
	s.must(contracts.LandingFailed{TaskID: task.TaskID, Number: 1, Reason: "conflicts with main", Conflicts: []string{"b.go", "a.go", "b.go"}})
	if diff := cmp.Diff([]string{"a.go", "b.go"}, task.Landing.Conflicts); diff != "" {
		t.Error(diff)
	}
	next := s.w.Task("task_t2")
	if next == nil || next.RerunOf != task.TaskID || next.Kind != task.Kind {
		t.Fatalf("no task to resolve the conflicts: %+v", next)
	}
	if next.Assignee != task.Assignee {
		t.Errorf("the conflicts went to %q, want %s", next.Assignee, task.Assignee)
	}
	s.checkReplay()
}

// A collision is recorded once for each set of paths, shown on its tasks, and forgotten when one of
// these tasks ends.
func TestCollisions(t *testing.T) {
	s, first := inShopRepo(t)
	second := s.begin(contracts.KindCopy, "agent_writer_1")
	s.must(contracts.TaskPrepared{TaskID: second.TaskID, Attempt: 1, Worktree: worktree()})
	seen := func(paths ...string) (recorded int) {
		t.Helper()
		before := len(s.recs)
		s.must(contracts.CollisionSeen{TaskIDs: []string{second.TaskID, first.TaskID}, Paths: paths})
		return len(s.recs) - before
	}
	shown := func() int { return len(s.w.TaskRow(first).Collisions) + len(s.w.TaskRow(second).Collisions) }
	for _, c := range []struct {
		paths           []string
		recorded, shown int
	}{
		{nil, 0, 0},
		{[]string{"b", "a"}, 1, 2},
		{[]string{"a", "b"}, 0, 2},
		{[]string{"a"}, 1, 2},
		{nil, 1, 0},
		{[]string{"a"}, 1, 2},
	} {
		if got := seen(c.paths...); got != c.recorded || shown() != c.shown {
			t.Errorf("%q: %d recorded, %d shown; want %d and %d", c.paths, got, shown(), c.recorded, c.shown)
		}
	}
	if refusal := s.tell(contracts.CollisionSeen{TaskIDs: []string{first.TaskID}, Paths: []string{"a"}}); refusal == nil {
		t.Error("a task collides with itself")
	}
	s.do(contracts.CancelTask{TaskID: second.TaskID, Confirm: true})
	if shown() != 0 {
		t.Error("a cancelled task still collides")
	}
	s.checkReplay()
}
