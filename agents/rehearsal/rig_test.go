package rehearsal

import (
	"context"
	"flag"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/crew"
	"github.com/bullpen-office/bullpen/drive"
	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the golden files again")

// discardSink is a sink for tests that only check results.
type discardSink struct{ drive.Sink }

func (discardSink) Progress(int, string)                    {}
func (discardSink) Delta(string, string)                    {}
func (discardSink) ToolStart(string, string, any) func(any) { return func(any) {} }
func (discardSink) Think() func()                           { return func() {} }

func noSleep(context.Context, time.Duration) error { return nil }

func request(text string) contracts.Project {
	return contracts.Project{ProjectID: "proj_a", Request: text}
}

func jobOf(p contracts.Project, t part) crew.TaskJob {
	return crew.TaskJob{Project: p, TaskWork: contracts.TaskWork{Task: contracts.Task{TaskID: "task_a", Title: t.task, Kind: t.kind, Priority: 1, Attempt: 1}}}
}

// shop creates a project folder with fixed content and returns its path.
func shop(t testing.TB) string {
	dir := filepath.Join(t.TempDir(), "shop")
	for name, text := range map[string]string{
		"Makefile": "test:\n\tgo test ./...\n", "go.mod": "module example.org/shop\n", "main.go": "package main\n\n// TODO: read the *address* from a flag\nfunc main() {}\n",
		"main_test.go": "package main\n", "web/app.ts": "const a = 1;\n", ".env": "PASSWORD=hunter2\n",
	} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func runner(folder string) *Runner { return New(Config{Sleep: noSleep, Folder: folder}) }

// made returns the artifact that a job produces. If the job asks the question, made answers with
// choice and note.
func made(t testing.TB, r *Runner, job crew.TaskJob, choice, note string) crew.Artifact {
	res, err := r.Work(context.Background(), job, discardSink{})
	if err == nil && res.Ask != nil {
		job.Answers = []contracts.Decision{{Prompt: res.Ask.Prompt, Choice: choice, Note: note}}
		res, err = r.Work(context.Background(), job, discardSink{})
	}
	if err == nil {
		err = crew.CheckResult(res)
	}
	if err != nil || len(res.Artifacts) != 1 {
		t.Fatalf("work: %+v, %v", res, err)
	}
	return res.Artifacts[0]
}

// next makes a page, then a second version that follows the instructions, and returns both.
func next(t testing.TB, r *Runner, job crew.TaskJob, instructions string) (first, second string) {
	a := made(t, r, job, approachThorough, "")
	job.Task.Attempt, job.Instructions = 2, instructions
	job.Previous = []contracts.Artifact{{ArtifactID: "art_1", Title: a.Title, Version: 1}}
	job.Read = func(context.Context, contracts.Artifact) (string, error) { return a.Content, nil }
	return a.Content, made(t, r, job, "", "").Content
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v: run the test with -update", err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", name, diff)
	}
}
