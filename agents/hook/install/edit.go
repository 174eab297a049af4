package install

import "slices"

// edit replaces bytes [start, end) of a file with text.
type edit struct {
	start, end int
	text       string
}

func (e edit) apply(text []byte) []byte {
	return slices.Concat(text[:e.start], []byte(e.text), text[e.end:])
}

// cut returns the edit that removes child i and one comma from the container n. For the last child,
// this edit reverses the edit that appended it.
func (n node) cut(i int) edit {
	spans := n.spans()
	switch {
	case i > 0: // also remove the comma before the child
		return edit{spans[i-1].end, spans[i].end, ""}
	case len(spans) > 1: // also remove the comma after the child
		return edit{spans[0].start, spans[1].start, ""}
	}
	return edit{n.start + 1, n.end - 1, ""}
}

// span is the position of a child in its container.
type span struct{ start, end int }

func (n node) spans() []span {
	var list []span
	for _, m := range n.members {
		list = append(list, span{m.start, m.value.end})
	}
	for _, e := range n.elements {
		list = append(list, span{e.start, e.end})
	}
	return list
}
