package crew_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bullpen-office/bullpen/agents/rehearsal"
	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/crew"
	"github.com/google/go-cmp/cmp"
)

// journey takes a request through the whole crew: plan, question, answer, deliverable, change
// request, second version. It returns everything that was recorded, without ids and durations.
func journey(t *testing.T, pace float64, folder string) (facts []string, texts []string, took time.Duration) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		project := contracts.Project{ProjectID: "proj_a", Title: "Landing page", Request: "Create a landing page plan + copy + design brief"}
		o := newOffice(contracts.Work{Key: "plan:proj_a", AgentID: contracts.AgentBD, Project: project, Plan: true})
		stop := open(t, o.config(map[string]crew.Worker{crew.Rehearsal: {Driver: rehearsal.New(rehearsal.Config{Pace: pace, Folder: folder})}}))
		began := time.Now()
		until(func() bool { return len(factsOf[contracts.PlanReady](o)) == 1 })
		draft := factsOf[contracts.PlanReady](o)[0].Tasks[0]

		w := taskWork("task_a", 1)
		w.Project = project
		w.Task.Task.Title, w.Task.Task.Kind, w.Task.Task.Priority = draft.Title, draft.Kind, draft.Priority
		o.list(w)
		until(func() bool { return len(factsOf[contracts.RunAsked](o)) == 1 })
		asked := factsOf[contracts.RunAsked](o)[0]

		answered := *w.Task
		answered.Answers = []contracts.Decision{{Prompt: asked.Prompt, Choice: asked.Options[0], Note: "mostly gardeners"}}
		w.Key, w.Task = "task:task_a:1:1", &answered
		o.list(w)
		until(func() bool { return len(factsOf[contracts.RunDelivered](o)) == 1 })
		first := factsOf[contracts.RunDelivered](o)[0].Artifacts[0]

		again := answered
		again.Task.Attempt, again.Instructions = 2, "Shorten the steps and add 2 more risks."
		again.Previous = []contracts.Artifact{{ArtifactID: "art_1", Title: first.Title, Version: 1, SHA256: first.SHA256}}
		w.Key, w.Task = "task:task_a:2:1", &again
		o.list(w)
		until(func() bool { return len(factsOf[contracts.RunDelivered](o)) == 2 })
		took = time.Since(began)
		stop()
		checkActivity(t, o)
		for _, d := range factsOf[contracts.RunDelivered](o) {
			texts = append(texts, string(o.blobs[d.Artifacts[0].SHA256]))
		}
		facts = trace(o)
	})
	return facts, texts, took
}

// until lets virtual time pass until done returns true.
func until(done func() bool) {
	for !done() {
		time.Sleep(10 * time.Millisecond)
		synctest.Wait()
	}
}

// trace returns the recorded facts without ids and times. It also leaves out progress reports,
// because they depend on the pace.
func trace(o *office) []string {
	var out []string
	for _, f := range o.facts {
		switch f := f.(type) {
		case contracts.RunProgress:
		case contracts.HUDSeen:
			out = append(out, fmt.Sprint(f.HUD.Event, f.HUD.Tool, f.HUD.Label, string(f.HUD.Args), string(f.HUD.Result)))
		default:
			out = append(out, fmt.Sprintf("%+v", f))
		}
	}
	text := ""
	for _, d := range o.deltas {
		out = append(out, fmt.Sprint(d.Kind, d.Seq, d.Delta, d.Done))
		if d.Kind == "token" {
			text += d.Delta
		}
	}
	return append(out, text)
}

// The pace changes only the duration, not the order or content.
func TestRehearsalJourneyIsDeterministic(t *testing.T) {
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "go.mod"), []byte("module example.org/shop\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	slowFacts, slow, slowTook := journey(t, 1, folder)
	fastFacts, fast, fastTook := journey(t, 50, folder)
	if diff := cmp.Diff(slow, fast); diff != "" {
		t.Errorf("the texts depend on pace:\n%s", diff)
	}
	if diff := cmp.Diff(slowFacts, fastFacts); diff != "" {
		t.Errorf("the order depends on pace:\n%s", diff)
	}
	if slowTook < 10*time.Second || fastTook > slowTook/10 {
		t.Errorf("%s at pace 1 and %s at pace 50", slowTook, fastTook)
	}
	if !strings.Contains(slow[0], "mostly gardeners") || !strings.Contains(slow[0], "You chose **Quick and rough**") {
		t.Errorf("the answer is not in the first version:\n%s", slow[0])
	}
	if slow[0] == slow[1] || !strings.Contains(slow[1], "Changes in version 2") || !strings.Contains(slow[1], "> Shorten the steps and add 2 more risks.") || !strings.Contains(slow[1], "- Shortened the page from ") {
		t.Errorf("the second version does not do what was asked:\n%s", slow[1])
	}
	if text := slowFacts[len(slowFacts)-1]; !strings.HasSuffix(text, slow[0]+slow[1]) {
		t.Error("the streamed text differs from the delivered one")
	}
	streamed := strings.Join(slowFacts, "\n")
	if !strings.Contains(streamed, "tool_endread") || !strings.Contains(streamed, filepath.Join(folder, "go.mod")) || strings.Contains(streamed, "web_search") {
		t.Error("the rehearsal must read what it has and must not pretend to search")
	}
	t.Logf("a journey takes %s at pace 1", slowTook)
}
