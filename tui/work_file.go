package tui

import (
	"net/url"

	tea "charm.land/bubbletea/v2"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/hud/work"
	"github.com/bullpen-office/bullpen/model"
)

// namedFile is a file in a tool result (FileMeta in the HUD protocol).
type namedFile struct {
	Path       string `json:"path"`
	ViewerPath string `json:"viewerPath"`
	Area       struct {
		First int `json:"startLine"`
		Last  int `json:"endLine"`
	} `json:"area"`
}

// filesOf returns the files in a result: the file that the result is about, or else the files
// that a command mentions.
func filesOf(result jsontext.Value) (list []namedFile) {
	var r map[string]jsontext.Value
	_ = json.Unmarshal(result, &r) // a result of another shape has no files
	var own namedFile
	if json.Unmarshal(r["file"], &own) == nil && own.Path != "" {
		return []namedFile{own}
	}
	var mentioned []namedFile
	_ = json.Unmarshal(r["mentionedPaths"], &mentioned)
	for _, f := range mentioned {
		if f.Path != "" {
			list = append(list, f)
		}
	}
	return list
}

// openFileOf opens the file that a node's result names; if there are several, the user chooses one.
func (a *app) openFileOf(n *model.Node) tea.Cmd {
	files := filesOf(n.Result)
	switch {
	case len(files) == 0:
		a.toast("This result does not name a file.", tonePlain)
		return nil
	case a.office.Access != contracts.AccessOperator:
		a.toast("Only operators can open files.", toneBad)
		return nil
	case len(files) == 1:
		return a.openFile(n.AgentID, files[0])
	}
	var items []choice
	for _, f := range files {
		items = append(items, choice{label: model.Line(f.name()), run: func() tea.Cmd { return a.openFile(n.AgentID, f) }})
	}
	a.openMenu("Open a file", "", items)
	return nil
}

func (f namedFile) name() string {
	if f.ViewerPath != "" {
		return f.ViewerPath
	}
	return f.Path
}

// openFile loads a file from the agent's workspace and shows it, scrolled to f.Area.
func (a *app) openFile(agent string, f namedFile) tea.Cmd {
	path := "/v1/files?" + url.Values{"agent": {agent}, "path": {f.Path}}.Encode()
	return later(func() func() tea.Cmd {
		body, err := a.conn.Get(a.ctx, path, contracts.LimitServerMessage)
		return func() tea.Cmd {
			var told struct {
				Text string `json:"text"`
				More bool   `json:"more"`
			}
			switch {
			case err != nil:
				a.toast(err.Error(), toneBad)
			case json.Unmarshal(body, &told) != nil:
				a.toast("The office sent an invalid response.", toneBad)
			default:
				a.showFile(f, told.Text, told.More)
			}
			return nil
		}
	})
}

func (a *app) showFile(f namedFile, text string, more bool) {
	v := work.View{Kind: work.KindFile, Path: f.name(), Start: 1, Text: model.Plain(text)}
	if f.Area.First > 0 && f.Area.Last >= f.Area.First {
		v.Area = &work.Area{f.Area.First, f.Area.Last}
	}
	about := ""
	if more {
		about = "The file is too long: only its beginning is shown."
	}
	s := &workScreen{title: model.Line(f.name()), about: about, of: func() string { return f.Path }, doc: func() (d workDoc) {
		d.put(&a.look, v, true)
		return d
	}}
	a.openWork(s)
	if v.Area != nil {
		s.view.aim = v.Area[0] // row 0 is the heading
	}
}
