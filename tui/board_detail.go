package tui

import (
	"fmt"

	tea "charm.land/bubbletea/v2"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/model"
)

// detailText is how many lines of a task's description are shown above its result.
const detailText = 6

// peek loads the result of the selected task if the terminal is wide enough to show it next to the
// board.
func (s *boardScreen) peek() tea.Cmd {
	a := s.app
	if a.screen() != screen(s) || !wide(a.w) {
		return nil
	}
	result := a.office.Rows().ResultOf(s.task)
	if result == nil {
		s.result = nil
		return nil
	}
	if s.result == nil || s.result.id != result.ArtifactID {
		s.result = &artifactScreen{app: a, id: result.ArtifactID, preview: true, view: newWorkView(a), read: map[string]*content{}}
	}
	return s.result.loadBoth()
}

// drawDetail draws the selected task: its description, its assignee and its result.
func (s *boardScreen) drawDetail(w, h int) block {
	a := s.app
	rows := a.office.Rows()
	t := rows.Task(s.task)
	if t == nil {
		return block{lines: []string{"", a.look.soft.Render(" Select a task with ↑ ↓ to see its details here.")}}
	}
	var b block
	sign, style := a.look.ofTask(t.Status)
	b.add(painted(a.look.title, indent(wrapped(t.Title, w-4, 2)))...)
	who := ""
	if t.Assignee != "" {
		who = rows.Name(t.Assignee)
	}
	b.add(clip("  "+style.Render(sign+" "+model.TaskWords(t.Status))+a.look.soft.Render("  "+model.Line(joinNonEmpty(" · ", who, string(t.Kind), attemptWords(t)))), w))
	if t.Status == contracts.TaskInProgress {
		b.add("  " + a.look.bar(model.Percent(t), w-4))
	}
	if badge, style := a.look.verdictBadge(t.Verdict); badge != "" {
		b.add(clip("  "+style.Render(badge)+a.look.soft.Render("  "+contracts.VerdictNotes[t.Verdict]), w))
	}
	b.add(painted(a.look.need, indent(a.collisionLines(t, w-4)))...)
	b.add(indent(a.landingLines(t, w-4))...)
	b.add(painted(a.look.need, indent(wrapped(t.BlockedReason, w-4, 3)))...)
	b.add(indent(wrapped(t.Description, w-4, detailText))...)
	if s.result == nil || rows.Artifact(s.result.id) == nil {
		return b
	}
	b.add("")
	b.put(s.result.draw(w, h-len(b.lines)))
	return b
}

func attemptWords(t *contracts.Task) string {
	if t.Attempt < 2 {
		return ""
	}
	return fmt.Sprintf("attempt %d", t.Attempt)
}
