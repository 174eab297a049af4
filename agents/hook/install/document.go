package install

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/go-json-experiment/json/jsontext"
)

// document is a settings file with the positions of its values, so that it can be edited
// in place.
type document struct {
	program *Program
	text    []byte
	root    node
}

// node is a value and its position: text[start:end].
type node struct {
	kind       jsontext.Kind
	start, end int
	members    []member // the object's members
	elements   []node   // the array's elements
}

type member struct {
	name  string
	start int // where the name starts
	value node
}

func (n node) member(name string) (member, bool) {
	for _, m := range n.members {
		if m.name == name {
			return m, true
		}
	}
	return member{}, false
}

// parse reads a settings file. It rejects a file that is not valid JSON.
func (p *Program) parse(text []byte) (*document, error) {
	d := &document{program: p, text: text}
	dec := jsontext.NewDecoder(bytes.NewReader(text))
	var err error
	if d.root, err = readNode(dec); err == nil {
		if _, err = dec.ReadToken(); errors.Is(err, io.EOF) {
			return d, nil
		}
		if err == nil {
			err = errors.New("unexpected text after the end of the object")
		}
	}
	return nil, d.faultAt(err, int(dec.InputOffset()))
}

func readNode(dec *jsontext.Decoder) (node, error) {
	switch kind := dec.PeekKind(); kind {
	case '{', '[':
		if _, err := dec.ReadToken(); err != nil {
			return node{}, err
		}
		n := node{kind: kind, start: int(dec.InputOffset()) - 1}
		for dec.PeekKind() != '}' && dec.PeekKind() != ']' {
			if err := n.readChild(dec); err != nil {
				return n, err
			}
		}
		_, err := dec.ReadToken()
		n.end = int(dec.InputOffset())
		return n, err
	default:
		raw, err := dec.ReadValue()
		end := int(dec.InputOffset())
		return node{kind: kind, start: end - len(raw), end: end}, err
	}
}

func (n *node) readChild(dec *jsontext.Decoder) error {
	var m member
	if n.kind == '{' {
		raw, err := dec.ReadValue()
		if err != nil {
			return err
		}
		name, err := jsontext.AppendUnquote(nil, raw)
		if err != nil {
			return err
		}
		m = member{name: string(name), start: int(dec.InputOffset()) - len(raw)}
	}
	value, err := readNode(dec)
	if err != nil {
		return err
	}
	if n.kind == '{' {
		m.value = value
		n.members = append(n.members, m)
		return nil
	}
	n.elements = append(n.elements, value)
	return nil
}

// Fault is an error in a settings file and its position.
type Fault struct {
	Line, Column int
	Reason       string
}

func (f *Fault) Error() string {
	return fmt.Sprintf("line %d, column %d: %s", f.Line, f.Column, f.Reason)
}

func (d *document) faultAt(err error, offset int) error {
	if syntax, ok := errors.AsType[*jsontext.SyntacticError](err); ok {
		offset, err = int(syntax.ByteOffset), syntax.Err
	}
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		offset, err = len(d.text), errors.New("unexpected end of file")
	}
	return d.fault(offset, "%v", err)
}

// fault returns a Fault at an offset. Line and column start at 1; columns count bytes.
func (d *document) fault(offset int, format string, args ...any) error {
	before := d.text[:min(max(offset, 0), len(d.text))]
	return &Fault{
		Line:   bytes.Count(before, []byte("\n")) + 1,
		Column: len(before) - (bytes.LastIndexByte(before, '\n') + 1) + 1,
		Reason: fmt.Sprintf(format, args...),
	}
}
