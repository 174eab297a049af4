package hud

import (
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
)

// Known vendor names of tools and arguments become the HUD protocol's names; other names are kept.
func TestCanonical(t *testing.T) {
	for _, c := range []struct{ tool, args, wantTool, wantArgs string }{
		{"Read", `{"file_path":"a.go","offset":3}`, "read", `{"path":"a.go","offset":3}`},
		{"read_file", `{"absolute_path":"a.go"}`, "read", `{"path":"a.go"}`},
		{"Write", `{"file_path":"a.go","content":"x"}`, "write", `{"path":"a.go","content":"x","operation":"write"}`},
		{"MultiEdit", `{"file_path":"a.go","edits":[]}`, "edit", `{"path":"a.go","edits":[],"operation":"edit"}`},
		{"NotebookEdit", `{"notebook_path":"a.ipynb"}`, "edit", `{"path":"a.ipynb","operation":"edit"}`},
		{"append", `{"path":"a.go"}`, "append", `{"path":"a.go","operation":"append"}`},
		{"str_replace_based_edit_tool", `{"command":"view","path":"a"}`, "read", `{"command":"view","path":"a"}`},
		{"str_replace_editor", `{"command":"dance"}`, "str_replace_editor", `{"command":"dance"}`},
		{"Bash", `{"command":"ls","description":"list"}`, "exec", `{"command":"ls","description":"list"}`},
		{"shell", `{"command":["bash","-lc","ls | wc"]}`, "exec", `{"command":"ls | wc"}`},
		{"run_command", `{"cmd":["git","commit","-m","a b"]}`, "exec", `{"command":"git commit -m 'a b'"}`},
		{"WebFetch", `{"url":"u","prompt":"p"}`, "web_fetch", `{"url":"u","prompt":"p"}`},
		{"google_web_search", `{"q":"go"}`, "web_search", `{"query":"go"}`},
		{"exec", `"{\"cmd\":\"ls\"}"`, "exec", `{"command":"ls"}`},
		{"exec", `"ls"`, "exec", `"ls"`},
		{"mcp__db__query", `{"file_path":"x"}`, "mcp__db__query", `{"file_path":"x"}`},
		{"read", `{"path":"a","file_path":"b"}`, "read", `{"path":"a","file_path":"b"}`},
		{"read", `{oops`, "read", `{oops`},
		{"Task", ``, "Task", ``},
	} {
		got := Canonical(Call{c.tool, jsontext.Value(c.args)})
		if diff := cmp.Diff(Call{c.wantTool, jsontext.Value(c.wantArgs)}, got); diff != "" {
			t.Errorf("%s %s: %s", c.tool, c.args, diff)
		}
		if again := Canonical(got); !cmp.Equal(got, again) {
			t.Errorf("%s: a canonical call became %v", c.tool, again)
		}
	}
	if got := CanonicalTool("WebSearch"); got != "web_search" {
		t.Errorf("WebSearch is %q", got)
	}
}

// Labels are those of the HUD protocol, with paths as viewers show them.
func TestLabel(t *testing.T) {
	roots := Roots{Work: "/home/ann/proj", Home: "/home/ann", Strip: []string{"/home/ann/.openclaw/"}}
	for _, c := range []struct{ tool, args, result, want string }{
		{"read", `{"path":"a.md"}`, `{"area":{"startLine":10,"endLine":50}}`, "👁 a.md:L10–L50"},
		{"read", `{"path":"/home/ann/proj/x/a.md","offset":3,"limit":4}`, ``, "👁 x/a.md:L3–L7"},
		{"read", `{"path":"a.md","offset":"3","limit":"4"}`, `{"area":{"startLine":0,"endLine":0}}`, "👁 a.md:L3–L7"},
		{"write", `{"path":"/home/ann/.openclaw/SOUL.md"}`, ``, "✏️ SOUL.md (overwrite)"},
		{"edit", `{"path":"/home/ann/notes.md"}`, `{"area":{"startLine":22,"endLine":28}}`, "✏️ ~/notes.md:L22–L28"},
		{"append", `{"path":"a.md"}`, `{"area":{"startLine":180,"endLine":195}}`, "✏️ a.md:L180–L195"},
		{"exec", `{"command":"make\ntest"}`, ``, "⚡ make test"},
		{"exec", `{"command":"psql postgres://ann:hunter2@db/x"}`, ``, "⚡ psql postgres://ann:[redacted]@db/x"},
		{"web_fetch", `{"url":"https://example.org"}`, ``, "🌐 https://example.org"},
		{"web_search", `{"query":"go"}`, ``, "🔍 go"},
		{"browser", `{"action":"click"}`, ``, "browser click"},
		{"Grep", `{"pattern":"func main"}`, ``, "Grep func main"},
		{"mystery", `[1]`, ``, "mystery"},
		{"read", `{"path":7}`, ``, "read"},
		{"read", ``, ``, "read"},
	} {
		if got := Label(Call{c.tool, jsontext.Value(c.args)}, jsontext.Value(c.result), roots); got != c.want {
			t.Errorf("Label(%s %s) = %q, want %q", c.tool, c.args, got, c.want)
		}
	}
}

func TestRoots(t *testing.T) {
	roots := Roots{Work: "/home/ann/proj/", Home: "/home/ann", Strip: []string{"/home/ann/.openclaw", "/home/ann/.openclaw/workspace"}}
	for in, want := range map[string]string{
		"/home/ann/proj/a.go":                "a.go",
		"/home/ann/proj":                     ".",
		"/home/ann/projects/a.go":            "~/projects/a.go",
		"/home/ann/.openclaw/workspace/a.md": "a.md",
		"~/.openclaw/x/y.md":                 "x/y.md",
		"/home/ann":                          "~",
		"/home/anna/a":                       "/home/anna/a",
		"/etc/hosts":                         "/etc/hosts",
		"./a/../b.go":                        "b.go",
		"../b.go":                            "../b.go",
		"/home/ann/proj/../../../etc/passwd": "/etc/passwd",
		"":                                   "",
		`name with \ inside`:                 `name with \ inside`,
	} {
		if got := roots.View(in); got != want {
			t.Errorf("View(%q) = %q, want %q", in, got, want)
		}
	}
	for in, want := range map[string]string{"/home/eve/.openclaw/a.md": "a.md", "~/.openclaw/a.md": "a.md", "/home/openclaw/.openclaw/a.md": "a.md", "/home/eve/.openclawed/a": "~/.openclawed/a", "/work/shop/a": "a"} {
		if got := RootsAt("/work/shop", "/home/eve").View(in); got != want {
			t.Errorf("on this machine: View(%q) = %q, want %q", in, got, want)
		}
	}
	if got := (Roots{}).View("/a//b"); got != "/a/b" {
		t.Errorf("without roots: %q", got)
	}
	if got := (Roots{Work: `C:\Users\ann\proj`}).View(`C:\Users\ann\proj\src\a.go`); got != "src/a.go" {
		t.Errorf("on Windows: %q", got)
	}
}
