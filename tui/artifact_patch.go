package tui

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/hud/work"
	"github.com/bullpen-office/bullpen/model"
	"github.com/bullpen-office/bullpen/tui/link"
)

func isPatch(art *contracts.Artifact) bool {
	mime, _, _ := strings.Cut(art.MIME, ";")
	return mime == "text/x-diff" || mime == "text/x-patch"
}

// changeLetters are git's status letters for files.
var changeLetters = map[work.Change]string{work.ChangeCreate: "A", work.ChangeDelete: "D", work.ChangeRename: "R"}

// patchDoc returns the document for a patch: what agents said about it, the list of its files, then
// the lines of each file with findings and comments. Generated and large files without findings are
// folded. art is nil for changes whose lines cannot have remarks. ok is false if text is not a
// patch.
func (a *app) patchDoc(text string, art *contracts.Artifact) (d workDoc, ok bool) {
	l := &a.look
	files := work.Unified(text, "", work.ChangeEdit)
	if len(files) == 0 {
		return d, false
	}
	for i, f := range files {
		if i == contracts.LimitReviewFiles {
			d.line(contracts.SayMoreFiles.Of(len(files)-i), l.soft)
			break
		}
		counts := fmt.Sprintf("+%d −%d", f.Added, f.Removed)
		if f.Binary {
			counts = contracts.SayBinaryFile
		}
		spans := []workSpan{{cmp.Or(changeLetters[f.Change], "M") + " ", l.key}, {model.Line(f.Path), l.plain}, {"  " + counts, l.soft}}
		d.add(workRow{gutter: " ", spans: spans})
	}
	var findings []remark
	if art != nil {
		findings = a.findings(art)
	}
	for i, f := range files {
		d.add(workRow{})
		d.reviewed = &files[i]
		d.patchFile(l, f, slices.ContainsFunc(findings, func(r remark) bool { return r.spot.Path == f.Path || r.spot.Path == f.From }))
	}
	d.reviewed = nil
	if art != nil {
		d.reviewHead(a, art, d.remark(slices.Concat(findings, a.commented(art))))
	}
	return d, true
}

// patchFile adds a file from a patch, and folds it if f.Folded returns true and it has no findings.
func (d *workDoc) patchFile(l *look, f work.File, found bool) {
	from := len(d.rows) + 1 // the first row after the file's name
	d.file(l, f, found)
	if found || !f.Folded() || from >= len(d.rows) {
		return
	}
	for i := from; i < len(d.rows); i++ {
		d.rows[i].folded = true
	}
	words := contracts.SayShowLines.Of(f.Added + f.Removed)
	if work.Generated(f.Path) {
		words = contracts.SayGeneratedFile + ": " + words
	}
	d.folds = true
	d.rows = slices.Insert(d.rows, from, workRow{gutter: " ⋯ ", tone: l.soft, fold: f.Added + f.Removed, spans: []workSpan{{words, l.soft}}})
}

// newComment returns the composer for a comment on a line of a patch. A line has at most
// one comment, so the composer starts with the text of the existing comment, if there is one.
func (a *app) newComment(art *contracts.Artifact, spot work.Spot) *composer {
	name := "comment " + art.ArtifactID + " " + spot.String()
	at := slices.IndexFunc(a.comments[art.ArtifactID], func(c work.Comment) bool { return c.Spot == spot })
	if at >= 0 && a.drafts[name] == "" {
		a.drafts[name] = a.comments[art.ArtifactID][at].Text
	}
	return &composer{
		name: name, label: "Comment", placeholder: fmt.Sprintf(contracts.SayCommentOn, model.Line(spot.String())), limit: contracts.LimitInstructions,
		send: func(text string, then func(link.Reply) tea.Cmd) tea.Cmd {
			a.uncomment(art.ArtifactID, spot)
			a.comments[art.ArtifactID] = append(a.comments[art.ArtifactID], work.Comment{Spot: spot, Text: text})
			return then(link.Reply{OK: true})
		},
	}
}

// uncomment removes the comment on a line.
func (a *app) uncomment(id string, spot work.Spot) {
	a.comments[id] = slices.DeleteFunc(a.comments[id], func(c work.Comment) bool { return c.Spot == spot })
}

// patchKey handles the keys that act on a patch, and returns false for all others. The arrow keys
// select a line, C comments on it, X removes its comment, R requests changes, and E asks for a
// review.
func (s *artifactScreen) patchKey(k string, art *contracts.Artifact, review bool) (tea.Cmd, bool) {
	a := s.app
	switch k {
	case "up", "down", "j", "k":
		return nil, s.view.movePick(step(k, 1))
	case "c", "C":
		if spot := s.view.picked(); review && spot != nil {
			return a.compose(a.newComment(art, *spot)), true
		}
		return nil, true
	case "r", "R":
		if review {
			return a.compose(a.newChanges(art)), true
		}
		return nil, true
	case "e", "E":
		if review && a.office.Rows().CanAskReview(art) {
			return a.askReview(art), true
		}
		return nil, true
	case "x", "X":
		if spot := s.view.picked(); review && spot != nil {
			a.uncomment(art.ArtifactID, *spot)
		}
		return nil, true
	}
	return nil, false
}
