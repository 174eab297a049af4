package hud

import (
	"bytes"
	"slices"
	"strings"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/go-json-experiment/json/jsontext"
)

// Keys of objects that contain a name and its value, in any order: {"name":"API_KEY","value":…}, as
// in lists of environment variables, headers and form fields.
var (
	pairNames  = []string{"name", "key", "variable", "header", "field", "id"}
	pairValues = []string{"value", "val"}
)

func isOneOf(name string, list []string) bool {
	return slices.ContainsFunc(list, func(one string) bool { return strings.EqualFold(name, one) })
}

// mayHavePairs reports whether v may have a member with a name in pairValues, that is, whether a
// string in v starts with "val" or contains bytes or escapes that cleaning may remove.
func mayHavePairs(v []byte) bool {
	for i, b := range v {
		if b == '"' && beginsPairValue(v[i+1:]) || b == '\\' && i+1 < len(v) && strings.IndexByte("ubfr", v[i+1]) >= 0 {
			return true
		}
	}
	return false
}

func beginsPairValue(v []byte) bool {
	const begin = "val"
	for i := range min(len(v), len(begin)) {
		if v[i] >= 0x7f {
			return true
		}
		if v[i]|0x20 != begin[i] {
			return false
		}
	}
	return len(v) >= len(begin)
}

// secretPairs returns the numbers of the objects that name a credential; objects are numbered in
// the order they start. It runs before scrubbing, because the value may precede the name.
func secretPairs(v jsontext.Value) (found map[int]bool) {
	if !mayHavePairs(v) {
		return nil // most values have no pairs
	}
	type object struct {
		number int  // the object's number; -1 for an array
		name   bool // a member's name comes next
		names  bool // the current member is one of pairNames
	}
	in := jsontext.NewDecoder(bytes.NewBuffer(v), jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true))
	around, objects := []object{{number: -1}}, 0
	for {
		token, err := in.ReadToken()
		if err != nil {
			return found
		}
		top := &around[len(around)-1]
		switch kind := token.Kind(); {
		case kind == '}' || kind == ']':
			around = around[:len(around)-1]
			around[len(around)-1].name = true
			continue
		case top.number >= 0 && top.name:
			top.name, top.names = false, isOneOf(contracts.CleanText(token.String()), pairNames)
			continue
		case kind == '{':
			around = append(around, object{number: objects, name: true})
			objects++
			continue
		case kind == '[':
			around = append(around, object{number: -1})
			continue
		case kind == '"' && top.names && secretMember(contracts.CleanText(token.String())):
			if found == nil {
				found = map[int]bool{}
			}
			found[top.number] = true
		}
		top.name, top.names = true, false
	}
}
