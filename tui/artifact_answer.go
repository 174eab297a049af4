package tui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/hud/work"
	"github.com/bullpen-office/bullpen/tui/link"
)

// newChanges returns the composer for requesting changes to a deliverable. The request also
// includes the user's comments on lines of a patch. Ctrl S adds the agents' findings to the
// request, or removes them again.
func (a *app) newChanges(art *contracts.Artifact) *composer {
	comments := a.comments[art.ArtifactID]
	findings := false
	c := &composer{
		name: "changes " + art.ArtifactID, label: "Changes", placeholder: contracts.SayWhatShouldChange, limit: contracts.LimitInstructions,
		send: func(text string, then func(link.Reply) tea.Cmd) tea.Cmd {
			return a.answerNow(art.ArtifactID, contracts.RequestChanges{ArtifactID: art.ArtifactID, Instructions: text, WithFindings: findings, ExpectedArtifactStatus: art.Status}, contracts.SaySentBack, then)
		},
		done: func() { a.closeArtifact(art.ArtifactID) },
	}
	if len(comments) > 0 {
		c.transform = func(text string) string { return work.Instructions(text, comments) }
	}
	c.extras = func() string {
		said, found := "", ""
		if len(comments) > 0 {
			said = contracts.SayCommentsSent.Of(len(comments))
		}
		if findings {
			found = "✓ " + contracts.SaySendFindings
		}
		return joinNonEmpty(" · ", said, found)
	}
	if findingCount(art) > 0 {
		c.flip = func() { findings = !findings }
		c.flipHint = func() string {
			return map[bool]string{false: contracts.SaySendFindings, true: "leave out the findings"}[findings]
		}
	}
	return c
}

// newSplit returns the composer that approves a deliverable and creates tasks from it.
func (a *app) newSplit(art *contracts.Artifact) *composer {
	return &composer{
		name: "split " + art.ArtifactID, label: "Tasks", placeholder: "one task per line (Alt+Enter); this also approves the version", limit: contracts.LimitSplitTasks * contracts.LimitTaskTitle,
		send: func(text string, then func(link.Reply) tea.Cmd) tea.Cmd {
			var titles []string
			for line := range strings.Lines(text) {
				if line = strings.TrimSpace(line); line != "" {
					titles = append(titles, line)
				}
			}
			return a.answerNow(art.ArtifactID, contracts.SplitIntoTasks{ArtifactID: art.ArtifactID, TaskTitles: titles, ExpectedArtifactStatus: art.Status}, contracts.SaySplitDone, then)
		},
		done: func() { a.closeArtifact(art.ArtifactID) },
	}
}

// closeArtifact closes a deliverable's screen if it is visible.
func (a *app) closeArtifact(id string) {
	if s, open := a.screen().(*artifactScreen); open && s.id == id {
		a.pop()
	}
}
