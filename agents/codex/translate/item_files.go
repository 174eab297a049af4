package translate

import (
	"cmp"
	"maps"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/bullpen-office/bullpen/hud"
)

// change is a change to one file. The app-server lists changes; rollout files map paths to changes.
type change struct {
	Path string `json:"path"`
	Kind string `json:"kind"` // add, delete or update
	Diff string `json:"diff"` // a diff for an update; otherwise the file's content
}

// call returns the change as a tool call.
func (c *change) call() hud.Call {
	if c.Kind == "add" {
		return hud.Call{Tool: "write", Args: hud.Value(map[string]string{"path": c.Path, "content": c.Diff})}
	}
	return hud.Call{Tool: "edit", Args: hud.Value(map[string]string{"path": c.Path, "diff": c.Diff})}
}

// files returns the file changes of an item.
func (it *Item) files() []change {
	type details struct {
		Path    string         `json:"path"`
		Kind    jsontext.Value `json:"kind"`
		Type    string         `json:"type"`
		Diff    string         `json:"diff"`
		Unified string         `json:"unified_diff"`
		Content string         `json:"content"`
	}
	var list []details
	if it.Changes.Kind() == '{' {
		var byPath map[string]details
		_, _ = hud.Decode(it.Changes, &byPath) // changes that cannot be decoded are not shown
		for _, path := range slices.Sorted(maps.Keys(byPath)) {
			d := byPath[path]
			d.Path = path
			list = append(list, d)
		}
	} else {
		_, _ = hud.Decode(it.Changes, &list) // changes that cannot be decoded are not shown
	}
	var changes []change
	for _, d := range list {
		var kind struct {
			Type string `json:"type"`
		}
		if d.Kind.Kind() == '{' {
			_ = json.Unmarshal(d.Kind, &kind, hud.Lenient) // a kind with another shape is unknown
		}
		changes = append(changes, change{Path: d.Path, Kind: cmp.Or(kind.Type, d.Type), Diff: cmp.Or(d.Diff, d.Unified, d.Content)})
	}
	return changes
}

// changed returns the result of a call that changes files.
func (it *Item) changed(call hud.Call) hud.Result {
	list := it.files()
	if len(list) != 1 {
		return hud.Other(map[string]any{"changes": list})
	}
	c := list[0]
	switch c.Kind {
	case "add":
		return hud.Write(c.Path, c.Diff).WithDiff(nil, true)
	case "update":
		r := hud.Edit(c.Path, hud.FileArea{})
		r.Diff = c.Diff
		return r
	}
	return hud.TextResult(call, "")
}
