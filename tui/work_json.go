package tui

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/bullpen-office/bullpen/model"
)

// Limits for laying out JSON: members per object or array, and depth.
const (
	jsonMembers = 200
	jsonDepth   = 12
)

// json adds a JSON value, with one member per line and strings unquoted. A value with too many
// members or levels is added as raw JSON, so that nothing is left out.
func (d *workDoc) json(l *look, name string, raw jsontext.Value) {
	var v any
	if raw == nil {
		return
	}
	if json.Unmarshal(raw, &v) != nil {
		d.text(string(raw), l.plain)
		return
	}
	d.value(l, name, v, 0)
}

func (d *workDoc) value(l *look, name string, v any, depth int) {
	pre := strings.Repeat("  ", depth)
	name = model.Line(name)
	head := func(words string) {
		if name != "" || depth > 0 {
			d.add(workRow{gutter: " " + pre, spans: []workSpan{{name, l.soft}, {words, l.soft}}})
		}
	}
	switch v := v.(type) {
	case map[string]any:
		if len(v) > jsonMembers || depth >= jsonDepth {
			break
		}
		head(fmt.Sprintf(" {%d}", len(v)))
		for _, k := range slices.Sorted(maps.Keys(v)) {
			d.value(l, k, v[k], depth+1)
		}
		return
	case []any:
		if len(v) > jsonMembers || depth >= jsonDepth {
			break
		}
		head(fmt.Sprintf(" [%d]", len(v)))
		for i, one := range v {
			d.value(l, itoa(i), one, depth+1)
		}
		return
	}
	label := name
	if label != "" {
		label += ": "
	}
	lines := strings.Split(strings.TrimRight(model.Plain(leafWords(v)), "\n"), "\n")
	d.add(workRow{gutter: " " + pre, spans: []workSpan{{label, l.soft}, {lines[0], l.plain}}})
	for _, one := range lines[1:] {
		d.add(workRow{gutter: " " + pre + "  ", spans: []workSpan{{one, l.plain}}})
	}
}

// leafWords returns a string unchanged, and any other value as JSON.
func leafWords(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case nil:
		return "null"
	}
	text, err := json.Marshal(v, json.Deterministic(true))
	if err != nil {
		return "?"
	}
	return string(text)
}

// jsonLines renders JSON as lines of at most w cells.
func (a *app) jsonLines(name string, raw jsontext.Value, w int) []string {
	var d workDoc
	d.json(&a.look, name, raw)
	return d.lines(&a.look, w)
}
