package work

import (
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// Member is an argument of a call.
type Member struct {
	Name  string
	Value jsontext.Value
}

// Rest is what a view does not show of the arguments, by name. A person who allows
// a call must see these as well.
func Rest(v View, args jsontext.Value) []Member {
	if v.Kind == KindJSON && string(v.Value) == string(args) {
		return nil
	}
	used := v.used
	if v.Cut {
		used = append(slices.Clone(used), "truncated", "bytes") // of the office, not of the call
	}
	return restOf(membersOf(args), used)
}

func restOf(m members, used []string) (list []Member) {
	for name, value := range m {
		said := name == "replace_all" && (value.Kind() == 't' || value.Kind() == 'f') || name == "operation" && plainOperation(m.text(name))
		drawn := slices.Contains(used, name) && (value.Kind() == '"' || value.Kind() == '[' && name == "edits" || value.Kind() == '0')
		if !said && !drawn {
			list = append(list, Member{name, value})
		}
	}
	slices.SortFunc(list, func(a, b Member) int { return strings.Compare(a.Name, b.Name) })
	return list
}

// plainOperation is the name of a tool again, which says nothing new.
func plainOperation(name string) bool { return name == "edit" || name == "write" || name == "append" }
