package rehearsal

import (
	"embed"
	"fmt"
	"slices"
	"strings"
	"sync"
	"text/template"

	"github.com/go-json-experiment/json"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/crew"
	"github.com/bullpen-office/bullpen/hud"
)

// material is the data for a page.
type material struct {
	Job      crew.TaskJob
	Approach contracts.Decision // the answered question; empty if none was asked
	Folder   *report            // nil if the page does not need the folder
	Siblings []source
}

//go:embed pages/*.md
var files embed.FS

var pages = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("").Funcs(template.FuncMap{
		"code": code, "file": file, "inline": inline, "quote": quote, "size": size, "count": count, "thousands": thousands, "words": func(s string) int { return len(strings.Fields(s)) },
	}).ParseFS(files, "pages/*.md"))
})

// templates maps kinds of tasks to the names of page templates.
var templates = map[contracts.TaskKind]string{
	contracts.KindPlan: "plan.md", contracts.KindResearch: "report.md", contracts.KindCode: "change.md",
	contracts.KindCopy: "draft.md", contracts.KindDesign: "design.md", contracts.KindReview: "review.md",
}

// compose returns the first version of a page.
func compose(m material) crew.Artifact {
	part := partOf(m.Job.Task)
	name := templates[part.kind]
	if part.task == partCopy.task {
		name = "copy.md"
	}
	var body strings.Builder
	if err := pages().ExecuteTemplate(&body, name, m); err != nil {
		panic(fmt.Errorf("render page %s: %w", name, err)) // a mistake in a template; tests render all templates
	}
	p := parse(body.String())
	p.title, p.lead = inline(part.page), lead(m.Job.Project)
	return crew.Artifact{Type: part.kindOfPage, Title: part.page, MIME: "text/markdown", Content: p.String()}
}

// partOf returns the part of the script for a task. A task whose title is not in the script keeps
// its title and gets the page for its kind.
func partOf(t contracts.Task) part {
	for _, p := range parts {
		if p.task == t.Title && p.kind == t.Kind {
			return p
		}
	}
	out := partDraft
	for _, p := range parts {
		if p.kind == t.Kind && p.task != partCopy.task {
			out = p
		}
	}
	out.task, out.page = "", hud.Shorten(t.Title, contracts.LimitTaskTitle)
	return out
}

// constraints returns a request's constraints as sorted lines of the form
// "name: value".
func constraints(p contracts.Project) (out []string) {
	for k, v := range p.Constraints {
		text, ok := v.(string)
		if !ok {
			b, _ := json.Marshal(v, json.Deterministic(true)) // cannot fail: v was decoded from JSON
			text = string(b)
		}
		out = append(out, contracts.CleanLine(k)+": "+contracts.CleanLine(text))
	}
	slices.Sort(out)
	return out
}

// Tasks returns the titles of the tasks in the project's plan.
func (m material) Tasks() (out []string) {
	for _, t := range plan(m.Job.Project).Tasks {
		out = append(out, t.Title)
	}
	return out
}

// Quoted returns "yes" if a page quotes the whole request, otherwise "no".
func (m material) Quoted(s source) string {
	return yesNo(strings.Contains(s.text, quote(requestOf(m.Job.Project))))
}

// Labelled returns "yes" if a page is marked as a rehearsal, otherwise "no".
func (m material) Labelled(s source) string { return yesNo(strings.Contains(s.text, notice)) }

func yesNo(ok bool) string {
	if ok {
		return "yes"
	}
	return "no"
}

// Text returns the artifact's content.
func (s source) Text() string { return s.text }

// Sections returns the number of sections on a page.
func (s source) Sections() int { return len(parse(s.text).sections) }

// Boxes returns the number of unticked check boxes on a page.
func (s source) Boxes() int { return strings.Count(s.text, "- [ ] ") }

// count formats a number with its noun: 1 file, 1,234 files.
func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	if before, ok := strings.CutSuffix(noun, "y"); ok {
		return thousands(n) + " " + before + "ies"
	}
	return thousands(n) + " " + noun + "s"
}

func thousands(n int) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// size formats a number of bytes as bytes, KB or MB.
func size(n int64) string {
	switch {
	case n >= 1000<<10: // avoids 1002.2 KB
		return fmt.Sprintf("%.1f MB", float64(n)/(1<<20))
	case n >= 1<<10:
		return fmt.Sprintf("%.1f KB", float64(n)/(1<<10))
	}
	return count(int(n), "byte")
}
