package install

import (
	"os"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func readSettings(t *testing.T, path string) Settings {
	t.Helper()
	s, err := program.Read([]byte(read(t, path)))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func mustRead(t *rapid.T, text []byte) Settings {
	s, err := program.Read(text)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return s
}

func (s Settings) entry(event string) Entry {
	for _, e := range s.Entries {
		if e.Event == event {
			return e
		}
	}
	return Entry{}
}

func valid(text []byte) bool {
	_, text = splitMark(text)
	return len(text) == 0 || jsontext.Value(text).IsValid()
}

// keepsOthers fails the test if anything except our entries has changed in a way that affects
// Claude Code.
func keepsOthers(t *testing.T, before, after string) {
	t.Helper()
	rest, err := program.Uninstall([]byte(after))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(meaning(t, []byte(before)), meaning(t, rest)); diff != "" {
		t.Errorf("entries of others changed:\n%s", diff)
	}
}

// meaning returns the decoded file without empty lists of hooks, which have no effect.
func meaning(t *testing.T, text []byte) map[string]any {
	t.Helper()
	_, text = splitMark(text)
	m := map[string]any{}
	if len(text) == 0 {
		return m
	}
	if err := json.Unmarshal(text, &m); err != nil {
		t.Fatal(err)
	}
	if table, ok := m[hooksMember].(map[string]any); ok {
		for event, list := range table {
			if list, ok := list.([]any); ok && len(list) == 0 {
				delete(table, event)
			}
		}
		if len(table) == 0 {
			delete(m, hooksMember)
		}
	}
	return m
}

// anyObject generates an object with some whitespace, and possibly with hooks.
func anyObject(t *rapid.T, depth int) string {
	space := rapid.SampledFrom([]string{"", " ", "\n", "\n  ", "\t"})
	names := rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"a", "hooks", "Stop", "PreToolUse", "Other", "matcher", "é\\\"x"}), 0, 4, rapid.ID).Draw(t, "names")
	out := "{"
	for i, name := range names {
		if i > 0 {
			out += space.Draw(t, "space") + ","
		}
		out += space.Draw(t, "space") + `"` + name + `"` + space.Draw(t, "space") + ":" + anyValue(t, depth-1, name)
	}
	return out + space.Draw(t, "space") + "}"
}

func anyValue(t *rapid.T, depth int, name string) string {
	if name == "Stop" || name == "PreToolUse" || name == "Other" {
		return rapid.SampledFrom([]string{"[]", `[{"hooks":[]}]`, `[ {"matcher":"x", "hooks": [{"type":"command","command":"y"}]} ]`, `[{"hooks":[{"type":"http","url":"http://127.0.0.1:3/hooks/claude"}]}]`}).Draw(t, "list")
	}
	if name == hooksMember || (depth > 0 && rapid.Bool().Draw(t, "deeper")) {
		return anyObject(t, depth)
	}
	return rapid.SampledFrom([]string{"1", "null", `"text"`, "[1, 2]", "true"}).Draw(t, "leaf")
}

func indented(t *rapid.T, text string) string {
	v := jsontext.Value(text)
	if err := v.Indent(jsontext.WithIndent(rapid.SampledFrom([]string{"  ", "    ", "\t"}).Draw(t, "indent"))); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	return string(v)
}

// program is a fake program whose events were introduced in different versions.
var program = Program{
	Name: "claude", Oldest: Version{1, 0, 85}, HTTPSince: Version{2, 1, 63},
	Events: []Event{
		{Name: "SessionStart", Since: Version{1, 0, 62}, CommandOnly: true, Timeout: HookTimeout},
		{Name: "PreToolUse", Timeout: HookTimeout},
		{Name: "PermissionRequest", Since: Version{2, 0, 45}, Timeout: PermissionTimeout},
		{Name: "PostToolUse", Timeout: HookTimeout},
		{Name: "Stop", Timeout: HookTimeout},
		{Name: "SessionEnd", Since: Version{1, 0, 85}, Timeout: HookTimeout},
	},
}
