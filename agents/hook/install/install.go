package install

import (
	"bytes"
	"cmp"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
)

// Install returns the settings with exactly these Bullpen entries. Existing entries are
// updated in place.
func (p *Program) Install(text []byte, entries []Entry) ([]byte, error) {
	before, text := splitMark(text)
	if len(bytes.TrimSpace(text)) == 0 {
		text = []byte(cmp.Or(p.Fresh, "{}\n"))
	}
	for _, e := range entries {
		var err error
		if text, err = p.put(text, e); err != nil {
			return nil, err
		}
	}
	text, err := p.strip(text, func(f Entry, first bool) bool {
		return !first || !slices.ContainsFunc(entries, func(e Entry) bool { return e.Event == f.Event })
	})
	return slices.Concat(before, text), err
}

// Uninstall returns the settings without our entries.
func (p *Program) Uninstall(text []byte) ([]byte, error) {
	before, text := splitMark(text)
	if len(bytes.TrimSpace(text)) == 0 {
		return slices.Concat(before, text), nil
	}
	text, err := p.strip(text, func(Entry, bool) bool { return true })
	return slices.Concat(before, text), err
}

// put updates our first entry for e's event, or adds e if there is none.
func (p *Program) put(text []byte, e Entry) ([]byte, error) {
	d, err := p.parse(text)
	if err != nil {
		return nil, err
	}
	ours, _, err := d.survey()
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(ours, func(f found) bool { return f.Event == e.Event })
	if i < 0 {
		return d.add(e)
	}
	if ours[i].Entry == e {
		return text, nil
	}
	st := d.style()
	indent, own := d.indentAt(ours[i].node.start)
	if !own {
		st = nil
	}
	value, err := render(p.text(e), st, indent)
	if err != nil {
		return nil, err
	}
	return edit{ours[i].node.start, ours[i].node.end, value}.apply(text), nil
}

// add appends an entry to its event's list. It creates the list, or the whole "hooks" object, if it
// is missing.
func (d *document) add(e Entry) ([]byte, error) {
	hook := d.program.text(e)
	var value any = group{Hooks: []hookText{hook}}
	if d.program.Flat {
		value = hook
	}
	into, name := d.root, hooksMember
	if table, ok := d.root.member(hooksMember); ok {
		into, name = table.value, e.Event
		if ev, ok := table.value.member(e.Event); ok {
			into, name = ev.value, ""
		} else {
			value = []any{value}
		}
	} else {
		value = map[string]any{e.Event: []any{value}}
	}
	at := d.appendPlace(into, d.style())
	text, err := render(value, at.style, at.indent)
	if err != nil {
		return nil, err
	}
	return at.fill(name, text).apply(d.text), nil
}

// strip removes each of our entries for which gone returns true, and containers that become empty.
// The argument first is true if e is our first entry for its event.
func (p *Program) strip(text []byte, gone func(e Entry, first bool) bool) ([]byte, error) {
	for {
		d, err := p.parse(text)
		if err != nil {
			return nil, err
		}
		ours, _, err := d.survey()
		if err != nil {
			return nil, err
		}
		seen := map[string]bool{}
		i := slices.IndexFunc(ours, func(f found) bool {
			first := !seen[f.Event]
			seen[f.Event] = true
			return gone(f.Entry, first)
		})
		if i < 0 {
			return text, nil
		}
		text = d.remove(ours[i]).apply(text)
	}
}

// remove returns the edit that cuts the outermost value that contains only this hook.
func (d *document) remove(f found) edit {
	table, _ := d.root.member(hooksMember) // exists, because survey found f in it
	event := table.value.members[f.event].value
	list, _ := event.elements[f.group].member(hooksMember)
	switch {
	case !d.program.Flat && len(list.value.elements) > 1:
		return list.value.cut(f.hook)
	case len(event.elements) > 1:
		return event.cut(f.group)
	case len(table.value.members) > 1:
		return table.value.cut(f.event)
	}
	return d.root.cut(slices.IndexFunc(d.root.members, func(m member) bool { return m.name == hooksMember }))
}

// texts returns the strings in a list and skips other values.
func (d *document) texts(n node) []string {
	list := []string{}
	for _, e := range n.elements {
		if e.kind != '"' {
			continue
		}
		if text, err := jsontext.AppendUnquote(nil, d.text[e.start:e.end]); err == nil {
			list = append(list, string(text))
		}
	}
	return list
}
