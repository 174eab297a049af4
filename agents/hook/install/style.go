package install

import (
	"bytes"
	"strings"
)

// style is a file's formatting.
type style struct {
	unit    string // one level of indentation
	newline string
}

// style returns the file's formatting: the indentation of its first indented member (two spaces if
// there is none) and its line ending.
func (d *document) style() *style {
	st := &style{unit: "  ", newline: "\n"}
	if bytes.Contains(d.text, []byte("\r\n")) {
		st.newline = "\r\n"
	}
	for _, m := range d.root.members {
		if indent, own := d.indentAt(m.start); own && indent != "" {
			st.unit = indent
			break
		}
	}
	return st
}

// indentAt returns the whitespace between the start of the line and an offset; own is false if the
// line has anything else before the offset, or is the first line.
func (d *document) indentAt(offset int) (indent string, own bool) {
	line := d.text[bytes.LastIndexByte(d.text[:offset], '\n')+1 : offset]
	if len(bytes.Trim(line, " \t")) > 0 || len(line) == offset {
		return "", false
	}
	return string(line), true
}

// indentOfLine returns the leading whitespace of the line at an offset.
func (d *document) indentOfLine(offset int) string {
	line := d.text[bytes.LastIndexByte(d.text[:offset], '\n')+1 : offset]
	return string(line[:len(line)-len(bytes.TrimLeft(line, " \t"))])
}

// place is the position and formatting of a container's new child.
type place struct {
	start, end    int    // the range that the child replaces
	before, after string // surrounding text
	style         *style // nil means one line
	indent        string
}

// appendPlace returns the place for a new last child of a container, which is formatted like the
// other children.
func (d *document) appendPlace(n node, st *style) place {
	first, last := n.children()
	if last < 0 { // empty: replace the whitespace inside
		if d.oneLine() {
			return place{start: n.start + 1, end: n.end - 1}
		}
		outer := d.indentOfLine(n.start)
		inner := outer + st.unit
		return place{n.start + 1, n.end - 1, st.newline + inner, st.newline + outer, st, inner}
	}
	if indent, own := d.indentAt(first); own {
		return place{last, last, "," + st.newline + indent, "", st, indent}
	}
	return place{start: last, end: last, before: ", "}
}

// oneLine reports whether the whole file is one line.
func (d *document) oneLine() bool {
	return len(d.root.members) > 0 && !bytes.Contains(d.text[d.root.start:d.root.end], []byte("\n"))
}

// children returns the start of the first child and the end of the last; both are -1 if there are
// none.
func (n node) children() (first, last int) {
	switch {
	case len(n.members) > 0:
		return n.members[0].start, n.members[len(n.members)-1].value.end
	case len(n.elements) > 0:
		return n.elements[0].start, n.elements[len(n.elements)-1].end
	}
	return -1, -1
}

// fill returns the edit that inserts a new child at p. name is empty for array elements.
func (p place) fill(name, value string) edit {
	var b strings.Builder
	b.WriteString(p.before)
	if name != "" {
		b.WriteString(`"` + name + `": `)
	}
	b.WriteString(value + p.after)
	return edit{p.start, p.end, b.String()}
}
