package tui

import (
	"fmt"
	"net/url"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/tui/link"
	"github.com/bullpen-office/bullpen/tui/model"
)

// content is what a version contains. Versions never change, so what was read
// once is kept.
type content struct {
	busy bool
	text string
	err  string
}

const contentsKept = 16

// artifactScreen is a deliverable, large: read it, compare its versions, say yes
// or no.
type artifactScreen struct {
	app     *app
	id      string
	top     int
	compare bool
	refusal string
	read    map[string]*content
	drawn   struct {
		key   string
		lines []string
	}
	height int
}

// openArtifact shows a deliverable.
func (a *app) openArtifact(id string) tea.Cmd {
	s := &artifactScreen{app: a, id: id, read: map[string]*content{}}
	if old, open := a.screen().(*artifactScreen); open {
		s.read = old.read
		a.pop()
	}
	a.push(s)
	return s.load(id)
}

// load reads what a version contains.
func (s *artifactScreen) load(id string) tea.Cmd {
	art := s.app.office.Rows().Artifact(id)
	if art == nil || s.read[id] != nil || !isText(art.MIME) {
		return nil
	}
	if len(s.read) >= contentsKept {
		clear(s.read)
	}
	s.read[id] = &content{busy: true}
	return later(func() func() tea.Cmd {
		body, err := s.app.door.Get(s.app.ctx, "/v1/artifacts/"+url.PathEscape(id)+"/content", contracts.LimitArtifactBytes)
		return func() tea.Cmd {
			if err != nil {
				s.read[id] = &content{err: "The office did not give the content of this deliverable: " + err.Error() + "."}
				return nil
			}
			s.read[id] = &content{text: model.Plain(string(body))}
			return nil
		}
	})
}

func isText(mime string) bool {
	mime, _, _ = strings.Cut(mime, ";")
	switch {
	case mime == "" || strings.HasPrefix(mime, "text/"):
		return true
	case !strings.HasPrefix(mime, "application/"):
		return false
	}
	kind := strings.TrimPrefix(mime, "application/")
	return slices.Contains([]string{"json", "xml", "javascript", "yaml", "toml"}, kind) || strings.HasPrefix(kind, "x-") || strings.HasSuffix(kind, "+json") || strings.HasSuffix(kind, "+xml")
}

func (s *artifactScreen) hints() []hint {
	var list []hint // what can be said to a review stands above it
	if len(s.app.office.Rows().Versions(s.id)) > 1 {
		list = append(list, hint{"[ ]", "version"}, hint{"D", "what changed"})
	}
	return append(list, hint{"↑↓", "scroll"})
}

func (s *artifactScreen) scroll(by int) { s.top = max(0, s.top+by) }

func (s *artifactScreen) key(k string) (tea.Cmd, bool) {
	a := s.app
	art := a.office.Rows().Artifact(s.id)
	review := art != nil && art.Status == contracts.ArtifactInReview && !a.sent[s.id]
	switch k {
	case "y", "Y":
		if review {
			return a.approve(art, s.replied), true
		}
		return nil, true
	case "n", "N":
		if review {
			return a.compose(a.newChanges(art)), true
		}
		return nil, true
	case "s", "S":
		if review {
			return a.compose(a.newSplit(art)), true
		}
		return nil, true
	case "[", "]":
		return s.turn(map[string]int{"[": -1, "]": 1}[k]), true
	case "d", "D":
		s.compare, s.top = !s.compare, 0
		if before := s.before(); s.compare && before != nil {
			return s.load(before.ArtifactID), true
		}
		return nil, true
	}
	if by := step(k, max(1, s.height-2)); by != 0 {
		s.scroll(by)
		return nil, true
	}
	return nil, false
}

func (s *artifactScreen) replied(reply link.Reply) tea.Cmd {
	s.refusal = ""
	if !reply.OK {
		s.refusal = reply.Message
		return nil
	}
	if s.app.screen() == screen(s) {
		s.app.pop()
	}
	return nil
}

// turn goes to another version.
func (s *artifactScreen) turn(by int) tea.Cmd {
	list := s.app.office.Rows().Versions(s.id)
	at := slices.IndexFunc(list, func(v contracts.Artifact) bool { return v.ArtifactID == s.id }) + by
	if at < 0 || at >= len(list) {
		return nil
	}
	s.id, s.top, s.refusal = list[at].ArtifactID, 0, ""
	return s.load(s.id)
}

// before is the version before this one; nil when it is the first.
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
		return block{lines: []string{"", a.look.soft.Render(" This deliverable is not in the office any more.")}}
	}
	var b block
	title := art.Title
	if title == "" {
		title = art.Type
	}
	b.add(split(a.look.title.Render(" "+model.Line(title)), s.versionWords(), w), a.look.soft.Render(clip(" "+s.meta(art), w)))
	if a.sent[art.ArtifactID] {
		b.add(a.look.soft.Render(" Sending…"))
	} else if art.Status == contracts.ArtifactInReview {
		b.add(clip(" "+a.look.need.Render("Y Approve")+"   "+a.look.key.Render("N")+a.look.soft.Render(" Request changes")+"   "+a.look.key.Render("S")+a.look.soft.Render(" Split into tasks"), w))
	}
	b.add(painted(a.look.bad, indent(wrapped(s.refusal, w-4, 2)))...)
	b.add(a.look.rule.Render(strings.Repeat("─", w)))
	s.height = h - len(b.lines)
	lines := s.body(art, w)
	s.top = max(0, min(s.top, len(lines)-s.height))
	end := min(len(lines), s.top+s.height)
	b.add(lines[s.top:end]...)
	if end < len(lines) && s.height > 1 {
		b.lines[len(b.lines)-1] = a.look.soft.Render(fmt.Sprintf(" … %d more lines ↓", len(lines)-end+1))
	}
	return b
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
	by, size, tag := "", "", ""
	if art.CreatedBy != "" {
		by = "by " + s.app.office.Rows().Name(art.CreatedBy)
	}
	if art.Bytes > 0 {
		size = model.Bytes(int64(art.Bytes))
	}
	if art.Rehearsal {
		tag = "Rehearsal"
	}
	hash := art.SHA256[:min(8, len(art.SHA256))]
	return model.Line(inOne(" · ", model.ArtifactWords(art.Status), by, tag, art.Type, size, art.MIME, hash))
}

// body is the content as lines.
func (s *artifactScreen) body(art *contracts.Artifact, w int) []string {
	a := s.app
	if !isText(art.MIME) {
		return []string{"", fmt.Sprintf(" %s of %s. A terminal cannot show it; the browser can.", model.Bytes(int64(art.Bytes)), model.Line(art.MIME))}
	}
	c := s.read[s.id]
	before := s.before()
	switch {
	case c == nil || c.busy:
		return []string{"", a.look.soft.Render(" Opening…")}
	case c.err != "":
		return painted(a.look.bad, indent(wrap(c.err, w-4)))
	case s.compare && before != nil:
		old := s.read[before.ArtifactID]
		if old == nil || old.busy {
			return []string{"", a.look.soft.Render(" Opening…")}
		}
		return append([]string{a.look.soft.Render(fmt.Sprintf(" Changes since v%d", before.Version))}, a.diffLines(old.text, c.text, w)...)
	}
	key := fmt.Sprint(s.id, w, a.look.dark, a.look.ascii)
	if s.drawn.key != key {
		s.drawn.key, s.drawn.lines = key, a.contentLines(art, c.text, w)
	}
	return s.drawn.lines
}
