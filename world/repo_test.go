package world_test

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/world"
	"github.com/bullpen-office/bullpen/world/scene"
)

var checks = []contracts.Check{{Name: "unit", Command: "make test"}, {Name: "lint", Command: "make lint"}, {Name: "slow", Command: "make slow", Optional: true}}

// prepare applies the records that create task_t1, a task with a worktree.
func prepare(apply func(contracts.Body)) {
	apply(opened())
	apply(submitted("proj_p1"))
	apply(&contracts.Event{Name: contracts.EventTasksCreated, ProjectID: "proj_p1", Tasks: []contracts.Task{{TaskID: "task_t1", ProjectID: "proj_p1"}}})
	apply(&contracts.Event{Name: contracts.EventTaskPrepared, TaskID: "task_t1", Worktree: &contracts.Worktree{Repo: "shop", Checks: checks}})
}

func finished(c contracts.Check, tree string, code int) contracts.Body {
	return &contracts.Event{Name: contracts.EventCheckFinished, TaskID: "task_t1", Check: &contracts.CheckResult{
		Name: c.Name, Command: c.Command, Optional: c.Optional, End: contracts.EndExited, ExitCode: code, Tree: tree, TreeAfter: tree}}
}

// For random histories of edits, checks and deliveries, the verdict matches a simple model: a map
// from each check and tree to its last outcome.
func TestVerdictEqualsTheModel(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		w, seq := world.New(scene.Default()), uint64(0)
		apply := func(b contracts.Body) {
			seq++
			rec, err := contracts.NewRecord(seq, int64(seq), "", b)
			if err == nil {
				err = w.Apply(rec)
			}
			if err != nil {
				rt.Fatal(err)
			}
		}
		prepare(apply)
		type run struct{ check, tree string }
		passed := map[run]bool{}
		now := ""
		for range rapid.IntRange(0, 40).Draw(rt, "steps") {
			tree := fmt.Sprint("tree", rapid.IntRange(0, 3).Draw(rt, "tree"))
			switch rapid.IntRange(0, 7).Draw(rt, "step") {
			case 0:
				apply(&contracts.Event{Name: contracts.EventTaskTreeChanged, TaskID: "task_t1", Tree: tree})
			case 1:
				id := fmt.Sprint("art_a", seq)
				apply(&contracts.Event{Name: contracts.EventArtifactCreated, ArtifactID: id, Artifact: &contracts.Artifact{ArtifactID: id, TaskID: "task_t1", Tree: tree}})
			case 2:
				apply(&contracts.Event{Name: contracts.EventTaskStarted, TaskID: "task_t1"})
				tree = ""
			case 3: // a check that did not run changes nothing
				e := finished(rapid.SampledFrom(checks).Draw(rt, "check"), tree, -1).(*contracts.Event)
				e.Check.End, e.Check.TreeAfter = contracts.EndNotRun, ""
				apply(e)
			default:
				c := rapid.SampledFrom(checks).Draw(rt, "check")
				code := rapid.IntRange(0, 1).Draw(rt, "code")
				apply(finished(c, tree, code))
				passed[run{c.Name, tree}] = code == 0
			}
			now = tree
		}
		unit, unitRan := passed[run{"unit", now}]
		lint, lintRan := passed[run{"lint", now}]
		want := contracts.VerdictOnlySaid
		switch {
		case now == "":
			want = ""
		case unitRan && !unit || lintRan && !lint:
			want = contracts.VerdictFailed
		case unit && lint:
			want = contracts.VerdictProven
		case unit || lint:
			want = contracts.VerdictPartly
		}
		row := w.TaskRow(w.Task("task_t1"))
		if row.Verdict != want {
			rt.Fatalf("the verdict on %q is %q, want %q", now, row.Verdict, want)
		}
		for _, r := range row.Checks {
			if ran, known := passed[run{r.Name, now}]; known && (r.Tree != now || (r.ExitCode == 0) != ran) {
				rt.Fatalf("%s is shown with its result on %q, but the files are %q", r.Name, r.Tree, now)
			}
		}
	})
}

// The size of a task's stored check results is bounded, and a result for the current files is never
// dropped.
func TestChecksAreBounded(t *testing.T) {
	w, seq := world.New(scene.Default()), uint64(0)
	apply := func(b contracts.Body) {
		seq++
		rec, err := contracts.NewRecord(seq, 1, "", b)
		if err == nil {
			err = w.Apply(rec)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	prepare(apply)
	size := 0
	for n := range 20 * contracts.LimitCheckResults {
		apply(finished(checks[0], fmt.Sprintf("tree%05d", n), 0))
		apply(finished(checks[1], fmt.Sprintf("tree%05d", n), 0))
		if got := w.Task("task_t1").Verdict(); got != contracts.VerdictProven {
			t.Fatalf("after %d edits: %s", n, got)
		}
		if n == contracts.LimitCheckResults {
			b, _ := w.Encode()
			size = len(b)
		}
	}
	b, err := w.Encode()
	if err != nil || len(b) > size+64 {
		t.Errorf("the world grew from %d to %d bytes, %v", size, len(b), err)
	}
	if got := len(w.Task("task_t1").Results); got > contracts.LimitCheckResults {
		t.Errorf("%d results are kept", got)
	}
	apply(&contracts.Event{Name: contracts.EventTaskPrepared, TaskID: "task_t1", Worktree: &contracts.Worktree{Repo: "shop", Checks: checks[:1]}})
	if row := w.TaskRow(w.Task("task_t1")); row.Verdict != contracts.VerdictProven || len(row.Checks) != 1 {
		t.Errorf("with one check left: %s, %d results", row.Verdict, len(row.Checks))
	}
}
