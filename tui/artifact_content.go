package tui

import (
	"fmt"
	"net/url"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/hud/work"
	"github.com/bullpen-office/bullpen/model"
)

// content is a cached response from the office, or the reason it could not be loaded.
type content struct {
	busy bool
	text string
	err  string
}

const contentsKept = 16

func contentPath(id string) string { return "/v1/artifacts/" + url.PathEscape(id) + "/content" }

// changesPath returns the API path of the changes between two versions of a patch.
func changesPath(before, after *contracts.Artifact) string {
	return "/v1/artifacts/" + url.PathEscape(after.ArtifactID) + "/changes?since=" + url.QueryEscape(before.ArtifactID)
}

// loadBoth loads the current version and the previous version, for comparison. For a patch, it
// loads the changes between the two versions instead of the previous version, but only if the
// screen shows these changes.
func (s *artifactScreen) loadBoth() tea.Cmd {
	art, before := s.app.office.Rows().Artifact(s.id), s.before()
	if art == nil || !isText(art.MIME) {
		return nil
	}
	cmd := s.load(contentPath(s.id))
	switch {
	case before == nil || !isText(before.MIME):
		return cmd
	case !isPatch(art):
		return tea.Batch(cmd, s.load(contentPath(before.ArtifactID)))
	case s.compares():
		return tea.Batch(cmd, s.load(changesPath(before, art)))
	}
	return cmd
}

// load loads a path, unless it has been loaded already.
func (s *artifactScreen) load(path string) tea.Cmd {
	if s.read[path] != nil {
		return nil
	}
	if len(s.read) >= contentsKept {
		clear(s.read)
	}
	read := s.read // forget may replace s.read in the meantime
	read[path] = &content{busy: true}
	return later(func() func() tea.Cmd {
		body, err := s.app.conn.Get(s.app.ctx, path, contracts.LimitArtifactBytes)
		return func() tea.Cmd {
			if err != nil {
				read[path] = &content{err: fmt.Sprintf(contracts.SayContentFailed, err.Error()+".")}
				return nil
			}
			read[path] = &content{text: model.Plain(string(body))}
			return nil
		}
	})
}

// forget drops the content of all versions, including content that is being loaded.
func (s *artifactScreen) forget() {
	s.read = map[string]*content{}
	s.view.forget()
}

// rereadArtifact reloads the content of the deliverable on the screen if the content was dropped.
func (a *app) rereadArtifact() tea.Cmd {
	if s, open := a.screen().(*artifactScreen); open {
		return s.loadBoth()
	}
	return nil
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

// messageDoc returns a document that consists of one sentence.
func messageDoc(words string, style lipgloss.Style) (of string, doc func() workDoc) {
	return words, func() (d workDoc) {
		d.add(workRow{})
		d.text(words, style)
		return d
	}
}

// body returns a name that identifies the document to show, and a function that builds the
// document.
func (s *artifactScreen) body(art *contracts.Artifact, w int) (of string, doc func() workDoc) {
	a := s.app
	c := s.read[contentPath(s.id)]
	switch {
	case !isText(art.MIME):
		return messageDoc(fmt.Sprintf("A terminal cannot show this file (%s, %s). Open it in the browser.", model.Bytes(int64(art.Bytes)), model.Line(art.MIME)), a.look.plain)
	case s.compares() && isPatch(art):
		return s.patchChanges(art)
	case c == nil || c.busy:
		return messageDoc(contracts.SayOpening, a.look.soft)
	case c.err != "":
		return messageDoc(c.err, a.look.bad)
	case s.compares():
		return s.textChanges(c.text)
	case !isPatch(art):
		return s.id, func() workDoc { return a.contentDoc(art, c.text, w) }
	}
	return fmt.Sprint(s.id, a.comments[s.id], a.reviewLines(art)), func() workDoc {
		if d, ok := a.patchDoc(c.text, art); ok {
			return d
		}
		return a.contentDoc(art, c.text, w)
	}
}

// patchChanges returns a document that shows the files that differ between a patch and its previous
// version.
func (s *artifactScreen) patchChanges(art *contracts.Artifact) (of string, doc func() workDoc) {
	a, before := s.app, s.before()
	c := s.read[changesPath(before, art)]
	switch {
	case c == nil || c.busy:
		return messageDoc(contracts.SayComparing, a.look.soft)
	case c.err != "":
		return messageDoc(c.err+" D shows the whole patch.", a.look.bad)
	case c.text == "":
		return messageDoc(fmt.Sprintf(contracts.SayNoFileChanged, before.Version)+" D shows the whole patch.", a.look.soft)
	}
	return "diff " + s.id, func() workDoc {
		d, _ := a.patchDoc(c.text, nil)
		if before.Base != art.Base {
			d.rows = append([]workRow{{gutter: " ", spans: []workSpan{{contracts.SayOtherBase, a.look.soft}}}, {}}, d.rows...)
		}
		return d
	}
}

// textChanges returns a document that shows the lines that differ between a text and its previous
// version.
func (s *artifactScreen) textChanges(text string) (of string, doc func() workDoc) {
	a, before := s.app, s.before()
	old := s.read[contentPath(before.ArtifactID)]
	switch {
	case old == nil || old.busy:
		return messageDoc(contracts.SayOpening, a.look.soft)
	case old.err != "":
		return messageDoc(old.err+" D shows the whole text of this version.", a.look.bad)
	case old.text == text:
		return messageDoc(fmt.Sprintf("Nothing changed since v%d. D shows the whole text.", before.Version), a.look.soft)
	}
	return "diff " + s.id, func() (d workDoc) {
		lines := work.Lines(old.text, text, 1)
		d.diff(&a.look, lines, digitsOf(lastNumber(lines)), false)
		return d
	}
}
