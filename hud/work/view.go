package work

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Kind says which view shows a tool call.
type Kind string

// The kinds of views.
const (
	KindDiff     Kind = "diff"
	KindTerminal Kind = "terminal"
	KindFile     Kind = "file"
	KindText     Kind = "text"
	KindJSON     Kind = "json"
)

// View describes how a tool call is shown. Kind determines which other members are set.
type View struct {
	Kind Kind `json:"kind"`

	Files []File `json:"files,omitzero"` // for KindDiff

	Command string   `json:"command,omitzero"` // for KindTerminal
	Exit    *int     `json:"exit,omitzero"`    // nil if unknown
	Out     []Output `json:"out,omitzero"`

	Path  string `json:"path,omitzero"` // for KindFile
	Start int    `json:"start,omitzero"`
	Area  *Area  `json:"area,omitzero"` // the lines that the call refers to

	Text  string         `json:"text,omitzero"`  // for KindFile and KindText
	Value jsontext.Value `json:"value,omitzero"` // for KindJSON

	Cut   bool   `json:"cut,omitzero"`   // only part of the arguments or the result was recorded
	Error string `json:"error,omitzero"` // why the call failed

	used []string // the arguments that the view shows
}

// Area is a pair of line numbers, first and last.
type Area [2]int

// Change says what happened to a file.
type Change string

// The kinds of changes.
const (
	ChangeEdit   Change = "edit"
	ChangeWrite  Change = "write" // a whole file whose previous content is unknown
	ChangeCreate Change = "create"
	ChangeAppend Change = "append"
	ChangeDelete Change = "delete"
	ChangeRename Change = "rename"
)

// File contains the changes to one file.
type File struct {
	Path    string  `json:"path"`
	Change  Change  `json:"change"`
	Hunks   []Patch `json:"hunks"`
	Added   int     `json:"added"`
	Removed int     `json:"removed"`
	From    string  `json:"from,omitzero"` // the old name of a renamed file
	Binary  bool    `json:"binary,omitzero"`
	All     bool    `json:"all,omitzero"` // every occurrence was replaced
}

// Patch is a run of lines that start with ' ', '+' or '-'. Old and New are the numbers of its first
// line on each side; 0 means unknown.
type Patch struct {
	Old   int      `json:"old"`
	New   int      `json:"new"`
	Lines []string `json:"lines"`
}

var exitWords = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?i)^exit(ed)?( with)?( code| status)? \d+\.?$`) })

// Of chooses the view for a call by its canonical tool name, its arguments and its result. The
// result is nil while the call is running or waiting for permission.
func Of(tool string, args, result jsontext.Value) View {
	c := call{raw: args, args: membersOf(args), result: membersOf(result)}
	v, ok := View{}, false
	switch tool {
	case "edit", "write", "append":
		v, ok = c.diff(tool)
	case "exec":
		v, ok = c.terminal()
	case "read":
		v, ok = c.file()
	}
	if !ok {
		v = c.other()
	}
	v.Cut = c.args.flag("truncated") || c.result.flag("truncated")
	if e := c.result.text("error"); !exitWords().MatchString(e) {
		v.Error = e
	}
	return v
}

// call is a tool call with decoded members.
type call struct {
	raw          jsontext.Value
	args, result members
}

// members are an object's members. A member of an unexpected type counts as absent.
type members map[string]jsontext.Value

func membersOf(v jsontext.Value) (m members) {
	if v.Kind() == '{' {
		_ = json.Unmarshal(v, &m) // only an object has members
	}
	return m
}

func (m members) has(name string) bool { return m[name].Kind() == '"' }

func (m members) text(name string) (s string) {
	_ = json.Unmarshal(m[name], &s)
	return s
}

// number returns the integer part of a positive number, or 0 for anything else.
func (m members) number(name string) int {
	var n float64
	if json.Unmarshal(m[name], &n) != nil || n < 1 || n > 1<<30 {
		return 0
	}
	return int(n)
}

func (m members) flag(name string) bool { return m[name].Kind() == 't' }

// first returns the first of the named members that is a non-empty string, or "".
func (m members) first(names ...string) string {
	for _, name := range names {
		if s := m.text(name); s != "" {
			return s
		}
	}
	return ""
}

// path returns the path of the file in the result or, if the result has none, the path in the
// arguments.
func (c call) path() string {
	if p := membersOf(c.result["file"]).first("viewerPath", "path"); p != "" {
		return p
	}
	return c.args.text("path")
}

// area returns the first and last lines that the result refers to, or 0 and 0 if there are none.
func (c call) area() (first, last int) {
	for _, v := range []jsontext.Value{c.result["area"], membersOf(c.result["file"])["area"]} {
		m := membersOf(v)
		if first = m.number("startLine"); first > 0 {
			return first, max(first, m.number("endLine"))
		}
	}
	return 0, 0
}

func (c call) terminal() (View, bool) {
	code, hasOutput := c.result["exitCode"], c.result.has("stdout")
	if !c.args.has("command") && code.Kind() != '0' && !hasOutput {
		return View{}, false
	}
	v := View{Kind: KindTerminal, Command: c.args.text("command"), used: []string{"command"}}
	var exit float64
	if json.Unmarshal(code, &exit) == nil && exit >= 0 && exit < 1<<31 {
		v.Exit = new(int(exit))
	}
	for _, name := range []string{"stdout", "stderr"} {
		if text := c.result.text(name); text != "" {
			v.Out = append(v.Out, Output{Name: name, Text: text, Runs: runsOf(c.result.text(name+"Styles"), text)})
		}
	}
	return v, true
}

func (c call) file() (View, bool) {
	path := c.path()
	if path == "" && !c.result.has("text") {
		return View{}, false
	}
	v := View{Kind: KindFile, Path: path, Start: max(1, c.args.number("offset")), Text: c.result.text("text"), used: []string{"path", "offset"}}
	if first, last := c.area(); first > 0 {
		v.Start, v.Area = first, &Area{first, last}
	}
	return v, true
}

// other returns a view of the result (text or JSON), or of the arguments if there is no result to
// show.
func (c call) other() View {
	raw, there := c.result["raw"]
	switch {
	case there && raw.Kind() == '"':
		return View{Kind: KindText, Text: c.result.text("raw")}
	case there && raw.Kind() != 'n':
		return View{Kind: KindJSON, Value: raw}
	}
	if text := c.result.first("text", "summary", "stdout"); text != "" {
		return View{Kind: KindText, Text: text}
	}
	return View{Kind: KindJSON, Value: c.raw}
}

// Member is an argument of a call.
type Member struct {
	Name  string
	Value jsontext.Value
}

// Rest returns the arguments that a view does not show, sorted by name. A person who decides
// whether to allow a call must see these too.
func Rest(v View, args jsontext.Value) []Member {
	if v.Kind == KindJSON && string(v.Value) == string(args) {
		return nil
	}
	used := v.used
	if v.Cut {
		used = append(slices.Clone(used), "truncated", "bytes") // added by the office, not by the call
	}
	return restOf(membersOf(args), used)
}

func restOf(m members, used []string) (list []Member) {
	for name, value := range m {
		said := name == "replace_all" && (value.Kind() == 't' || value.Kind() == 'f') || name == "operation" && plainOperation(m.text(name))
		drawn := slices.Contains(used, name) && (value.Kind() == '"' || value.Kind() == '[' && name == "edits" || value.Kind() == '0')
		if !said && !drawn {
			list = append(list, Member{name, value})
		}
	}
	slices.SortFunc(list, func(a, b Member) int { return strings.Compare(a.Name, b.Name) })
	return list
}

// plainOperation reports whether an operation only repeats its tool's name.
func plainOperation(name string) bool { return name == "edit" || name == "write" || name == "append" }
