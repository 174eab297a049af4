package rehearsal

import (
	"context"
	"strings"
	"testing"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/crew"
)

// What the request says already is not asked again, and the answer shows in the
// deliverable.
func TestQuestion(t *testing.T) {
	for name, c := range map[string]struct {
		project contracts.Project
		kind    contracts.TaskKind
		prompt  string
		choice  string
		shows   string
	}{
		"plan":              {request("Create a landing page plan + copy", nil), contracts.KindPlan, "target audience", "Tech users", "works for tech users"},
		"plan, audience":    {request("Create a landing page plan for developers and copy", nil), contracts.KindPlan, "first milestone", "Speed", "**Fast start.**"},
		"research":          {request("Research competitors for our bakery", nil), contracts.KindResearch, "target audience", "Visitors passing by", "serve visitors passing by"},
		"research, known":   {request("Compare CRM tools for small businesses", nil), contracts.KindResearch, "weigh most", "Trust and support", "| Candidate | Trust and support |"},
		"copy":              {request("Write a tagline and an email", nil), contracts.KindCopy, "tone", "Bold", "Nothing less."},
		"copy, free answer": {request("Write a tagline and an email", nil), contracts.KindCopy, "tone", "like a pirate", "Tone asked for: **like a pirate**"},
		"copy, tone":        {request("Write a tagline and an email", map[string]any{"tone": "formal"}), contracts.KindCopy, "What should a reader do", "Get in touch", "Get in touch"},
		"design":            {request("Design a logo and a poster", nil), contracts.KindDesign, "mood", "Playful", "#B0307A"},
		"design, tone":      {request("Design a logo and a poster", map[string]any{"tone": "calm"}), contracts.KindDesign, "colours", "Dark", "#15171C"},
		"code":              {request("Fix the parser bug and build the API", nil), contracts.KindCode, "language", "TypeScript", "```ts"},
		"code, language":    {request("Fix the bug and refactor the Python code", nil), contracts.KindCode, "form", formService, "HTTPServer"},
		"code, form":        {request("Fix the bug and build the Python API", nil), contracts.KindCode, "most care", "Simple operation", "simple operation"},
	} {
		t.Run(name, func(t *testing.T) {
			job := jobFor(t, c.project, c.kind)
			q, ok := questionOf(newBrief(c.project), job)
			if !ok || !strings.Contains(q.ask.Prompt, c.prompt) {
				t.Fatalf("asks %v %+v, want %q", ok, q.ask, c.prompt)
			}
			got := work(t, job, c.choice)
			for _, want := range []string{c.shows, "**" + c.choice + "** — as we said"} {
				if !strings.Contains(got, want) {
					t.Errorf("%q is missing in\n%s", want, got)
				}
			}
		})
	}
}

// One task of a project asks, once: not after an answer, not in a next version.
func TestQuestionIsAskedOnce(t *testing.T) {
	for _, text := range []string{"Create a landing page plan + copy + design brief", "Fix the login bug", "Write a blog post, a newsletter and two tweets", "hi", "Please review the pricing page"} {
		p := request(text, nil)
		asks := 0
		for _, d := range plan(p).Tasks {
			job := crew.TaskJob{Project: p, TaskWork: contracts.TaskWork{Task: contracts.Task{Title: d.Title, Kind: d.Kind, Priority: d.Priority, Attempt: 1}}}
			q, ok := questionOf(newBrief(p), job)
			if !ok {
				continue
			}
			asks++
			job.Answers = []contracts.Decision{{Prompt: q.ask.Prompt, Choice: q.ask.Options[0]}}
			if _, again := questionOf(newBrief(p), job); again {
				t.Errorf("%q asks again after the answer", d.Title)
			}
			job.Answers, job.Previous = nil, []contracts.Artifact{{ArtifactID: "art_1"}}
			if _, again := questionOf(newBrief(p), job); again {
				t.Errorf("%q asks again in its second version", d.Title)
			}
		}
		if asks != 1 {
			t.Errorf("%q: %d tasks ask, want 1", text, asks)
		}
	}
}

// A colleague's answer is used without asking for it twice.
func TestQuestionIsOverheard(t *testing.T) {
	p := request("Create a landing page plan + copy", nil)
	planned := work(t, jobFor(t, p, contracts.KindPlan), "Business buyers")
	job := jobFor(t, p, contracts.KindCopy)
	job.Siblings = []contracts.Artifact{{ArtifactID: "art_1", Title: "Landing page plan"}}
	job.Read = func(context.Context, contracts.Artifact) (string, error) { return planned, nil }
	if got := work(t, job, ""); !strings.Contains(got, "business buyers") {
		t.Errorf("the audience is missing in\n%s", got)
	}
}
