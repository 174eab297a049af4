package hud

import (
	"bytes"
	"errors"
	"sync"

	"github.com/go-json-experiment/json/jsontext"
)

// member is one member of a JSON object, with its encoded value.
type member struct {
	name  string
	value jsontext.Value
}

// members are the members of a JSON object, in their original order.
type members []member

// Members returns the members of another program's object; ok is false for anything else. If two
// members have the same name, the last one counts. The values are slices of v.
func Members(v jsontext.Value) (members map[string]jsontext.Value, ok bool) {
	list, err := readMembers(v, Lenient)
	if list == nil || err != nil {
		return nil, false
	}
	members = make(map[string]jsontext.Value, len(list))
	for _, m := range list {
		members[m.name] = m.value
	}
	return members, true
}

// membersOf returns the members of an object; ok is false for anything else, and for duplicate
// names. The values are slices of v.
func membersOf(v jsontext.Value) (list members, ok bool) {
	list, err := readMembers(v, jsontext.AllowInvalidUTF8(true))
	if list == nil || err != nil {
		return nil, false
	}
	return list, true
}

// readMembers returns the members of an object up to the first error, or nil if v is not an object.
func readMembers(v jsontext.Value, options jsontext.Options) (list members, err error) {
	if v.Kind() != '{' {
		return nil, nil
	}
	in := memberReaders.Get().(*memberReader)
	defer in.release()
	in.source = *bytes.NewBuffer(v)
	in.tokens.Reset(&in.source, options)
	list = members{}
	if _, err := in.tokens.ReadToken(); err != nil {
		return nil, err
	}
	for in.tokens.PeekKind() == '"' {
		token, err := in.tokens.ReadToken()
		if err != nil {
			return list, err
		}
		name := token.String()
		value, err := in.tokens.ReadValue()
		if err != nil {
			return list, err
		}
		end := int(in.tokens.InputOffset())
		list = append(list, member{name, v[end-len(value) : end : end]})
	}
	if _, err = in.tokens.ReadToken(); err != nil {
		return list, err
	}
	if len(bytes.TrimSpace(v[in.tokens.InputOffset():])) > 0 {
		return list, errMore
	}
	return list, nil
}

var errMore = errors.New("unexpected data after the object")

// memberReader reads the members of a JSON object. Readers are pooled.
type memberReader struct {
	tokens jsontext.Decoder
	source bytes.Buffer // the text that the decoder reads
}

var memberReaders = sync.Pool{New: func() any { return &memberReader{} }}

func (r *memberReader) release() {
	r.source = bytes.Buffer{}
	r.tokens.Reset(&r.source)
	memberReaders.Put(r)
}

func (list members) find(name string) int {
	for i := range list {
		if list[i].name == name {
			return i
		}
	}
	return -1
}

// set replaces the member with this name, or adds it at the end.
func (list members) set(name string, value jsontext.Value) members {
	if i := list.find(name); i >= 0 {
		list[i].value = value
		return list
	}
	return append(list, member{name, value})
}

func (list members) encode() jsontext.Value {
	out := []byte{'{'}
	for i, m := range list {
		if i > 0 {
			out = append(out, ',')
		}
		out, _ = jsontext.AppendQuote(out, m.name) // invalid UTF-8 is replaced
		out = append(out, ':')
		out = append(out, m.value...)
	}
	return append(out, '}')
}
