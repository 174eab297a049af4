package rehearsal

import (
	"fmt"
	"strings"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/crew"
)

func (b brief) composePlan(d *document, job crew.TaskJob) {
	goal := fmt.Sprintf("Deliver %s so that it works for %s.", b.topic(), b.readers())
	if b.emphasis != "" {
		goal += fmt.Sprintf(" When two things compete, **%s** comes first.", strings.ToLower(b.emphasis))
	}
	d.add("Goal", "%s", goal+" The result is good when somebody who has not seen the request understands it within a minute.")
	if b.audience != "" {
		d.add("Audience", "%s. Every milestone below ends with the question whether it helps them.", title(b.audience))
	}
	tasks := plan(job.Project).Tasks
	d.add("Scope", "**In scope**\n\n%s\n\n**Out of scope**\n\n%s", bullets(titles(tasks)...), bullets(
		"Anything that the request does not name",
		"Publishing and promotion, until the deliverables are approved",
	))
	d.add("Milestones", "%s", numbered(b.milestones(tasks)...))
	d.add("Risks", "%s", b.risks())
	d.add("Open questions", "%s", bullets(b.openQuestions()...))
	d.add("Next steps", "%s", numbered(
		"Read this plan and ask for changes where it is wrong.",
		fmt.Sprintf("Approve it, so that the work on %s can rely on it.", b.topic()),
		"Review each deliverable as it comes to the shelf.",
	))
}

func titles(tasks []contracts.TaskDraft) []string {
	var out []string
	for _, t := range tasks {
		out = append(out, t.Title)
	}
	return out
}

func (b brief) milestones(tasks []contracts.TaskDraft) []string {
	first := fmt.Sprintf("**Agreement.** Goal, scope and audience of %s are approved.", b.topic())
	switch strings.ToLower(b.emphasis) {
	case "speed":
		first = fmt.Sprintf("**Fast start.** The smallest useful piece of %s is agreed today; the rest may follow.", b.topic())
	case "quality":
		first = fmt.Sprintf("**Quality bar.** What counts as good for %s is written down before anything is made.", b.topic())
	case "low cost":
		first = fmt.Sprintf("**Budget.** What %s may cost in time is agreed; whatever exceeds it is cut.", b.topic())
	}
	out := []string{first}
	for _, t := range tasks {
		out = append(out, fmt.Sprintf("**%s.** Done when it was reviewed and approved.", t.Title))
	}
	return append(out, fmt.Sprintf("**Hand-over.** Everything about %s is in one place and has an owner.", b.topic()))
}

func (b brief) risks() string {
	rows := [][3]string{
		{fmt.Sprintf("%s means something else to each of us", title(b.topic())), "Reviews bring up the goal again", "Settle the goal first"},
		{"The scope grows", "New wishes arrive during reviews", "Each new wish becomes a task of its own"},
	}
	if b.audience == "" {
		rows = append(rows, [3]string{"The audience is only assumed", "Feedback contradicts itself", "Ask three people who would use it"})
	} else {
		rows = append(rows, [3]string{fmt.Sprintf("It misses %s", b.readers()), "They do not recognise their own words", "Show a draft to three of them"})
	}
	if b.length != "" {
		rows = append(rows, [3]string{fmt.Sprintf("The length (%s) is not kept", b.length), "Drafts grow in review", "Cut before adding"})
	}
	var sb strings.Builder
	sb.WriteString("| Risk | Sign | Answer |\n|---|---|---|\n")
	for _, r := range rows {
		fmt.Fprintf(&sb, "| %s | %s | %s |\n", cell(r[0]), cell(r[1]), cell(r[2]))
	}
	return sb.String()
}

// cell keeps a table whole whatever the request contains.
func cell(s string) string { return strings.ReplaceAll(s, "|", "\\|") }

func (b brief) openQuestions() []string {
	out := []string{fmt.Sprintf("By when is %s needed?", b.topic()), "Who gives the final approval?"}
	if b.audience == "" {
		out = append(out, "Who exactly is it for?")
	}
	if b.tone == "" {
		out = append(out, "Which tone fits?")
	}
	for _, n := range b.names {
		out = append(out, fmt.Sprintf("What exactly do we need from or about %s?", n))
	}
	return out
}
