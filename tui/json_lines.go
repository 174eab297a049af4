package tui

import (
	"fmt"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/bullpen-office/bullpen/tui/model"
)

const (
	jsonMembers = 100
	jsonText    = 4000
	jsonDepth   = 8
)

func sortedKeys(m map[string]any) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// leafWords is a value in one text.
func leafWords(v any) string {
	switch v := v.(type) {
	case string:
		if len(v) > jsonText {
			return v[:jsonText] + fmt.Sprintf("… (%d characters)", len(v))
		}
		return v
	case nil:
		return "null"
	case map[string]any, []any:
		text, err := json.Marshal(v, json.Deterministic(true))
		if err != nil {
			return "?"
		}
		return string(text)
	}
	return fmt.Sprint(v)
}

// jsonLines is any JSON as lines, members below each other.
func jsonLines(name string, raw jsontext.Value, w int) []string {
	var v any
	if raw == nil || json.Unmarshal(raw, &v) != nil {
		return nil
	}
	return valueLines(name, v, w, 0)
}

func valueLines(name string, v any, w, depth int) []string {
	pre := fmt.Sprintf("%*s", depth*2, "")
	head := pre + model.Line(name)
	switch v := v.(type) {
	case map[string]any:
		out := []string{clip(fmt.Sprintf("%s {%d}", head, len(v)), w)}
		for i, k := range sortedKeys(v) {
			if i >= jsonMembers || depth >= jsonDepth {
				return append(out, fmt.Sprintf("%s  … %d more", pre, len(v)-i))
			}
			out = append(out, valueLines(k, v[k], w, depth+1)...)
		}
		return out
	case []any:
		out := []string{clip(fmt.Sprintf("%s [%d]", head, len(v)), w)}
		for i, one := range v {
			if i >= jsonMembers || depth >= jsonDepth {
				return append(out, fmt.Sprintf("%s  … %d more", pre, len(v)-i))
			}
			out = append(out, valueLines(itoa(i), one, w, depth+1)...)
		}
		return out
	}
	text := wrap(leafWords(v), max(10, w-len(pre)-len(name)-2))
	if len(text) <= 1 {
		return []string{clip(head+": "+model.Line(leafWords(v)), w)}
	}
	out := []string{clip(head+":", w)}
	for _, line := range text {
		out = append(out, clip(pre+"  "+line, w))
	}
	return out
}
