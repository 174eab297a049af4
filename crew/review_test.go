package crew_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"github.com/bullpen-office/bullpen/agents/rehearsal"
	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/crew"
	"github.com/bullpen-office/bullpen/drive"
)

// reviews returns a function that matches the review of an artifact by an agent.
func reviews(artifactID, agentID string) func(contracts.Work) bool {
	return func(w contracts.Work) bool {
		return w.Review != nil && w.Review.Artifact.ArtifactID == artifactID && w.AgentID == agentID
	}
}

const patch = `diff --git a/cart.go b/cart.go
--- a/cart.go
+++ b/cart.go
@@ -10,3 +10,4 @@ func total() {
 	sum := 0
-	return sum
+	sum++
+	return int8(sum)
 }
`

// reviewWork stores the patch and returns the work item for its review.
func reviewWork(t *testing.T, o *office) contracts.Work { return reviewOf(t, o, patch) }

func reviewOf(t *testing.T, o *office, patch string) contracts.Work {
	t.Helper()
	sha, err := o.PutBlob(t.Context(), []byte(patch))
	if err != nil {
		t.Fatal(err)
	}
	output, err := o.PutBlob(t.Context(), []byte("--- PASS: TestTotal"))
	if err != nil {
		t.Fatal(err)
	}
	return contracts.Work{Key: "review:art_a1:agent_review_1", AgentID: "agent_review_1", Project: contracts.Project{ProjectID: "proj_a"}, Review: &contracts.ReviewWork{
		Artifact: contracts.Artifact{ArtifactID: "art_a1", Type: contracts.ArtifactPatch, Title: "All edge cases are handled", SHA256: sha, Tree: "t2", CreatedBy: "agent_eng_1"},
		Task: contracts.Task{TaskID: "task_a", Title: "Sum the cart", Description: "Add a total.", Checks: []contracts.CheckResult{
			{Name: "unit", Command: "go test", End: contracts.EndExited, Tree: "t2", TreeAfter: "t2", LogSHA256: output},
			{Name: "lint", Command: "go vet", End: contracts.EndExited, ExitCode: 1, Tree: "t1", TreeAfter: "t1"},
		}},
	}}
}

// reviewer is a program that answers each prompt with the next of its scripted reviews.
type reviewer struct {
	mu      sync.Mutex
	answers []string
	prompts []string
}

func (r *reviewer) Open(context.Context, drive.Spec) (drive.Session, error) { return r, nil }
func (r *reviewer) ID() string                                              { return "" }
func (r *reviewer) Close() error                                            { return nil }
func (r *reviewer) Turn(_ context.Context, p drive.Prompt, _ drive.Sink) (drive.Answer, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.prompts = append(r.prompts, p.Text)
	answer := r.answers[min(len(r.prompts), len(r.answers))-1]
	return drive.Answer{Text: answer}, nil
}

func finding(path string, line int, text string) string {
	return fmt.Sprintf(`{"summary": "Look again.", "findings": [{"path": %q, "line": %d, "severity": "problem", "text": %q}]}`, path, line, text)
}

// reviewed lets a program review the patch and returns the facts about the review.
func reviewed(t *testing.T, r *reviewer) (ready []contracts.ReviewReady, broke []contracts.ReviewBroke) {
	t.Helper()
	return reviewedPatch(t, r, patch)
}

func reviewedPatch(t *testing.T, r *reviewer, patch string) (ready []contracts.ReviewReady, broke []contracts.ReviewBroke) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		o := newOffice()
		o.list(reviewOf(t, o, patch))
		stop := open(t, o.config(map[string]crew.Worker{crew.Rehearsal: {Driver: r}}))
		until(func() bool {
			ready, broke = factsOf[contracts.ReviewReady](o), factsOf[contracts.ReviewBroke](o)
			return len(ready)+len(broke) > 0
		})
		stop()
		ready, broke = factsOf[contracts.ReviewReady](o), factsOf[contracts.ReviewBroke](o)
	})
	return ready, broke
}

func TestReview(t *testing.T) {
	r := &reviewer{answers: []string{finding("cart.go", 12, "It overflows.")}}
	ready, broke := reviewed(t, r)
	want := []contracts.ReviewReady{{ArtifactID: "art_a1", AgentID: "agent_review_1", Summary: "Look again.",
		Findings: []contracts.Finding{{Path: "cart.go", Line: 12, Severity: contracts.SeverityProblem, Text: "It overflows."}}}}
	if diff := cmp.Diff(want, ready); diff != "" || len(broke) > 0 {
		t.Fatalf("review (-want +got):\n%s\nfailed: %v", diff, broke)
	}
	for _, part := range []string{"Sum the cart", "Add a total.", "    11 +\tsum++", "    11 -\treturn sum", "unit (go test): passed\n", "lint (go vet): failed: exit code 1, but on other files", "--- PASS: TestTotal"} {
		if !strings.Contains(r.prompts[0], part) {
			t.Errorf("%q is missing from the prompt:\n%s", part, r.prompts[0])
		}
	}
	if strings.Contains(r.prompts[0], "edge cases are handled") {
		t.Errorf("the prompt contains the author's words:\n%s", r.prompts[0])
	}
}

// If a patch is too long to show in full, its review states that it covers only part of the patch.
func TestReviewOfLongPatch(t *testing.T) {
	long := patch
	for i := range contracts.LimitReviewDiff / 1000 {
		long += fmt.Sprintf("diff --git a/%[1]d.go b/%[1]d.go\n--- a/%[1]d.go\n+++ b/%[1]d.go\n@@ -1 +1 @@\n-a\n+%[2]s\n", i, strings.Repeat("x", 1000))
	}
	r := &reviewer{answers: []string{`{"summary": "Fine.", "findings": []}`}}
	ready, _ := reviewedPatch(t, r, long)
	if len(ready) != 1 || !strings.HasPrefix(ready[0].Summary, "The reviewer saw only part") || !strings.Contains(r.prompts[0], "only part of the change") {
		t.Errorf("%+v", ready)
	}
}

// A finding that is not about the change is sent back once; then the review fails, and is not
// recorded as a review without findings.
func TestHostileFindings(t *testing.T) {
	for name, answer := range map[string]string{
		"a line outside the change": finding("cart.go", 99, "x"),
		"line 0":                    finding("cart.go", 0, "x"),
		"another file":              finding("../../etc/passwd", 1, "x"),
		"a megabyte of text":        finding("cart.go", 12, strings.Repeat("x", 1<<20)),
		"no summary":                `{"findings": []}`,
		"no JSON":                   "Looks good to me.",
		"an unknown severity":       `{"summary": "x", "findings": [{"path": "cart.go", "line": 12, "severity": "fatal", "text": "x"}]}`,
	} {
		t.Run(name, func(t *testing.T) {
			r := &reviewer{answers: []string{answer}}
			ready, broke := reviewed(t, r)
			if len(ready) > 0 || len(broke) != 1 || !strings.Contains(broke[0].Reason, "twice") || len(r.prompts) != 2 {
				t.Errorf("recorded %+v, failed %+v after %d prompts", ready, broke, len(r.prompts))
			}
			repaired := &reviewer{answers: []string{answer, finding("cart.go", 13, "ok")}}
			if ready, broke := reviewed(t, repaired); len(ready) != 1 || len(broke) > 0 {
				t.Errorf("a repaired answer: recorded %+v, failed %+v", ready, broke)
			}
		})
	}
}

// endless is a program that works until it is stopped.
type endless struct{}

func (e endless) Open(context.Context, drive.Spec) (drive.Session, error) { return e, nil }
func (e endless) ID() string                                              { return "" }
func (e endless) Close() error                                            { return nil }
func (e endless) Turn(ctx context.Context, _ drive.Prompt, _ drive.Sink) (drive.Answer, error) {
	<-ctx.Done()
	return drive.Answer{}, ctx.Err()
}

// A review that was interrupted by a restart starts again and is recorded once.
func TestReviewAfterRestart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := newOffice()
		o.list(reviewWork(t, o))
		stop := open(t, o.config(map[string]crew.Worker{crew.Rehearsal: {Driver: endless{}}}))
		settle()
		stop()
		stop = open(t, o.config(map[string]crew.Worker{crew.Rehearsal: {Driver: rehearsal.New(rehearsal.Config{})}}))
		until(func() bool { return len(o.Work()) == 0 })
		stop()
		ready := factsOf[contracts.ReviewReady](o)
		if len(ready)+len(factsOf[contracts.ReviewBroke](o)) != 1 {
			t.Errorf("recorded %+v and %+v", ready, factsOf[contracts.ReviewBroke](o))
		}
	})
}

func TestRehearsalReviews(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := newOffice()
		o.list(reviewWork(t, o))
		stop := open(t, o.config(map[string]crew.Worker{crew.Rehearsal: {Driver: rehearsal.New(rehearsal.Config{})}}))
		until(func() bool { return len(o.Work()) == 0 })
		stop()
		ready := factsOf[contracts.ReviewReady](o)
		if len(ready) != 1 || !ready[0].Rehearsal || len(ready[0].Findings) != 1 || ready[0].Findings[0].Line != 10 || !strings.HasPrefix(ready[0].Summary, "Rehearsal") {
			t.Errorf("recorded %+v, failed %+v", ready, factsOf[contracts.ReviewBroke](o))
		}
	})
}
