package tui

import (
	"fmt"
	"maps"
	"slices"

	tea "charm.land/bubbletea/v2"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/hud/work"
	"github.com/bullpen-office/bullpen/model"
)

// nodeDoc returns a document for a turn, tool call or thought: its view, and the arguments and
// results that the view leaves out.
func (s *activityScreen) nodeDoc(n *model.Node) (d workDoc) {
	l := &s.app.look
	whole := s.whole[n.ID]
	result := n.Result
	if whole.result != nil {
		result = whole.result
	}
	v := work.Of(n.Tool, n.Args, result)
	var r map[string]jsontext.Value
	_ = json.Unmarshal(result, &r) // a result of another shape has no members
	if said := textMember(r, "summary"); said != "" && said != v.Text {
		d.text(said, l.plain)
	}
	if facts := resultFacts(r, v.Cut); facts != "" {
		d.line(facts, l.info)
	}
	if v.Kind == work.KindTerminal { // the description comes before the output
		d.rest(l, v, n.Args)
		d.put(l, v, false)
	} else {
		d.put(l, v, false)
		d.rest(l, v, n.Args)
	}
	for _, name := range slices.Sorted(maps.Keys(r)) {
		if !drawnMembers[name] {
			d.json(l, name, r[name])
		}
	}
	switch {
	case whole.busy:
		d.line("Loading the rest…", l.soft)
	case whole.err != "":
		d.text(whole.err, l.bad)
	case whole.result == nil && wholePath(n.Result) != "":
		d.line("Shortened: W loads the rest.", l.need)
	case whole.result == nil && v.Cut:
		d.line(contracts.SayRestNotKept, l.soft)
	}
	if n.Said != "" {
		d.text(n.Said, l.plain)
	}
	if n.Usage != nil {
		d.line(model.TurnWords(*n.Usage), l.soft)
	}
	return d
}

// drawnMembers lists the result members that a view shows or that mean nothing to a person; all
// others are shown as JSON.
var drawnMembers = map[string]bool{
	"ok": true, "file": true, "area": true, "text": true, "bytes": true, "truncated": true, "exitCode": true, "stdout": true, "stderr": true, "stdoutStyles": true, "stderrStyles": true,
	"mentionedPaths": true, "error": true, "url": true, "summary": true, "raw": true, "ref": true, "diff": true, "created": true,
}

// resultFacts describes a result on one line: its URL, and its size if it is truncated.
func resultFacts(r map[string]jsontext.Value, cut bool) string {
	size := ""
	var n float64
	if cut && json.Unmarshal(r["bytes"], &n) == nil && n > 0 {
		size = model.Bytes(int64(n))
	}
	return model.Line(joinNonEmpty(" · ", textMember(r, "url"), size))
}

func textMember(r map[string]jsontext.Value, name string) (s string) {
	_ = json.Unmarshal(r[name], &s) // another type counts as absent
	return s
}

// docName returns a key that changes whenever a node's document changes.
func (s *activityScreen) docName(n *model.Node) string {
	whole := s.whole[n.ID]
	return fmt.Sprint(n.ID, n.EndID, n.State, whole.busy, whole.err, len(whole.result), n.Usage != nil)
}

// openNode shows a node full-screen, and loads the full result if the result was truncated.
func (s *activityScreen) openNode(n *model.Node) tea.Cmd {
	title := nodeWords(n)
	if n.AgentID != "" {
		title = model.Line(s.app.office.Rows().Name(n.AgentID)) + " · " + title
	}
	now := func() *model.Node {
		if found := s.app.office.Node(n.ID); found != nil {
			n = found
		}
		return n
	}
	screen := &workScreen{title: title, of: func() string { return s.docName(now()) }, doc: func() workDoc { return s.nodeDoc(now()) }}
	if len(filesOf(n.Result)) > 0 {
		screen.file = func() tea.Cmd { return s.app.openFileOf(now()) }
	}
	s.app.openWork(screen)
	return s.readWhole(n)
}
