package rehearsal

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/crew"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

const nightly = "Figure out why our nightly CI takes 50 minutes and propose a fix"

// All pages match their golden files.
func TestPages(t *testing.T) {
	r, p := runner(shop(t)), request(nightly)
	p.Constraints = map[string]any{"tone": "friendly", "languages": []any{"en", "nl"}}
	reviewed := jobOf(p, partReview)
	reviewed.Siblings = []contracts.Artifact{{ArtifactID: "art_1", Title: "Plan", Version: 1}, {ArtifactID: "art_2", Title: "By | another", Version: 3}}
	reviewed.Read = func(_ context.Context, a contracts.Artifact) (string, error) {
		if a.Version == 3 {
			return "# Something else\n\n- [ ] A box\n", nil
		}
		return made(t, r, jobOf(p, partPlan), approachQuick, "").Content, nil
	}
	for name, got := range map[string]string{
		"plan_quick.md":     made(t, r, jobOf(p, partPlan), approachQuick, "by *Friday*").Content,
		"plan_thorough.md":  made(t, r, jobOf(p, partPlan), approachThorough, "").Content,
		"plan_options.md":   made(t, r, jobOf(p, partPlan), approachOptions, "").Content,
		"plan_own_words.md": made(t, runner(""), jobOf(p, partPlan), "ask # Ben first", "he knows").Content,
		"report.md":         made(t, r, jobOf(p, partFolder), "", "").Content,
		"report_refused.md": made(t, runner("/"), jobOf(p, partFolder), "", "").Content,
		"report_empty.md":   made(t, runner(t.TempDir()), jobOf(p, partFolder), "", "").Content,
		"change.md":         made(t, r, jobOf(p, partChange), "", "").Content,
		"draft.md":          made(t, r, jobOf(p, partDraft), "", "").Content,
		"copy.md":           made(t, r, jobOf(p, partCopy), "", "").Content,
		"design.md":         made(t, r, jobOf(p, partDesign), "", "").Content,
		"review.md":         made(t, r, reviewed, "", "").Content,
		"review_nothing.md": made(t, r, jobOf(p, partReview), "", "").Content,
	} {
		if name == "report_empty.md" { // the folder has a different name each time
			got = strings.Replace(got, "`002`", "`empty`", 1)
		}
		golden(t, name, got)
	}
}

// requests are realistic requests, each with the script that must be chosen for it.
var requests = []struct {
	text string
	want []part
}{
	{nightly, scripts[1].parts},
	{"Fix the login bug", scripts[1].parts},
	{"Add dark mode to the settings page and write tests for it", scripts[1].parts},
	{"Why is the API so slow?", scripts[1].parts},
	{"Create a landing page plan + copy + design brief", scripts[2].parts},
	{"Create a landing page plan + copy + design brief for a note app", scripts[2].parts},
	{"Design a logo for my bakery", scripts[2].parts},
	{"plan my mum's 60th birthday", scripts[0].parts},
	{"Write a launch note", scripts[0].parts},
	{"hi", scripts[0].parts},
	{"🎉", scripts[0].parts},
	{"日本語で何か作ってください", scripts[0].parts},
	{"Schreib mir bitte eine kurze Einladung für Samstag, nicht länger als eine Seite.", scripts[0].parts},
	{"اكتب خطة بسيطة للأسبوع القادم", scripts[0].parts},
	{"1. Compare Notion, Airtable and Coda\n2. Recommend one\n\n\tprice <= 10 $ / month", scripts[0].parts},
	{"# Not a heading\n> not a quote\n---\n| a | b |\n|---|---|\n```\nplain", scripts[0].parts},
	{"Write a plan for <img src=x onerror=\"alert(1)\"> [a link](javascript:alert(1)) ![x](http://x.example/y_z) &amp; **bold** https://x.example/a_b www.x.example/a_b me_x@x.example", scripts[0].parts},
	{strings.Repeat("Everything about tea, please. ", 140), scripts[0].parts},
}

// Every request gets the expected tasks, whose descriptions quote the whole request, and pages that
// checkPage accepts.
func TestRequests(t *testing.T) {
	r := runner(shop(t))
	for _, c := range requests {
		p := request(c.text)
		drafts := plan(p)
		if err := crew.CheckPlan(drafts); err != nil {
			t.Errorf("%.40q: %v", c.text, err)
		}
		for i, d := range drafts.Tasks {
			if len(drafts.Tasks) != len(c.want) || d.Title != c.want[i].task || !strings.Contains(d.Description, strings.TrimSpace(c.text)) {
				t.Fatalf("%.40q: task %d is %+v, want %s", c.text, i, d, c.want[i].task)
			}
			checkPage(t, c.text, made(t, r, jobOf(p, c.want[i]), approachThorough, "").Content)
		}
	}
}

// The pages for two requests with the same script differ only in the quoted request.
func TestPagesQuoteTheRequest(t *testing.T) {
	r := runner(shop(t))
	rapid.Check(t, func(rt *rapid.T) {
		text := rapid.OneOf(rapid.StringN(1, 300, -1), rapid.StringMatching("([#>*_`|~\\-+=<&\\[\\]()!.:@\\\\ \n\t0-9a-c]|https://|www\\.|</p>|&lt;){1,60}")).Draw(rt, "request")
		if contracts.Blank(text) {
			return
		}
		part := rapid.SampledFrom(parts).Draw(rt, "part")
		choice := rapid.SampledFrom([]string{approachQuick, approachThorough, approachOptions}).Draw(rt, "choice")
		const other = "Another request"
		p := request(text)
		got := made(t, r, jobOf(p, part), choice, "").Content
		checkPage(rt, text, got)
		want := strings.Replace(made(t, r, jobOf(request(other), part), choice, "").Content, quote(other), quote(text), 1)
		same := fmt.Sprint(titles(plan(p))) == fmt.Sprint(titles(plan(request(other))))
		if same && got != want {
			rt.Fatalf("more than the quotation differs:\n%s", cmp.Diff(want, got))
		}
	})
}

// A person's own words are quoted wherever they appear.
func TestOwnWordsAreQuoted(t *testing.T) {
	r := runner(shop(t))
	rapid.Check(t, func(rt *rapid.T) {
		words := rapid.OneOf(rapid.StringN(1, 200, -1), rapid.StringMatching("([#>*_`|~\\-<&\\[\\]()! \n]|a|shorter|table|add){1,40}")).Draw(rt, "words")
		if contracts.Blank(words) {
			return
		}
		answered := made(t, r, jobOf(request(nightly), partPlan), words, words).Content
		first, second := next(t, r, jobOf(request(nightly), rapid.SampledFrom(parts).Draw(rt, "part")), words)
		if !strings.Contains(second, quote(words)) || first == second || strings.Count(second, "## "+changesTitle) != 1 {
			rt.Fatalf("the change is not in\n%s", second)
		}
		for _, text := range []string{answered, second} {
			doc := checkMarkdown(rt, text)
			if !slices.ContainsFunc(doc.quotes, func(q string) bool { return q == visible(words) }) && !strings.Contains(strings.Join(question.Options, "|"), words) {
				rt.Fatalf("%q is not quoted whole: %q\n%s", words, doc.quotes, text)
			}
		}
	})
}

// checkPage fails the test unless the page starts with the notice and the whole request, can be
// parsed back, and is not too long.
func checkPage(t rapid.TB, request, text string) {
	t.Helper()
	doc := checkMarkdown(t, text)
	if len(doc.quotes) < 2 || !strings.Contains(doc.quotes[0], visible("start the office with "+ConnectCommand)) || doc.quotes[1] != visible(request) {
		t.Fatalf("the notice and the whole request are not on top of\n%s\n%q", text, doc.quotes)
	}
	if again := parse(text).String(); again != text {
		t.Fatalf("reads back differently:\n%s", cmp.Diff(text, again))
	}
	if limit := 6_000 + 3*len(request); len(text) > limit {
		t.Fatalf("%d bytes, more than %d", len(text), limit)
	}
}

func titles(p crew.Plan) (out []string) {
	for _, t := range p.Tasks {
		out = append(out, t.Title)
	}
	return out
}
