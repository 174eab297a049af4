package rehearsal

import (
	"strings"
	"unicode"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/crew"
)

// part is one task in a script, with its page and its description.
type part struct {
	task, page, kindOfPage string
	kind                   contracts.TaskKind
	about                  string
}

// The parts that scripts are made of.
var (
	partPlan   = part{"Plan the work", "Plan", "plan", contracts.KindPlan, "Ask what matters most, then write down the steps."}
	partFolder = part{"Look at the project folder", "Folder report", "report", contracts.KindResearch, "Report on the folder that the office was started in."}
	partChange = part{"Prepare the change", "Change checklist", "code", contracts.KindCode, "Write the checklist for the change, including the tests found in the folder."}
	partDraft  = part{"Lay out a first draft", "First draft", "copy", contracts.KindCopy, "Outline the draft, ready to be filled in."}
	partCopy   = part{"Lay out the copy", "Copy outline", "copy", contracts.KindCopy, "Outline the headline, text and call to action."}
	partDesign = part{"Write the design brief", "Design brief", "brief", contracts.KindDesign, "Describe the layout, colours and type."}
	partReview = part{"Review what was made", "Review notes", "review", contracts.KindReview, "Measure the pages and list what only a person can judge."}
)

var parts = []part{partPlan, partFolder, partChange, partDraft, partCopy, partDesign, partReview}

// scripts are the plans that the crew can make. The script with the most words in common with the
// request is used, or the first script if none has a word in common.
var scripts = []struct {
	words string
	parts []part
}{
	{"", []part{partPlan, partFolder, partDraft, partReview}},
	{"bug bugs fix crash crashes error errors ci pipeline build builds test tests api backend frontend code codebase repo repository refactor deploy deployment " +
		"database migration script function class module library dependency dependencies performance login endpoint server cli app parser", []part{partPlan, partFolder, partChange, partReview}},
	{"landing copy headline headlines tagline slogan design brief logo poster flyer banner branding website homepage wireframe mockup", []part{partPlan, partFolder, partCopy, partDesign}},
}

// plan returns the scripted plan that best fits the request. The tasks contain the request only as
// a quotation.
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

// requestOf returns a project's request, or its title if the request is blank.
func requestOf(p contracts.Project) string {
	if contracts.Blank(p.Request) {
		return p.Title
	}
	return p.Request
}

// wordsOf returns the number of times that each word occurs in text. The words are in lower case.
func wordsOf(text string) map[string]int {
	out := map[string]int{}
	for _, w := range strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		out[w]++
	}
	return out
}

// hits counts the words of a space-separated list that occur in heard.
func hits(heard map[string]int, list string) (n int) {
	for _, w := range strings.Fields(list) {
		n += min(heard[w], 1)
	}
	return n
}

// The options of the scripted question.
const (
	approachQuick    = "Quick and rough"
	approachThorough = "Thorough"
	approachOptions  = "Explain the options first"
)

// question is asked once per project, by the planning task. It makes sense for any request, and the
// answer determines the form of the plan.
var question = crew.Ask{Prompt: "What matters most for this request?", Options: []string{approachQuick, approachThorough, approachOptions}, AllowFreeText: true}

// asks reports whether the job must ask the question before it starts. Only the script's planning
// task asks, and only in its first run; the task is identified by its title, which is the same
// after a restart.
func asks(job crew.TaskJob) bool {
	first := len(job.Answers) == 0 && len(job.Previous) == 0 && job.Instructions == "" && job.Task.SplitFrom == ""
	return first && job.Task.Kind == partPlan.kind && job.Task.Title == partPlan.task
}

// approachOf returns the last answer to the scripted question, or the zero value if there is none.
func approachOf(job crew.TaskJob) (d contracts.Decision) {
	for _, a := range job.Answers {
		if a.Prompt == question.Prompt {
			d = a
		}
	}
	return d
}
