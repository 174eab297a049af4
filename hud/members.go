package hud

import (
	"bytes"

	"github.com/go-json-experiment/json/jsontext"
)

// member is one member of a JSON object, as it was written.
type member struct {
	name  string
	value jsontext.Value
}

// members are those of an object, in their order.
type members []member

// membersOf opens an object; ok is false for anything else.
func membersOf(v jsontext.Value) (list members, ok bool) {
	if v.Kind() != '{' {
		return nil, false
	}
	in := jsontext.NewDecoder(bytes.NewBuffer(v), jsontext.AllowInvalidUTF8(true))
	if _, err := in.ReadToken(); err != nil {
		return nil, false
	}
	for in.PeekKind() == '"' {
		name, err := in.ReadToken()
		if err != nil {
			return nil, false
		}
		text := name.String()
		value, err := in.ReadValue()
		if err != nil {
			return nil, false
		}
		list = append(list, member{text, value.Clone()})
	}
	if _, err := in.ReadToken(); err != nil {
		return nil, false
	}
	return list, true
}

func (list members) find(name string) int {
	for i := range list {
		if list[i].name == name {
			return i
		}
	}
	return -1
}

// set replaces a member or adds it at the end.
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
