package rehearsal

import (
	"fmt"
	"strings"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/crew"
	"github.com/bullpen-office/bullpen/hud"
)

// compose writes the first version of a task's deliverable.
func compose(b brief, job crew.TaskJob, siblings []source) crew.Artifact {
	d := document{title: hud.Shorten(documentTitle(job.Task.Title), contracts.LimitTaskTitle)}
	d.lead = b.lead(job)
	kind := "plan"
	switch job.Task.Kind {
	case contracts.KindResearch:
		kind = "report"
		b.composeResearch(&d)
	case contracts.KindCopy:
		kind = "copy"
		b.composeCopy(&d)
	case contracts.KindDesign:
		kind = "brief"
		b.composeDesign(&d)
	case contracts.KindCode:
		kind = "code"
		b.composeCode(&d, job.Task)
	case contracts.KindReview:
		kind = "review"
		b.composeReview(&d, job, siblings)
	default:
		b.composePlan(&d, job)
	}
	b.addDecisions(&d)
	return crew.Artifact{Type: kind, Title: d.title, MIME: "text/markdown", Content: d.String()}
}

// documentTitle turns an instruction into a name: "Write a landing page plan"
// becomes "Landing page plan".
func documentTitle(taskTitle string) string {
	p := newPhrase(taskTitle)
	if v, object := p.verb(); v != "" && len(object) > 0 && (weakVerbs[v] != "" || genericVerbs[v]) {
		p = object.bare()
	}
	return title(strings.TrimRight(p.String(), " ,.;:"))
}

func (b brief) lead(job crew.TaskJob) string {
	lines := []string{fmt.Sprintf("For the request: “%s”", b.text)}
	for _, c := range b.constraints {
		lines = append(lines, fmt.Sprintf("%s: %s", title(c.key), c.value))
	}
	if job.Task.Assignee != "" {
		lines = append(lines, "By "+profile(job.Task.Assignee).Name)
	}
	return strings.Join(lines, "  \n")
}

// addDecisions shows what a person decided, right after the first section.
func (b brief) addDecisions(d *document) {
	if len(b.decisions) == 0 {
		return
	}
	var items []string
	for _, x := range b.decisions {
		line := fmt.Sprintf("%s **%s**", x.Prompt, x.Choice)
		if x.Note != "" {
			line += " — " + x.Note
		}
		items = append(items, line)
	}
	s := section{"Decisions taken", bullets(items...)}
	at := min(1, len(d.sections))
	d.sections = append(d.sections[:at], append([]section{s}, d.sections[at:]...)...)
}

// readers names for whom something is made, also when nobody said so.
func (b brief) readers() string {
	if b.audience == "" {
		return "the people it is for"
	}
	return lowerFirst(b.audience)
}

// addressed is the same in a text that speaks to them.
func (b brief) addressed() string {
	if b.audience == "" {
		return "our readers"
	}
	return b.readers()
}

// lowerFirst takes the capital off an answer in mid-sentence, but not off a name.
func lowerFirst(s string) string {
	p := newPhrase(s)
	if len(p) == 0 || p[0] == strings.ToUpper(p[0]) {
		return s
	}
	if _, known := singular(peopleWords, key(p[0])); known || len(p) > 1 {
		return strings.ToLower(s[:1]) + s[1:]
	}
	return s
}

func (b brief) short() bool { return strings.Contains(strings.ToLower(b.length), "short") }

// topic is the subject with an article, for running text.
func (b brief) topic() string { return definite(b.subject) }
