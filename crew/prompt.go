package crew

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/hud"
	"github.com/bullpen-office/bullpen/turn"
)

// text builds a prompt.
type text struct{ strings.Builder }

func (t *text) line(format string, args ...any) { fmt.Fprintf(t, format+"\n", args...) }

func (t *text) heading(title string) { t.line("\n# %s", title) }

// quote adds other people's text as a quotation, so that it cannot be mistaken for the office's own
// text.
func (t *text) quote(s string) {
	for line := range strings.Lines(contracts.CleanText(s)) {
		t.WriteString("> " + strings.TrimRight(line, "\n") + "\n")
	}
}

// list adds a title and the first lines of a list. An empty list adds nothing.
func (t *text) list(title string, lines []string) {
	if len(lines) == 0 {
		return
	}
	t.line("%s", title)
	for _, l := range lines[:min(len(lines), contracts.LimitPromptList)] {
		t.line("- %s", hud.Line(l, contracts.LimitSnapshotText))
	}
	if more := len(lines) - contracts.LimitPromptList; more > 0 {
		t.line("- … and %d more", more)
	}
}

func (c *Crew) introduce(t *text, agentID string) {
	p := c.Profile(agentID)
	t.line("You are %s, %s in a small office of agents that works for one person. This conversation is yours and continues from job to job.", p.Name, roleWords(p.Role))
}

func roleWords(role contracts.Role) string {
	switch role {
	case contracts.RoleBD:
		return "the director, who talks to the person and breaks requests into tasks,"
	case "":
		return "an agent"
	}
	return "the " + string(role)
}

// request adds the person's request.
func (t *text) request(p contracts.Project) {
	t.heading("The request")
	t.quote(p.Request)
	if len(p.Constraints) > 0 {
		t.line("\nConstraints:")
		for _, key := range slices.Sorted(maps.Keys(p.Constraints)) {
			t.line("- %s: %s", contracts.CleanLine(key), hud.Line(strings.Trim(string(hud.Value(p.Constraints[key])), `"`), contracts.LimitSnapshotText))
		}
	}
	if n := len(p.Attachments); n > 0 {
		t.line("\nAttachments (%d): %s", n, hud.Line(string(hud.Value(p.Attachments)), contracts.LimitNote))
	}
}

// office adds a short summary of the office, never the whole state.
func (t *text) office(s contracts.OfficeSummary) {
	var projects []string
	for _, p := range s.Projects {
		line := fmt.Sprintf("%s: %s, %d of %d tasks done", p.Title, p.Status, p.Done, p.Total)
		if len(p.Active) > 0 {
			line += "; now " + strings.Join(p.Active[:min(len(p.Active), 4)], ", ")
		}
		projects = append(projects, line)
	}
	if len(projects)+len(s.Decisions)+len(s.Reviews) == 0 {
		return
	}
	t.heading("The office now")
	t.list("Projects:", projects)
	t.list("Questions waiting for the person:", s.Decisions)
	t.list("Deliverables waiting for review:", s.Reviews)
}

func (c *Crew) planPrompt(job PlanJob) string {
	var t text
	c.introduce(&t, job.AgentID)
	t.line("A request came in. Plan it, but do not carry it out or change any files.")
	t.request(job.Project)
	t.office(c.Summary())
	t.heading("Your answer")
	t.line("Break the request into 1 to %d tasks that your colleagues can do in parallel, the most urgent first. Use as few tasks as you can.", contracts.LimitTurnFollowUps)
	t.line("End your last message with exactly one block of this form, and nothing after it:")
	t.line("%s", turn.Fence)
	t.line(`{"summary": "one or two sentences", "tasks": [{"title": "at most %d characters", "description": "what to deliver, and what matters", "kind": "research|plan|copy|design|code|review", "priority": 1}]}`, contracts.LimitTaskTitle)
	t.line("```")
	return t.String()
}

func (c *Crew) chatPrompt(job ChatJob) string {
	var t text
	c.introduce(&t, job.AgentID)
	t.line("The person wrote to you. Answer now, in plain text of at most %d characters, without a fenced block.", contracts.LimitPromptChatReply)
	t.office(job.Summary)
	t.heading("The message")
	t.quote(job.Chat.Text)
	return t.String()
}

// repairPrompt returns a prompt that explains why an answer was rejected and requests a valid
// answer.
func repairPrompt(bad error) string {
	var t text
	t.line("Your last message cannot be used: %s.", strings.TrimSuffix(bad.Error(), "."))
	t.line("Do nothing else now. Send the same answer again, in full and in the requested form.")
	return t.String()
}
