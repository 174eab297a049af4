package tui

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/model"
)

// artifactScreen shows a deliverable. The user can read it, compare its versions, approve it or
// request changes.
type artifactScreen struct {
	app     *app
	id      string
	view    *workView
	whole   bool // show the whole text, not the changes
	preview bool // shown next to a list, without review keys
	read    map[string]*content
}

// openArtifact opens a deliverable's screen and loads its content.
func (a *app) openArtifact(id string) tea.Cmd {
	s := &artifactScreen{app: a, id: id, view: newWorkView(a), read: map[string]*content{}}
	if old, open := a.screen().(*artifactScreen); open {
		s.read = old.read
		a.pop()
	}
	a.push(s)
	return s.loadBoth()
}

func (s *artifactScreen) finder() *finder { return &s.view.find }

func (s *artifactScreen) found() string { return s.view.found() }

func (s *artifactScreen) hints() []hint {
	var list []hint // without the review keys, which are in the line above
	if s.before() != nil {
		list = append(list, hint{"D", map[bool]string{true: "whole text", false: "what changed"}[s.compares()]})
	}
	if len(s.app.office.Rows().Versions(s.id)) > 1 {
		list = append(list, hint{"[ ]", "version"})
	}
	return append(list, s.view.hints()...)
}

func (s *artifactScreen) scroll(by int) { s.view.scroll(by) }

// compares reports whether the screen shows the changes since the previous version. That is the
// default if a previous version exists, except for a patch, which shows changes itself.
func (s *artifactScreen) compares() bool {
	art := s.app.office.Rows().Artifact(s.id)
	return s.before() != nil && s.whole == (art != nil && isPatch(art))
}

// reviews reports whether the screen shows a patch whose lines can have comments.
func (s *artifactScreen) reviews(art *contracts.Artifact) bool {
	return art != nil && isPatch(art) && !s.compares()
}

func (s *artifactScreen) key(k string) (tea.Cmd, bool) {
	a := s.app
	art := a.office.Rows().Artifact(s.id)
	review := art != nil && art.Status == contracts.ArtifactInReview && !a.sent[s.id]
	if s.reviews(art) {
		if cmd, used := s.patchKey(k, art, review); used {
			return cmd, true
		}
	}
	switch k {
	case "y", "Y":
		if review {
			a.closeArtifact(s.id)
			return a.approve(art), true
		}
		return nil, true
	case "c", "C":
		if review {
			return a.compose(a.newChanges(art)), true
		}
		return nil, false
	case "n", "N":
		if (s.compares() || s.reviews(art)) && k == "n" {
			break // go to the next hunk
		}
		if review {
			return a.compose(a.newChanges(art)), true
		}
		return nil, true
	case "v", "V":
		if t := s.task(art); t != nil && t.Verdict != "" {
			a.openReceipt(t.TaskID)
			return nil, true
		}
	case "m", "M":
		if t := s.task(art); landable(t) {
			a.openLanding(t)
			return nil, true
		}
	case "s", "S":
		if review {
			return a.compose(a.newSplit(art)), true
		}
		return nil, true
	case "[", "]":
		return s.switchVersion(map[string]int{"[": -1, "]": 1}[k]), true
	case "d", "D":
		if s.before() != nil {
			s.whole = !s.whole
			s.view.reset()
			return s.loadBoth(), true
		}
		return nil, true
	}
	return nil, s.view.key(k)
}

// task returns the task of a deliverable, or nil if there is none.
func (s *artifactScreen) task(art *contracts.Artifact) *contracts.Task {
	if art == nil {
		return nil
	}
	return s.app.office.Rows().Task(art.TaskID)
}

// switchVersion switches to another version; it does nothing past the first or the last one.
func (s *artifactScreen) switchVersion(by int) tea.Cmd {
	list := s.app.office.Rows().Versions(s.id)
	at := slices.IndexFunc(list, func(v contracts.Artifact) bool { return v.ArtifactID == s.id }) + by
	if at < 0 || at >= len(list) {
		return nil
	}
	s.id = list[at].ArtifactID
	s.view.reset()
	return s.loadBoth()
}

// before returns the previous version, or nil.
func (s *artifactScreen) before() *contracts.Artifact {
	list := s.app.office.Rows().Versions(s.id)
	for i := 1; i < len(list); i++ {
		if list[i].ArtifactID == s.id {
			return &list[i-1]
		}
	}
	return nil
}

func (s *artifactScreen) draw(w, h int) block {
	a := s.app
	art := a.office.Rows().Artifact(s.id)
	if art == nil {
		return block{lines: []string{"", a.look.soft.Render(" " + contracts.SayArtifactGone)}}
	}
	var b block
	title := cmp.Or(art.Title, art.Type)
	b.add(split(a.look.title.Render(" "+model.Line(title)), s.versionWords(), w), a.look.soft.Render(clip(" "+s.meta(art), w)))
	if line := s.proofLine(art); line != "" {
		b.add(clip(line, w))
	}
	if a.sent[art.ArtifactID] {
		b.add(a.look.soft.Render(" " + a.sentWords(art.ArtifactID)))
	} else if art.Status == contracts.ArtifactInReview && !s.preview {
		b.add(clip(" "+a.look.need.Render("Y Approve")+s.reviewKeys(art), w))
	}
	b.add(painted(a.look.bad, indent(wrapped(a.refused[art.ArtifactID], w-4, 2)))...)
	b.add("")
	rule := len(b.lines) - 1
	of, doc := s.body(art, w)
	s.view.fill(of, doc, w, h-len(b.lines))
	b.lines[rule] = s.drawRule(w)
	b.add(s.view.draw()...)
	return b
}

// proofLine returns the verdict on a patch's files and the keys for its receipt, for landing it and
// for asking an agent to review it. It returns "" if there is nothing to show.
func (s *artifactScreen) proofLine(art *contracts.Artifact) string {
	a := s.app
	line := ""
	var keys []hint
	if t := s.task(art); t != nil && t.Verdict != "" {
		badge, style := a.look.verdictBadge(t.Verdict)
		line = " " + style.Render(badge)
		keys = append(keys, hint{"V", contracts.SayReceipt})
		if landable(t) {
			keys = append(keys, hint{"M", fmt.Sprintf(contracts.SayLandIn, targetOf(t))})
		}
	}
	if s.reviews(art) && !s.preview && !a.sent[art.ArtifactID] && a.office.Rows().CanAskReview(art) {
		keys = append(keys, hint{"E", contracts.SayAskReview})
	}
	return line + a.keyWords(keys)
}

// reviewKeys returns the keys for reviewing a version, without the key for approval.
func (s *artifactScreen) reviewKeys(art *contracts.Artifact) string {
	hints := []hint{{"C", contracts.SayRequestChanges}, {"S", contracts.SaySplit}}
	if s.reviews(art) {
		hints = []hint{{"C", "Comment on the line"}, {"R", contracts.SayRequestChanges}, {"S", contracts.SaySplit}}
	}
	return s.app.keyWords(hints)
}

// keyWords returns text that lists keys and their effects, for a line of the screen's head.
func (a *app) keyWords(hints []hint) string {
	var b strings.Builder
	for _, h := range hints {
		b.WriteString("   " + a.look.key.Render(h.key) + a.look.soft.Render(" "+h.does))
	}
	return b.String()
}

// drawRule draws the line between the head and the text, with the current view and position.
func (s *artifactScreen) drawRule(w int) string {
	a := s.app
	words := ""
	if before := s.before(); before != nil && s.compares() {
		words = " " + fmt.Sprintf(contracts.SayChangesSince, before.Version) + " "
	}
	position := s.view.positionWords()
	if position != "" {
		position = " " + position + " "
	}
	room := max(0, w-2-lipgloss.Width(words)-lipgloss.Width(position))
	return a.look.rule.Render("──") + a.look.soft.Render(words) + a.look.rule.Render(strings.Repeat("─", room)) + a.look.soft.Render(position)
}

func (s *artifactScreen) versionWords() string {
	var parts []string
	for _, v := range s.app.office.Rows().Versions(s.id) {
		style := s.app.look.tab
		if v.ArtifactID == s.id {
			style = s.app.look.tabOn
		}
		parts = append(parts, style.Render("v"+itoa(v.Version)))
	}
	return strings.Join(parts, " ") + " "
}

func (s *artifactScreen) meta(art *contracts.Artifact) string {
	by, size, tag, stat := "", "", "", ""
	if art.CreatedBy != "" {
		by = "by " + s.app.office.Rows().Name(art.CreatedBy)
	}
	if art.Bytes > 0 {
		size = model.Bytes(int64(art.Bytes))
	}
	if art.Rehearsal {
		tag = contracts.SayRehearsal
	}
	if art.Stat != nil {
		stat = fmt.Sprintf("%s +%d −%d", contracts.SayFiles.Of(art.Stat.Files), art.Stat.Added, art.Stat.Deleted)
	}
	hash := art.SHA256[:min(8, len(art.SHA256))]
	return model.Line(joinNonEmpty(" · ", model.ArtifactWords(art.Status), by, tag, art.Type, stat, size, art.MIME, hash))
}
