package rehearsal

import (
	"fmt"
	"strings"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/crew"
)

// composeReview checks the deliverables that exist. What it says about them was
// really measured; what needs judgement is left as a box to tick.
func (b brief) composeReview(d *document, job crew.TaskJob, siblings []source) {
	d.add("What was checked", "%s", b.checkedText(len(siblings)))
	if len(siblings) > 0 {
		d.add("Measured", "%s", b.measured(siblings))
	}
	if len(siblings) == 0 {
		d.add("To be checked", "%s", b.plannedBoxes(job))
	}
	for _, s := range siblings {
		d.add("Check: "+s.Title, "%s", b.boxes(s))
	}
	d.add("Against the request", "%s", b.requestBoxes())
	d.add("Verdict", "%s", b.verdict(siblings))
}

func (b brief) checkedText(n int) string {
	if n == 0 {
		return fmt.Sprintf("Nothing is on the shelf yet, so this is the checklist for %s. Run the review again once the deliverables are there.", b.topic())
	}
	return fmt.Sprintf("%d deliverable(s) for %s, read from beginning to end.", n, b.topic())
}

// plannedBoxes lists what the plan promises, each with how to tell that it is done.
func (b brief) plannedBoxes(job crew.TaskJob) string {
	var out []string
	for _, d := range plan(job.Project).Tasks {
		if d.Kind == contracts.KindReview {
			continue
		}
		out = append(out, box(false)+fmt.Sprintf("**%s** — %s", d.Title, map[contracts.TaskKind]string{
			contracts.KindResearch: "every claim has a source and a date",
			contracts.KindPlan:     "each milestone has an end that can be seen",
			contracts.KindCopy:     "it was read aloud once, and nothing had to be explained",
			contracts.KindDesign:   "it works small, in grey and on a phone",
			contracts.KindCode:     "its tests run, and one of them fails when the code is broken",
		}[d.Kind]))
	}
	return strings.Join(out, "\n")
}

func (b brief) measured(siblings []source) string {
	var sb strings.Builder
	sb.WriteString("| Deliverable | Version | Words | Sections | Left open | Names the subject |\n|---|---|---|---|---|---|\n")
	for _, s := range siblings {
		fmt.Fprintf(&sb, "| %s | %d | %d | %d | %d | %s |\n", cell(s.Title), s.Version, len(strings.Fields(s.text)),
			strings.Count(s.text, "\n## "), strings.Count(s.text, unfilled), yes(b.namesSubject(s.text)))
	}
	return sb.String()
}

func (b brief) namesSubject(text string) bool {
	return strings.Contains(strings.ToLower(text), strings.ToLower(strings.Trim(b.subject, "“”…")))
}

func yes(ok bool) string {
	if ok {
		return "yes"
	}
	return "no"
}

func (b brief) boxes(s source) string {
	out := []string{
		box(b.namesSubject(s.text)) + fmt.Sprintf("It is about %s", b.topic()),
		box(strings.Count(s.text, unfilled) == 0) + "Nothing is left open",
		box(false) + "Somebody who did not write it has read it",
	}
	if b.tone != "" {
		out = append(out, box(strings.Contains(strings.ToLower(s.text), strings.ToLower(b.tone)))+fmt.Sprintf("It says which tone it has (%s)", b.tone))
	}
	return strings.Join(out, "\n")
}

func box(done bool) string {
	if done {
		return "- [x] "
	}
	return "- [ ] "
}

func (b brief) requestBoxes() string {
	var out []string
	for _, it := range b.items {
		out = append(out, box(false)+fmt.Sprintf("“%s” is answered", trimPunct(it.phrase.String())))
	}
	for _, c := range b.constraints {
		out = append(out, box(false)+fmt.Sprintf("%s: %s is kept", title(c.key), c.value))
	}
	out = append(out, box(false)+fmt.Sprintf("It helps %s", b.readers()))
	return strings.Join(out, "\n")
}

func (b brief) verdict(siblings []source) string {
	open := 0
	for _, s := range siblings {
		open += strings.Count(s.text, unfilled)
	}
	switch {
	case len(siblings) == 0:
		return "Too early to say."
	case open > 0:
		return fmt.Sprintf("Complete in form. %d place(s) wait for real research before anybody relies on them.", open)
	}
	return "Complete in form. Whether it is good is for a person to say: tick the open boxes."
}
