package director_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/world"
)

const pullURL = "https://example.org/shop/pull/1"

// pulled returns an office with a proven task whose pull request is open.
func pulled(t *testing.T) (*rig, *world.Task) {
	s, task := approved(t, true)
	s.do(contracts.LandTask{TaskID: task.TaskID, How: contracts.LandPull})
	s.must(opened(task))
	return s, task
}

func opened(task *world.Task) contracts.PullOpened {
	return contracts.PullOpened{TaskID: task.TaskID, Number: 1, Pull: contracts.PullRequest{Remote: "https://example.org/shop.git", URL: pullURL, Head: treeB}}
}

// hosted returns the result of a check that the git host of the pull request ran.
func hosted(task *world.Task, name string, code int) contracts.CheckRan {
	r := ran(name, treeA, 5)
	r.Command, r.ExitCode, r.By = pullURL, code, contracts.ByPullRequest
	return contracts.CheckRan{TaskID: task.TaskID, Attempt: task.Attempt, Result: r}
}

// A pull request stays open until it is merged, and the same work cannot be landed in another way.
func TestPullRequest(t *testing.T) {
	s, task := approved(t, false)
	pull := contracts.LandTask{TaskID: task.TaskID, How: contracts.LandPull}
	s.refuse(contracts.CodeConflict, pull) // not proven
	pull.DryRun = true
	s.do(pull)
	s.must(contracts.PullOpened{TaskID: task.TaskID, Number: 1, Pull: contracts.PullRequest{Remote: "https://example.org/shop.git"}})
	if task.Landing.Status != contracts.LandChecked || !task.Unlanded() {
		t.Errorf("after a dry run: %+v", task.Landing)
	}

	s, task = pulled(t)
	after := s.w.Seq()
	s.must(opened(task))
	if s.w.Seq() != after || !task.Unlanded() {
		t.Error("a repeated report was recorded again, or ended the landing")
	}
	s.refuse(contracts.CodeConflict, land(task))
	pull.TaskID = task.TaskID
	s.refuse(contracts.CodeConflict, pull)
	s.must(contracts.Landed{TaskID: task.TaskID, Number: 1, Target: "main", Commit: treeA})
	want := &contracts.Landing{Number: 1, How: contracts.LandPull, Tree: treeA, Status: contracts.LandDone, By: "tok_ada", Target: "main", Commit: treeA,
		Pull: &contracts.PullRequest{Remote: "https://example.org/shop.git", URL: pullURL, Head: treeB}}
	if diff := cmp.Diff(want, task.Landing); diff != "" {
		t.Error(diff)
	}
	s.checkReplay()
}

// A closed pull request counts as a failed landing, after which the work can be landed in any way.
func TestPullRequestClosed(t *testing.T) {
	s, task := pulled(t)
	again := contracts.LandTask{TaskID: task.TaskID, How: contracts.LandPull}
	s.do(again) // updates the pull request
	s.must(contracts.PullOpened{TaskID: task.TaskID, Number: 2, Pull: opened(task).Pull})
	s.must(contracts.LandingFailed{TaskID: task.TaskID, Number: 2, Reason: "closed"})
	if task.Landing.Status != contracts.LandFailed {
		t.Errorf("%+v", task.Landing)
	}
	s.do(land(task))
	if refusal := s.tell(contracts.PullOpened{TaskID: task.TaskID, Number: 3, Pull: opened(task).Pull}); refusal == nil {
		t.Error("a merge became a pull request")
	}
	s.checkReplay()
}

// An open pull request must have a commit and an address that is safe to open.
func TestPullRequestInvalid(t *testing.T) {
	s, task := approved(t, true)
	s.do(contracts.LandTask{TaskID: task.TaskID, How: contracts.LandPull})
	for _, pull := range []contracts.PullRequest{
		{URL: "", Head: treeB}, {URL: "javascript:alert(1)", Head: treeB}, {URL: pullURL + "\n", Head: treeB}, {URL: pullURL}, {URL: pullURL, Head: "main"},
	} {
		if refusal := s.tell(contracts.PullOpened{TaskID: task.TaskID, Number: 1, Pull: pull}); refusal == nil {
			t.Errorf("%+v was accepted", pull)
		}
	}
	s.checkReplay()
}

// A check run by the pull request's git host can fail the work but cannot prove it, and does not
// replace the office's own check.
func TestHostedChecks(t *testing.T) {
	s, task := pulled(t)
	s.must(hosted(task, "unit", 0))
	after := s.w.Seq()
	s.must(hosted(task, "unit", 0))
	if s.w.Seq() != after {
		t.Error("a repeated result was recorded again")
	}
	row := s.w.TaskRow(task)
	if row.Verdict != contracts.VerdictProven || len(row.Checks) != 2 || row.Checks[0].Hosted() || !row.Checks[1].Hosted() {
		t.Errorf("%s, %+v", row.Verdict, row.Checks)
	}
	s.must(hosted(task, "build", 1))
	if got := task.Verdict(); got != contracts.VerdictFailed {
		t.Errorf("after a failed check of the git host: %s", got)
	}
	s.must(hosted(task, "build", 0)) // run again
	s.must(contracts.TreeSeen{TaskID: task.TaskID, Tree: treeB})
	s.must(hosted(task, "build", 1))
	if task.Tree != treeB || task.Verdict() != contracts.VerdictOnlySaid {
		t.Errorf("a check of the pushed files changed the verdict on %s to %s", task.Tree, task.Verdict())
	}
	wrong := hosted(task, "unit", 0)
	wrong.Result.Tree = treeB
	other := hosted(task, "unit", 0)
	other.Result.Command += "2"
	unnamed := hosted(task, " ", 0)
	for _, f := range []contracts.CheckRan{wrong, other, unnamed} {
		if refusal := s.tell(f); refusal == nil {
			t.Errorf("%+v was accepted", f.Result)
		}
	}
	for i := range contracts.LimitChecks - 2 {
		s.must(hosted(task, fmt.Sprint("check ", i), 0))
	}
	if refusal := s.tell(hosted(task, "one more", 0)); refusal == nil {
		t.Error("there is no limit")
	}
	s.checkReplay()
}

// Failed checks of a pull request send the task back to its agent, with their output, once for each
// landing and at most contracts.LimitCheckRounds times; then a person is notified.
func TestPullFailed(t *testing.T) {
	s, task := pulled(t)
	fail := func(number int) {
		t.Helper()
		for range 2 { // reported twice
			s.must(contracts.PullFailed{TaskID: task.TaskID, Number: number, Checks: []string{"CI / test"}, Report: "the output"})
		}
	}
	for number := 1; number <= contracts.LimitCheckRounds; number++ {
		s.pass(time.Hour) // the project is completed
		fail(number)
		if task.Status != contracts.TaskReview || task.Instructions != "the output" || task.Returns != number || task.Landing.Status != contracts.LandOpen || task.Landing.Reason != "pull request checks failed: CI / test" {
			t.Fatalf("round %d: %s, %d returns, %q, %+v", number, task.Status, task.Returns, task.Instructions, task.Landing)
		}
		s.wait("the agent works again", func() bool { return task.Status == contracts.TaskInProgress && task.Attempt == number+1 })
		s.do(contracts.ApproveArtifact{ArtifactID: s.deliverPatch(task, treeA).ArtifactID})
		s.do(contracts.LandTask{TaskID: task.TaskID, How: contracts.LandPull, AcceptUnproven: true})
		s.must(contracts.PullOpened{TaskID: task.TaskID, Number: number + 1, Pull: opened(task).Pull})
	}
	fail(contracts.LimitCheckRounds + 1)
	if said := s.lastChat().Text; task.Status != contracts.TaskDone || !strings.Contains(said, "failed: CI / test") || !strings.Contains(said, pullURL) {
		t.Errorf("after %d rounds: %s, %q", contracts.LimitCheckRounds, task.Status, said)
	}
	s.must(contracts.Landed{TaskID: task.TaskID, Number: contracts.LimitCheckRounds + 1, Target: "main", Commit: treeA})
	if task.Landing.Reason != "" {
		t.Errorf("a landed task still says %q", task.Landing.Reason)
	}
	s.checkReplay()
}

// A task whose files changed after they were pushed is not sent back to its agent, and a failure
// report is refused unless the pull request is open.
func TestPullFailedElsewhere(t *testing.T) {
	report := func(task *world.Task) contracts.PullFailed {
		return contracts.PullFailed{TaskID: task.TaskID, Number: 1, Checks: []string{"CI / test"}, Report: "the output"}
	}
	s, task := pulled(t)
	for _, f := range []contracts.PullFailed{{TaskID: task.TaskID, Number: 1, Report: "no names"}, {TaskID: task.TaskID, Number: 1, Checks: []string{"a"}}} {
		if refusal := s.tell(f); refusal == nil {
			t.Errorf("%+v was accepted", f)
		}
	}
	s.must(contracts.TreeSeen{TaskID: task.TaskID, Tree: treeB})
	s.must(report(task))
	if task.Status != contracts.TaskDone || task.Landing.Reason == "" {
		t.Errorf("%s, %+v", task.Status, task.Landing)
	}
	s, task = approved(t, true)
	s.do(contracts.LandTask{TaskID: task.TaskID, How: contracts.LandPull})
	if refusal := s.tell(report(task)); refusal == nil {
		t.Error("a pull request failed before it was open")
	}
	s.checkReplay()
}

// Checks that the git host of a pull request ran do not prove work that has no checks of its own.
func TestHostedChecksAlone(t *testing.T) {
	s, task := approved(t, false)
	s.do(contracts.LandTask{TaskID: task.TaskID, How: contracts.LandPull, AcceptUnproven: true})
	s.must(opened(task))
	s.must(hosted(task, "unit", 0))
	if got := task.Verdict(); got != contracts.VerdictOnlySaid {
		t.Error(got)
	}
}
