package rehearsal

import (
	"strings"
	"unicode"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/crew"
)

// part is one authored task, its page, and its description.
type part struct {
	task, page, kindOfPage string
	kind                   contracts.TaskKind
	about                  string
}

// The parts of scripts.
var (
	partPlan   = part{"Plan the work", "Plan", "plan", contracts.KindPlan, "Ask what matters most, then write down the steps."}
	partFolder = part{"Look at the project folder", "Folder report", "report", contracts.KindResearch, "Report on the folder that the office was started in."}
	partChange = part{"Prepare the change", "Change checklist", "code", contracts.KindCode, "Write the checklist for the change, with the tests that the folder has."}
	partDraft  = part{"Lay out a first draft", "First draft", "copy", contracts.KindCopy, "Outline the draft, ready to be filled in."}
	partCopy   = part{"Lay out the copy", "Copy outline", "copy", contracts.KindCopy, "Outline the headline, text and call to action."}
	partDesign = part{"Write the design brief", "Design brief", "brief", contracts.KindDesign, "Write down layout, colours and type."}
	partReview = part{"Review what was made", "Review notes", "review", contracts.KindReview, "Measure the pages and list what only a person can judge."}
)

var parts = []part{partPlan, partFolder, partChange, partDraft, partCopy, partDesign, partReview}

// scripts are the plans that the crew knows. The one with the most words in common with the request
// is used; the first if there are none.
var scripts = []struct {
	words string
	parts []part
}{
	{"", []part{partPlan, partFolder, partDraft, partReview}},
	{"bug bugs fix crash crashes error errors ci pipeline build builds test tests api backend frontend code codebase repo repository refactor deploy deployment " +
		"database migration script function class module library dependency dependencies performance login endpoint server cli app parser", []part{partPlan, partFolder, partChange, partReview}},
	{"landing copy headline headlines tagline slogan design brief logo poster flyer banner branding website homepage wireframe mockup", []part{partPlan, partFolder, partCopy, partDesign}},
}

// plan chooses a script. The request appears in the tasks only as a quotation.
func plan(p contracts.Project) crew.Plan {
	heard := wordsOf(requestOf(p))
	best, top := scripts[0].parts, 0
	for _, s := range scripts[1:] {
		if n := hits(heard, s.words); n > top {
			best, top = s.parts, n
		}
	}
	var out crew.Plan
	var titles []string
	for i, t := range best {
		out.Tasks = append(out.Tasks, contracts.TaskDraft{Title: t.task, Kind: t.kind, Priority: i + 1, Description: t.about + "\n\nThe request: “" + strings.TrimSpace(requestOf(p)) + "”"})
		titles = append(titles, t.task)
	}
	out.Summary = "Rehearsal plan: " + strings.Join(titles, "; ") + "."
	return out
}

// requestOf returns what the person asked for.
func requestOf(p contracts.Project) string {
	if contracts.Blank(p.Request) {
		return p.Title
	}
	return p.Request
}

// wordsOf counts the words of a text, in lower case.
func wordsOf(text string) map[string]int {
	out := map[string]int{}
	for _, w := range strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		out[w]++
	}
	return out
}

// hits counts how many different words of a list occur.
func hits(heard map[string]int, list string) (n int) {
	for _, w := range strings.Fields(list) {
		n += min(heard[w], 1)
	}
	return n
}

// The options of question.
const (
	wayQuick    = "Quick and rough"
	wayThorough = "Thorough"
	wayOptions  = "Explain the options first"
)

// question is asked once per project, by the planning task. It makes sense for any request, and its
// answer decides what the plan looks like.
var question = crew.Ask{Prompt: "What matters most for this request?", Options: []string{wayQuick, wayThorough, wayOptions}, AllowFreeText: true}

// asks reports whether the job must ask first. The task that asks is identified by its authored
// title, so it is still the only one after a restart.
func asks(job crew.TaskJob) bool {
	first := len(job.Answers) == 0 && len(job.Previous) == 0 && job.Instructions == "" && job.Task.SplitFrom == ""
	return first && job.Task.Kind == partPlan.kind && job.Task.Title == partPlan.task
}

// wayOf returns the last answer to the question; zero if it was not asked.
func wayOf(job crew.TaskJob) (d contracts.Decision) {
	for _, a := range job.Answers {
		if a.Prompt == question.Prompt {
			d = a
		}
	}
	return d
}
