package install

import "bytes"

// Settings are the hook settings in a settings file.
type Settings struct {
	Entries []Entry // our hooks, in the order of the file
	Foreign int     // number of hooks that are not ours
	// Disabled means that the file disables all of the program's hooks.
	Disabled bool
	// AllowedURLs, unless nil, limits HTTP hooks to matching addresses.
	AllowedURLs []string
}

// found is one of our hooks and its position.
type found struct {
	Entry
	event, group, hook int // positions: hooks.<event>[group].hooks[hook], or hooks.<event>[group] if the list is flat
	node               node
}

const hooksMember = "hooks"

// survey returns our hooks in the file and the number of other hooks. It rejects a file whose hooks
// do not have the expected structure.
func (d *document) survey() (ours []found, foreign int, err error) {
	if d.root.kind != '{' {
		return nil, 0, d.fault(d.root.start, "the file is not a JSON object {…}")
	}
	table, ok := d.root.member(hooksMember)
	if !ok {
		return nil, 0, nil
	}
	if table.value.kind != '{' {
		return nil, 0, d.fault(table.value.start, `"hooks" is not an object {…}`)
	}
	for i, ev := range table.value.members {
		if ev.value.kind != '[' {
			return nil, 0, d.fault(ev.value.start, "the hooks for %q are not a list […]", ev.name)
		}
		for j, g := range ev.value.elements {
			list, err := d.hooksIn(ev.name, g)
			if err != nil {
				return nil, 0, err
			}
			for k, h := range list {
				if e, mine := d.program.parseOwn(ev.name, d.text[h.start:h.end]); mine {
					ours = append(ours, found{e, i, j, k, h})
				} else {
					foreign++
				}
			}
		}
	}
	return ours, foreign, nil
}

// hooksIn returns the hooks in an element of an event's list. It rejects an element that does not
// have the expected structure.
func (d *document) hooksIn(event string, element node) ([]node, error) {
	if d.program.Flat {
		if element.kind != '{' {
			return nil, d.fault(element.start, "an entry for %q is not an object {…}", event)
		}
		return []node{element}, nil
	}
	hooks, ok := element.member(hooksMember)
	if element.kind != '{' || !ok || hooks.value.kind != '[' {
		return nil, d.fault(element.start, `an entry for %q is not an object with a "hooks" list`, event)
	}
	return hooks.value.elements, nil
}

// Read returns the hook settings of a settings file, which may be empty.
func (p *Program) Read(text []byte) (Settings, error) {
	_, text = splitMark(text)
	if len(bytes.TrimSpace(text)) == 0 {
		return Settings{}, nil
	}
	d, err := p.parse(text)
	if err != nil {
		return Settings{}, err
	}
	ours, foreign, err := d.survey()
	if err != nil {
		return Settings{}, err
	}
	s := Settings{Foreign: foreign}
	for _, f := range ours {
		s.Entries = append(s.Entries, f.Entry)
	}
	if m, ok := d.root.member("disableAllHooks"); ok {
		s.Disabled = m.value.kind == 't'
	}
	if m, ok := d.root.member("allowedHttpHookUrls"); ok {
		s.AllowedURLs = d.texts(m.value)
	}
	return s, nil
}

// mark is the byte order mark that some editors write.
var mark = []byte("\xef\xbb\xbf")

func splitMark(text []byte) (before, rest []byte) {
	if rest, ok := bytes.CutPrefix(text, mark); ok {
		return mark, rest
	}
	return nil, text
}
