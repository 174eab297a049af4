package tui

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/model"
	"github.com/bullpen-office/bullpen/tui/link"
)

var tree, otherTree = strings.Repeat("a", 40), strings.Repeat("b", 40)

// rows sends a snapshot.
func (s *stage) rows(snap contracts.Snapshot) {
	s.t.Helper()
	snap.Mode, snap.Seq = "full", s.office.Seq+1
	s.tell(link.Update{Messages: []model.Message{{Type: contracts.TypeSnapshot, ID: fmt.Sprint("snap_", snap.Seq), TS: s.now.UnixMilli(), Seq: snap.Seq, Payload: &snap}}})
}

// provenTask returns an approved task whose two checks passed.
func provenTask() contracts.Task {
	checks := []contracts.Check{{Name: "test", Command: "make test"}, {Name: "lint", Command: "make lint", Optional: true}}
	result := func(name string) contracts.CheckResult {
		return contracts.CheckResult{Name: name, Command: "make " + name, End: contracts.EndExited, Tree: tree, TreeAfter: tree, DurationMS: 2100}
	}
	return contracts.Task{
		TaskID: "task_1", ProjectID: "proj_1", Title: "Round the sum", Status: contracts.TaskDone, Tree: tree, Verdict: contracts.VerdictProven,
		Worktree: &contracts.Worktree{Repo: "shop", Base: otherTree, Target: "main", Checks: checks}, Checks: []contracts.CheckResult{result("test"), result("lint")},
	}
}

// delivered shows the deliverable of a task.
func delivered(t *testing.T, task contracts.Task) *stage {
	t.Helper()
	s := newStage(t, 100, 40)
	s.live(true)
	other := contracts.Task{TaskID: "task_2", ProjectID: "proj_1", Title: "Change the tax", Status: contracts.TaskInProgress}
	s.rows(contracts.Snapshot{
		Projects:  []contracts.Project{{ProjectID: "proj_1", Title: "Shop", Status: contracts.ProjectExecuting}},
		Tasks:     []contracts.Task{task, other},
		Artifacts: []contracts.Artifact{{ArtifactID: "art_1", ProjectID: "proj_1", TaskID: "task_1", Type: "patch", MIME: contracts.MIMEPatch, Version: 1, Status: contracts.ArtifactApproved}},
	})
	s.conn.texts["/v1/artifacts/art_1/content"] = patch
	s.run(s.openArtifact("art_1"), 0)
	return s
}

// TestReceipt checks that V shows what a verdict is based on.
func TestReceipt(t *testing.T) {
	task := provenTask()
	task.Verdict, task.Checks[0].Tree, task.Checks[0].TreeAfter = contracts.VerdictOnlySaid, otherTree, otherTree
	task.Checks[1].ExitCode = 2
	task.Collisions = []contracts.Collision{{TaskIDs: []string{"task_1", "task_2"}, Paths: []string{"cart.ts"}}}
	task.Landing = &contracts.Landing{Number: 1, Status: contracts.LandFailed, Reason: "Conflicts:", Conflicts: []string{"tax.ts"}}
	s := delivered(t, task)
	s.says("○ ONLY SAID", "V Receipt")
	s.keys("v")
	s.says("No required check ran on these files.", "tree aaaaaaaa, from commit bbbbbbbb", "○ passed, but on other files  test", "2.1 s · tree bbbbbbbb", "$ make test",
		"✗ failed: exit code 2  lint  optional", "“Change the tax” edits the same files: cart.ts", "Not landed: Conflicts: tax.ts")
}

// TestCheckOutput checks that a number key on the receipt shows the end of that check's output.
func TestCheckOutput(t *testing.T) {
	task := provenTask()
	task.Checks[1].LogSHA256 = strings.Repeat("c", 64)
	s := delivered(t, task)
	s.keys("v")
	s.says("2 Output")
	s.keys("1") // the first check printed nothing
	s.says("Verdict")
	s.conn.texts["/v1/tasks/task_1/checks/lint/output"] = strings.Repeat("fine\n", 100) + "cart.ts:3: unused\n"
	s.keys("2")
	s.says("Output of lint", "cart.ts:3: unused")
	s.keys("esc")
	s.keys("v")
	delete(s.conn.texts, "/v1/tasks/task_1/checks/lint/output")
	s.keys("2")
	s.says("The office could not send the output")
}

// TestReceiptOfUnprovenFiles checks that the receipt explains why nothing can be proven.
func TestReceiptOfUnprovenFiles(t *testing.T) {
	task := provenTask()
	task.Verdict = contracts.VerdictOnlySaid
	for i := range task.Checks {
		r := &task.Checks[i]
		r.End, r.ExitCode, r.TreeAfter, r.Reason = contracts.EndNotRun, -1, "", "There is a repository inside: lib."
	}
	s := delivered(t, task)
	s.keys("v")
	s.says("has not run", "There is a repository inside: lib.")
}

// TestLanding checks that approved work can be landed, and that unproven work must be accepted
// explicitly.
func TestLanding(t *testing.T) {
	for _, verdict := range []contracts.Verdict{contracts.VerdictProven, contracts.VerdictPartly} {
		task := provenTask()
		task.Verdict = verdict
		s := delivered(t, task)
		s.says(contracts.VerdictWords[verdict], "M Land in main")
		s.keys("m", "down", "enter")
		want := []contracts.CommandData{contracts.LandTask{TaskID: "task_1", How: contracts.LandSquash, AcceptUnproven: verdict != contracts.VerdictProven}}
		if diff := cmp.Diff(want, s.conn.done[len(s.conn.done)-1:]); diff != "" {
			t.Errorf("%s: commands (-want +got):\n%s", verdict, diff)
		}
	}
	s := delivered(t, provenTask())
	s.keys("m", "down", "down", "down", "enter")
	if diff := cmp.Diff([]contracts.CommandData{contracts.LandTask{TaskID: "task_1", How: contracts.LandPull}}, s.conn.done[len(s.conn.done)-1:]); diff != "" {
		t.Errorf("commands (-want +got):\n%s", diff)
	}
	task := provenTask()
	task.Landing = &contracts.Landing{Number: 1, Status: contracts.LandDone, Target: "main", Commit: otherTree}
	s = delivered(t, task)
	s.lacks("M Land in main")
	s.keys("v")
	s.says("Landed in main as bbbbbbbb")
}

// TestDryRun checks that a landing can be tried as a dry run, and that the outcome is shown.
func TestDryRun(t *testing.T) {
	task := provenTask()
	task.Verdict = contracts.VerdictPartly
	s := delivered(t, task)
	s.keys("m", "end", "enter", "m", "end", "up", "enter")
	want := []contracts.CommandData{contracts.LandTask{TaskID: "task_1", How: contracts.LandPull, DryRun: true}, contracts.LandTask{TaskID: "task_1", How: contracts.LandMerge, DryRun: true}}
	if diff := cmp.Diff(want, s.conn.done[len(s.conn.done)-2:]); diff != "" {
		t.Errorf("commands (-want +got):\n%s", diff)
	}
	for status, words := range map[contracts.LandingStatus]string{
		contracts.LandRequested: "Dry run…", contracts.LandChecked: "Dry run: the work can be landed in main.", contracts.LandFailed: "Dry run: the work cannot be landed. Conflicts: tax.ts",
	} {
		task.Landing = &contracts.Landing{Number: 1, DryRun: true, Status: status, Target: "main"}
		if status == contracts.LandFailed {
			task.Landing.Reason, task.Landing.Conflicts = "Conflicts:", []string{"tax.ts"}
		}
		s := delivered(t, task)
		s.keys("v")
		s.says(words)
	}
	const remote, url = "https://example.org/shop.git", "https://example.org/shop/pull/1"
	for words, pull := range map[string]contracts.PullRequest{"request against main.": {Remote: remote}, url: {Remote: remote, URL: url}} {
		task.Landing = &contracts.Landing{Number: 1, How: contracts.LandPull, DryRun: true, Status: contracts.LandChecked, Target: "main", Pull: &pull}
		s := delivered(t, task)
		s.keys("v")
		s.says("Dry run: the work can be pushed to "+remote+" as", words)
	}
}

// TestUpdatePull checks that an open pull request shows which checks failed, and can be updated
// once the task's files have changed.
func TestUpdatePull(t *testing.T) {
	task := provenTask()
	task.Landing = &contracts.Landing{Number: 1, How: contracts.LandPull, Tree: otherTree, Status: contracts.LandOpen, Reason: "pull request checks failed: CI / test", Pull: &contracts.PullRequest{URL: "https://example.org/shop/pull/1"}}
	s := delivered(t, task)
	s.keys("m", "end", "enter")
	if diff := cmp.Diff([]contracts.CommandData{contracts.LandTask{TaskID: "task_1", How: contracts.LandPull}}, s.conn.done[len(s.conn.done)-1:]); diff != "" {
		t.Errorf("commands (-want +got):\n%s", diff)
	}
	s.keys("v")
	s.says("pull request checks failed: CI / test")
}

// TestPullRequest checks that the receipt shows an open pull request and the checks that the git
// host ran on it, even if one has the same name as a check that did not run here.
func TestPullRequest(t *testing.T) {
	task := provenTask()
	const url = "https://example.org/shop/pull/1"
	task.Landing = &contracts.Landing{Number: 1, How: contracts.LandPull, Tree: tree, Status: contracts.LandOpen, Pull: &contracts.PullRequest{URL: url}}
	hosted := func(name string, code int, tree string) contracts.CheckResult {
		return contracts.CheckResult{Name: name, Command: url, End: contracts.EndExited, ExitCode: code, Tree: tree, TreeAfter: tree, DurationMS: 3000, By: contracts.ByPullRequest}
	}
	task.Checks = []contracts.CheckResult{hosted("test", 0, tree), hosted("build", 1, tree), hosted("docs", 0, otherTree)}
	s := delivered(t, task)
	s.lacks("M Land in main")
	s.keys("v")
	s.says("○ has not run  test", "✓ passed in the pull request  test  3.0 s · tree aaaaaaaa", "✗ failed in the pull request  build", "○ passed in the pull request, but on other files  docs", "Pull request open: "+url)
}

// TestRequestWithAcceptanceChecks checks that acceptance checks are added and removed in the menu
// of a request in a repository, that an invalid check is refused with an explanation, and that the
// checks are sent.
func TestRequestWithAcceptanceChecks(t *testing.T) {
	s := newStage(t, 100, 40)
	s.live(true)
	s.rows(contracts.Snapshot{Repos: []contracts.Repo{{Name: "shop", Path: "/src/shop"}}})
	s.run(s.compose(s.newRequest()), 0)
	s.keys(`"Fix it"`, "tab")
	if strings.Contains(s.shown(), contracts.SayHowDone) {
		t.Error("acceptance checks are offered without a repository")
	}
	s.keys("down", "enter")
	s.says(contracts.SayHowDone, "+ A command succeeds", "+ A person approves it")
	s.keys("down", "down", "enter", `"../cart.md"`, "enter")
	s.says(`acceptance check "file: ../cart.md": use the path of a file in the repository`)
	s.keys("backspace", "backspace", "backspace", "backspace", "backspace", "backspace", "backspace", "backspace", "backspace", "backspace", `"cart.md"`, "enter")
	s.says("file: cart.md", "Fix it")
	s.keys("down", "enter", `"make lint"`, "enter")
	s.says("cmd: make lint")
	s.keys("enter", "end", "up", "up", "up", "up", "up", "up", "up", "up", "up", "up", "esc")
	s.says("in shop · 1 acceptance check")
	s.keys("enter")
	want := []contracts.CommandData{contracts.SubmitRequest{Text: "Fix it", AutoAssign: true, Repo: "shop", Accept: []string{"cmd: make lint"}}}
	if diff := cmp.Diff(want, s.conn.done[len(s.conn.done)-1:]); diff != "" {
		t.Errorf("commands (-want +got):\n%s", diff)
	}
	if len(s.accept) != 0 {
		t.Errorf("the next request has %q", s.accept)
	}
}

// TestRequestInRepository checks that a request names the chosen repository.
func TestRequestInRepository(t *testing.T) {
	s := newStage(t, 100, 40)
	s.live(true)
	s.rows(contracts.Snapshot{Repos: []contracts.Repo{{Name: "shop", Path: "/src/shop"}}})
	s.run(s.compose(s.newRequest()), 0)
	s.keys("tab", "down", "enter", "esc")
	s.says("in shop")
	s.keys(`"Fix it"`, "enter")
	want := []contracts.CommandData{contracts.SubmitRequest{Text: "Fix it", AutoAssign: true, Repo: "shop"}}
	if diff := cmp.Diff(want, s.conn.done[len(s.conn.done)-1:]); diff != "" {
		t.Errorf("commands (-want +got):\n%s", diff)
	}
}
