package rehearsal

import (
	"context"
	"errors"
	"flag"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/crew"
	"github.com/bullpen-office/bullpen/drive"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

var update = flag.Bool("update", false, "write the golden files anew")

// quiet is a sink for tests that look only at results.
type quiet struct{}

func (quiet) Progress(int, string)                 {}
func (quiet) Delta(string, string)                 {}
func (quiet) ToolStart(string, any) func(any)      { return func(any) {} }
func (quiet) Think() func()                        { return func() {} }
func (quiet) Used(contracts.Usage)                 {}
func (quiet) Drive() drive.Sink                    { return nil }
func hurried(context.Context, time.Duration) error { return nil }

func request(text string, constraints map[string]any) contracts.Project {
	return contracts.Project{ProjectID: "proj_a", Request: text, Constraints: constraints}
}

// jobFor is the first planned task of a kind, unasked.
func jobFor(t testing.TB, p contracts.Project, k contracts.TaskKind) crew.TaskJob {
	for _, d := range plan(p).Tasks {
		if d.Kind == k {
			return crew.TaskJob{Project: p, TaskWork: contracts.TaskWork{Task: contracts.Task{
				TaskID: "task_a", Title: d.Title, Kind: d.Kind, Priority: d.Priority, Attempt: 1,
			}}}
		}
	}
	t.Fatalf("the plan of %q has no %s task", p.Request, k)
	return crew.TaskJob{}
}

// work does the job; a question is answered with its first option.
func work(t testing.TB, job crew.TaskJob, choice string) string {
	r := New(Config{Sleep: hurried})
	res, err := r.Work(context.Background(), job, quiet{})
	if err == nil && res.Ask != nil {
		if choice == "" {
			choice = res.Ask.Options[0]
		}
		job.Answers = []contracts.Decision{{Prompt: res.Ask.Prompt, Choice: choice, Note: "as we said"}}
		res, err = r.Work(context.Background(), job, quiet{})
	}
	if err != nil || len(res.Artifacts) != 1 {
		t.Fatalf("work: %+v, %v", res, err)
	}
	return res.Artifacts[0].Content
}

func TestArtifactGolden(t *testing.T) {
	landing := request("Create a landing page plan + copy + design brief", map[string]any{"tone": "friendly", "length": "short"})
	for name, c := range map[string]struct {
		project contracts.Project
		kind    contracts.TaskKind
	}{
		"landing_plan":     {landing, contracts.KindPlan},
		"landing_copy":     {landing, contracts.KindCopy},
		"landing_design":   {landing, contracts.KindDesign},
		"compare_research": {request("Compare Notion, Airtable and Coda for a small team", nil), contracts.KindResearch},
		"grinder_copy":     {request("Write a long, playful blog post about our new coffee grinder for busy parents", nil), contracts.KindCopy},
		"todo_code":        {request("Build a REST API for a todo app", nil), contracts.KindCode},
		"rename_code":      {request("Write a Python script to rename files", nil), contracts.KindCode},
		"bakery_review":    {request("Design a logo for my bakery", nil), contracts.KindReview},
		"unknown_plan":     {request("日本語で何か作ってください", nil), contracts.KindPlan},
	} {
		t.Run(name, func(t *testing.T) {
			got := work(t, jobFor(t, c.project, c.kind), "")
			golden(t, name+".md", got)
			if !strings.Contains(got, notice) {
				t.Error("the artifact does not say that it is a rehearsal")
			}
		})
	}
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

var fence = regexp.MustCompile("(?s)```(\\w+)\n(.*?)\n```")

// Every code skeleton parses, whatever its name, language and form.
func TestCodeParses(t *testing.T) {
	for _, text := range []string{
		"Build a todo app", "Write a script for email", "Build a library for import", "Fix the */ bug \"\"\" in `main`", "Build 3 APIs für Bäcker", "code",
	} {
		for _, language := range []string{"Go", "TypeScript", "Python"} {
			for _, form := range []string{formTool, formService, formLibrary} {
				p := request(text, nil)
				b := newBrief(p)
				b.language, b.form = language, form
				a := compose(b, crew.TaskJob{Project: p, TaskWork: contracts.TaskWork{Task: contracts.Task{Title: text, Kind: contracts.KindCode}}}, nil)
				checkCode(t, a.Content, language)
			}
		}
	}
}

func checkCode(t *testing.T, content, language string) {
	t.Helper()
	files := 0
	for _, m := range fence.FindAllStringSubmatch(content, -1) {
		switch m[1] {
		case "go":
			files++
			if _, err := parser.ParseFile(token.NewFileSet(), "x.go", m[2], parser.AllErrors); err != nil {
				t.Errorf("%v in\n%s", err, m[2])
			}
		case "ts", "python":
			files++
			if err := balanced(m[2]); err != nil {
				t.Errorf("%v in\n%s", err, m[2])
			}
		}
		if strings.Contains(m[2], "{{") && m[1] != "go" {
			t.Errorf("an unfilled mark in\n%s", m[2])
		}
	}
	if files != 2 {
		t.Errorf("%d %s files, want 2", files, language)
	}
}

// balanced is a light check for languages without a parser at hand.
func balanced(code string) error {
	var stack []rune
	pair := map[rune]rune{')': '(', ']': '[', '}': '{'}
	for l := range strings.Lines(code) {
		if strings.HasPrefix(l, "//") || strings.HasPrefix(l, `"""`) {
			continue
		}
		for _, r := range l {
			switch r {
			case '(', '[', '{':
				stack = append(stack, r)
			case ')', ']', '}':
				if len(stack) == 0 || stack[len(stack)-1] != pair[r] {
					return errors.New("brackets do not match at " + l)
				}
				stack = stack[:len(stack)-1]
			}
		}
	}
	if len(stack) > 0 {
		return errors.New("brackets are left open")
	}
	return nil
}

// Whatever the request, an artifact is well formed and reads back as it was.
func TestArtifactReadsBack(t *testing.T) {
	kinds := append([]contracts.TaskKind{""}, order...)
	rapid.Check(t, func(t *rapid.T) {
		p := request(rapid.StringN(1, 200, -1).Draw(t, "request"), map[string]any{"tone": rapid.String().Draw(t, "tone")})
		k := rapid.SampledFrom(kinds).Draw(t, "kind")
		b := newBrief(p)
		a := compose(b, crew.TaskJob{Project: p, TaskWork: contracts.TaskWork{Task: contracts.Task{Title: plan(p).Tasks[0].Title, Kind: k}}}, nil)
		if len(a.Content) < 200 || a.Title == "" || !strings.Contains(a.Content, notice) {
			t.Fatalf("too little: %q", a.Content)
		}
		if again := parse(a.Content).String(); again != a.Content {
			t.Fatalf("reads back differently:\n%s", cmp.Diff(a.Content, again))
		}
	})
}
