package rehearsal

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/crew"
	"github.com/bullpen-office/bullpen/hud"
	"github.com/go-json-experiment/json"
)

// Exactly one task in a project asks the question, and only once: not after an answer, not for a
// new version, and not if the task was split from another.
func TestQuestionIsAskedOnce(t *testing.T) {
	if err := crew.CheckResult(crew.Result{Ask: &question}); err != nil {
		t.Fatal(err)
	}
	for _, c := range requests {
		n := 0
		for _, d := range plan(request(c.text)).Tasks {
			if asks(crew.TaskJob{TaskWork: contracts.TaskWork{Task: contracts.Task{Title: d.Title, Kind: d.Kind}}}) {
				n++
			}
		}
		if n != 1 {
			t.Errorf("%.40q: %d tasks ask", c.text, n)
		}
	}
	for name, change := range map[string]func(*crew.TaskJob){
		"answered": func(j *crew.TaskJob) {
			j.Answers = []contracts.Decision{{Prompt: question.Prompt, Choice: approachQuick}}
		},
		"again":         func(j *crew.TaskJob) { j.Previous = []contracts.Artifact{{}} },
		"changed":       func(j *crew.TaskJob) { j.Instructions = "x" },
		"split off":     func(j *crew.TaskJob) { j.Task.SplitFrom = "art_1" },
		"another title": func(j *crew.TaskJob) { j.Task.Title = "Draft 3 headline variants" },
	} {
		job := jobOf(request("x"), partPlan)
		if change(&job); asks(job) {
			t.Errorf("asks when %s", name)
		}
	}
}

// Every answer to the question leads to a different plan.
func TestAnswerShapesThePlan(t *testing.T) {
	r := runner(shop(t))
	seen := map[string]bool{}
	for _, choice := range append(slices.Clone(question.Options), "like a pirate") {
		text := made(t, r, jobOf(request("plan my mum's 60th birthday"), partPlan), choice, "and soon").Content
		if !strings.Contains(text, choice) || !strings.Contains(text, "> and soon") || seen[text] {
			t.Errorf("%q made\n%s", choice, text)
		}
		seen[text] = true
	}
}

// A task whose title is not in the script keeps its title.
func TestTaskKeepsItsOwnTitle(t *testing.T) {
	r := runner(shop(t))
	for _, k := range []contracts.TaskKind{"", contracts.KindResearch, contracts.KindPlan, contracts.KindCopy, contracts.KindDesign, contracts.KindCode, contracts.KindReview} {
		a := made(t, r, jobOf(request(nightly), part{task: "Draft 3 *headline* variants", kind: k}), "", "")
		if a.Title != "Draft 3 *headline* variants" || !strings.HasPrefix(a.Content, "# Draft 3 \\*headline\\* variants\n") {
			t.Errorf("%s: %s\n%s", k, a.Title, a.Content)
		}
		checkPage(t, nightly, a.Content)
	}
}

// recorder is a sink that records tool calls.
type recorder struct {
	discardSink
	calls []string
}

func (r *recorder) ToolStart(_, tool string, args any) func(any) {
	in, _ := json.Marshal(args)
	return func(result any) {
		out, _ := json.Marshal(result)
		r.calls = append(r.calls, fmt.Sprintf("%s %s %s", tool, in, out))
	}
}

// The researcher shows the files that it reads, with absolute paths, but no files that may contain
// secrets.
func TestFolderReportShowsWhatItReads(t *testing.T) {
	dir := shop(t)
	var rec recorder
	if _, err := runner(dir).Work(t.Context(), jobOf(request(nightly), partFolder), &rec); err != nil {
		t.Fatal(err)
	}
	shown := strings.Join(rec.calls, "\n")
	for _, want := range []string{
		`read {"path":"office:proj_a/request.txt"}`, `list {"path":"` + dir + `"}`, `search {"path":"` + dir + `","pattern":"TODO|FIXME"}`,
		`read {"path":"` + filepath.Join(dir, "Makefile") + `"} {"ok":true,`, `"area":{"startLine":1,"endLine":1},"text":"test:"`, `main.go:3 TODO: read the *address* from a flag`,
		`write {"path":"office:proj_a/folder-report.md"`,
	} {
		if !strings.Contains(shown, want) {
			t.Errorf("%q is missing from\n%s", want, shown)
		}
	}
	if strings.Contains(shown, "hunter2") || strings.Contains(shown, ".env") {
		t.Errorf("a secret is shown:\n%s", shown)
	}
	if view := hud.RootsAt(dir, "").View(filepath.Join(dir, "Makefile")); view != "Makefile" {
		t.Errorf("the path is shown as %q", view)
	}
}

// File names that are not UTF-8 or look like markup are shown literally.
func TestNamesWithMarkupAreShownAsNames(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "odd \xff `name`\n# shop")
	if err := os.MkdirAll(filepath.Join(dir, "w\xfe|b"), 0o755); err != nil {
		t.Skip("the file system does not support such names: ", err)
	}
	for _, name := range []string{"a\xff.go", "``b``.go", "<img src=x>.md", "w\xfe|b/package.json"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(`{"scripts":{"test":"x"}}`), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, p := range []part{partPlan, partFolder, partChange} {
		job := jobOf(request(nightly), p)
		checkPage(t, nightly, made(t, runner(dir), job, approachThorough, "").Content)
		var rec recorder
		if _, err := runner(dir).Work(t.Context(), job, &rec); err != nil {
			t.Fatal(err)
		}
	}
	_, second := next(t, runner(dir), jobOf(request(nightly), partFolder), "more")
	checkPage(t, nightly, second)
}

// A cancelled turn ends immediately, even while it reads the folder.
func TestCancelledTurnEnds(t *testing.T) {
	stop := errors.New("stop")
	for at := range 12 {
		ctx, cancel := context.WithCancelCause(t.Context())
		pauses := 0
		r := New(Config{Folder: shop(t), Sleep: func(ctx context.Context, _ time.Duration) error {
			if pauses++; pauses > at {
				cancel(stop)
			}
			return context.Cause(ctx)
		}})
		if _, err := r.Work(ctx, jobOf(request(nightly), partFolder), discardSink{}); !errors.Is(err, stop) {
			t.Errorf("stopped at pause %d: %v", at, err)
		}
		cancel(nil)
	}
}
