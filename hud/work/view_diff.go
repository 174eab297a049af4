package work

import (
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// editNames are vendors' names for the old and the new text of an edit.
var editNames = [][2]string{{"old_string", "new_string"}, {"old_str", "new_str"}, {"oldText", "newText"}, {"old_text", "new_text"}, {"oldString", "newString"}, {"search", "replace"}}

// diff returns a view of the changed files, or false if the call describes no change. It uses the
// diff in the result, which has line numbers. If there is none, it uses the change that the
// arguments describe.
func (c call) diff(tool string) (View, bool) {
	change := map[string]Change{"edit": ChangeEdit, "write": ChangeWrite, "append": ChangeAppend}[tool]
	if c.result.flag("created") && tool == "write" {
		change = ChangeCreate
	}
	if patch := c.result.text("diff"); patch != "" {
		files := Unified(patch, c.path(), change)
		if all := c.replacesAll(); all && len(files) == 1 {
			files[0].All = true
		}
		used := []string{"path", "content", "edits", "insert_text", "insert_line", "new_source"}
		for _, pair := range editNames {
			used = append(used, pair[0], pair[1])
		}
		return View{Kind: KindDiff, Files: files, used: used}, len(files) > 0
	}
	hunks, used, ok := c.hunks(tool)
	if !ok {
		return View{}, false
	}
	f := File{Path: c.path(), Change: change, Hunks: hunks, All: c.replacesAll()}
	f.count()
	return View{Kind: KindDiff, Files: []File{f}, used: append(used, "path")}, true
}

func (f *File) count() {
	f.Added, f.Removed = 0, 0
	for _, h := range f.Hunks {
		for _, line := range h.Lines {
			switch Op(line[0]) {
			case Added:
				f.Added++
			case Removed:
				f.Removed++
			}
		}
	}
}

// edits returns the individual edits of a call that has several, or the call's arguments if it has
// only one.
func (c call) edits() []members {
	var list []jsontext.Value
	if c.args["edits"].Kind() != '[' || json.Unmarshal(c.args["edits"], &list) != nil {
		return []members{c.args}
	}
	out := make([]members, len(list))
	for i, one := range list {
		out[i] = membersOf(one)
	}
	return out
}

func (c call) replacesAll() bool {
	all := c.args.flag("replace_all")
	for _, e := range c.edits() {
		all = all || e.flag("replace_all") || e.flag("replaceAll")
	}
	return all
}

// hunks returns the changes that the arguments describe, and the names of those arguments; ok is
// false if they describe no change.
func (c call) hunks(tool string) (list []Patch, used []string, ok bool) {
	if tool != "edit" {
		first, _ := c.area()
		if tool == "write" {
			first = 1
		}
		return added(c.args.text("content"), first), []string{"content"}, c.args.has("content")
	}
	several := c.args["edits"].Kind() == '['
	if several {
		used = []string{"edits"}
	}
	for _, e := range c.edits() {
		one, names, known := edited(e)
		if !known {
			return nil, nil, false
		}
		switch {
		case !several:
			used = names
		case len(restOf(e, names)) > 0: // the rest also shows the other members of an edit
			used = nil
		}
		list = append(list, one...)
	}
	return list, used, len(list) > 0
}

// edited returns the changes of a single edit, and the names of the members that describe them;
// known is false if there are none.
func edited(e members) (list []Patch, used []string, known bool) {
	for _, name := range editNames {
		if e.has(name[0]) || e.has(name[1]) {
			return replaced(e.text(name[0]), e.text(name[1])), name[:], true
		}
	}
	switch {
	case e.has("insert_text"):
		return added(e.text("insert_text"), e.number("insert_line")+1), []string{"insert_text", "insert_line"}, true
	case e.has("new_source"):
		return added(e.text("new_source"), 0), []string{"new_source"}, true
	}
	return nil, nil, false
}

func added(text string, first int) []Patch {
	if text == "" {
		return nil
	}
	p := Patch{New: first}
	for line := range strings.SplitSeq(strings.TrimSuffix(text, "\n"), "\n") {
		p.Lines = append(p.Lines, "+"+line)
	}
	return []Patch{p}
}

// replaced returns one hunk that replaces before with after. A trailing newline is
// ignored if both texts have one, or if one of the texts is empty.
func replaced(before, after string) []Patch {
	switch {
	case before == "":
		return added(after, 0)
	case after == "", strings.HasSuffix(before, "\n") && strings.HasSuffix(after, "\n"):
		before, after = strings.TrimSuffix(before, "\n"), strings.TrimSuffix(after, "\n")
	}
	x, y := strings.Split(before, "\n"), strings.Split(after, "\n")
	if after == "" {
		y = nil
	}
	p := Patch{}
	for _, line := range compare(x, y, 1) {
		p.Lines = append(p.Lines, string(line.Op)+line.Text)
	}
	return []Patch{p}
}

// Diff returns the hunk as numbered lines with the changed words marked. Unknown line numbers are
// 0.
func (p Patch) Diff() []Line {
	lines := make([]Line, 0, len(p.Lines))
	before, after := p.Old, p.New
	for _, text := range p.Lines {
		line := Line{Op: Op(text[0]), Text: text[1:]}
		if line.Op != Added && p.Old > 0 {
			line.Old = before
			before++
		}
		if line.Op != Removed && p.New > 0 {
			line.New = after
			after++
		}
		lines = append(lines, line)
	}
	markWords(lines)
	return lines
}
