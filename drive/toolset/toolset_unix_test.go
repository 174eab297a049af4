//go:build unix

package toolset_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/drive"
	"github.com/bullpen-office/bullpen/drive/drivetest"
	"github.com/bullpen-office/bullpen/drive/process"
	"github.com/bullpen-office/bullpen/drive/toolset"
	"github.com/bullpen-office/bullpen/drive/workspace"
	"github.com/bullpen-office/bullpen/e2e/leaktest"
)

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == process.TendCommand {
		os.Exit(process.Tend(os.Args[2:]))
	}
	leaktest.Main(m)
}

// rig holds a workspace's tools and a person who answers permission requests.
type rig struct {
	*toolset.Set
	t     *testing.T
	files *workspace.Workspace
	sink  *drivetest.Sink
	asked []string // labels of the permission requests
}

// newRig returns a rig whose rules restrict every file named .env, and whose person answers with v.
func newRig(t *testing.T, mode toolset.Mode, v drive.Verdict) *rig {
	t.Helper()
	files, err := workspace.Open(t.TempDir(), process.Environment(os.Environ()))
	if err != nil {
		t.Fatal(err)
	}
	r := &rig{t: t, files: files}
	r.sink = &drivetest.Sink{Verdict: func(p contracts.Permission) (drive.Verdict, error) {
		r.asked = append(r.asked, p.Label)
		if p.Place != files.Dir() || p.CallID == "" {
			t.Errorf("the request is incomplete: %+v", p)
		}
		return v, nil
	}}
	r.Set = toolset.New(toolset.Config{Workspace: files, Mode: mode, Restricted: func(p contracts.Permission) bool {
		return strings.Contains(string(p.Args), ".env")
	}})
	r.write("a.txt", "one\ntwo\nthree\n")
	return r
}

func (r *rig) write(name, text string) {
	r.t.Helper()
	if err := r.files.Write(name, text); err != nil {
		r.t.Fatal(err)
	}
}

func (r *rig) text(name string) string {
	text, err := r.files.Read(name)
	if err != nil {
		return "error: " + err.Error()
	}
	return text
}

// do makes a call with args encoded as JSON.
func (r *rig) do(tool string, args map[string]any) string {
	r.t.Helper()
	b, err := json.Marshal(args, json.Deterministic(true))
	if err != nil {
		r.t.Fatal(err)
	}
	return r.Call(r.t.Context(), toolset.Call{Tool: tool, Args: string(b)}, r.sink)
}

type args = map[string]any

var allow = drive.Verdict{Allow: true}

// Reading needs no permission, and the model receives the actual content.
func TestReading(t *testing.T) {
	r := newRig(t, toolset.ModeRead, drive.Verdict{})
	r.write("dir/b.go", "func Two() {}\n")
	r.write("empty", "")
	for _, c := range []struct {
		tool string
		args args
		want string
	}{
		{"read_file", args{"path": "a.txt"}, "one\ntwo\nthree\n"},
		{"read_file", args{"path": "a.txt", "offset": 2, "limit": 1}, "two\n\n[lines 2 to 2 of 3]"},
		{"read_file", args{"path": "a.txt", "offset": 9}, "(lines in the file: 3)"},
		{"read_file", args{"path": "empty"}, "(the file is empty)"},
		{"list_files", nil, "a.txt\ndir/\nempty\n"},
		{"list_files", args{"path": "dir", "depth": 3}, "dir/b.go\n"},
		{"search_files", args{"pattern": "(?i)two"}, "a.txt:2: two\ndir/b.go:1: func Two() {}\n"},
		{"search_files", args{"pattern": "(?i)two", "path": "dir", "glob": "*.txt"}, "no matches"},
	} {
		if got := r.do(c.tool, c.args); got != c.want {
			t.Errorf("%s %v: %q, want %q", c.tool, c.args, got, c.want)
		}
	}
	if len(r.asked) > 0 {
		t.Errorf("a person was asked: %q", r.asked)
	}
	if got := r.do("write_file", args{"path": "x", "content": "y"}); !strings.Contains(got, "there is no tool") || r.text("x") == "y" {
		t.Errorf("a tool that only reads wrote: %q", got)
	}
}

// Long files are returned in parts, and the model can continue after each part.
func TestLongFilesAreReadInParts(t *testing.T) {
	r := newRig(t, toolset.ModeRead, drive.Verdict{})
	line := strings.Repeat("x", 99) + "\n"
	r.write("long.txt", strings.Repeat(line, 1000))
	got := r.do("read_file", args{"path": "long.txt"})
	lines := contracts.LimitToolText / len(line)
	if !strings.HasPrefix(got, line) || !strings.HasSuffix(got, "[lines 1 to 327 of 1000]") || lines != 327 || len(got) > contracts.LimitToolText+100 {
		t.Errorf("%d bytes, the end is %q", len(got), got[len(got)-40:])
	}
}

// Changes and commands happen only after a person has allowed them, and are reported with real
// results.
func TestChangesThatAreAllowed(t *testing.T) {
	r := newRig(t, toolset.ModeAsk, allow)
	for _, c := range []struct {
		tool string
		args args
		want string
	}{
		{"edit_file", args{"path": "a.txt", "old_string": "two", "new_string": "2"}, "changed a.txt in 1 place(s)"},
		{"write_file", args{"path": "new/b.txt", "content": "b"}, "wrote 1 bytes to new/b.txt"},
		{"run_command", args{"command": "cat a.txt new/b.txt; exit 3"}, "exit code 3\none\n2\nthree\nb"},
		{"delete_file", args{"path": "new/b.txt"}, "deleted new/b.txt"},
	} {
		if got := r.do(c.tool, c.args); got != c.want {
			t.Errorf("%s: %q, want %q", c.tool, got, c.want)
		}
	}
	if got := r.text("a.txt"); got != "one\n2\nthree\n" {
		t.Errorf("the file is %q", got)
	}
	if _, err := os.Stat(filepath.Join(r.files.Dir(), "new/b.txt")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the deleted file: %v", err)
	}
	if len(r.asked) != 4 {
		t.Errorf("asked %q", r.asked)
	}
	results := strings.Join(r.sink.Results(), "\n")
	for _, want := range []string{"-two\n+2\n", "Created:true", "ExitCode:3", "deleted new/b.txt"} {
		if !strings.Contains(results, want) {
			t.Errorf("the results %s lack %q", results, want)
		}
	}
	lines := []string{"start edit", "may it ✏️ a.txt", "end edit hud.EditResult"}
	if diff := cmp.Diff(lines, r.sink.Lines()[:3]); diff != "" {
		t.Error(diff)
	}
}

// A call that is denied, or that no one answers, changes nothing. The model receives the reason.
func TestChangesThatAreNotAllowed(t *testing.T) {
	for name, c := range map[string]struct {
		verdict drive.Verdict
		err     error
		want    string
	}{
		"denied":    {want: "the call was denied; do not repeat it"},
		"with note": {verdict: drive.Verdict{Note: "use b.txt"}, want: "the call was denied: use b.txt"},
		"no answer": {err: errors.New("the question expired"), want: "no one allowed it: the question expired"},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, toolset.ModeAsk, c.verdict)
			r.sink.Verdict = func(contracts.Permission) (drive.Verdict, error) { return c.verdict, c.err }
			for _, got := range []string{
				r.do("edit_file", args{"path": "a.txt", "old_string": "two", "new_string": "2"}), r.do("write_file", args{"path": "b.txt", "content": "b"}),
				r.do("delete_file", args{"path": "a.txt"}), r.do("run_command", args{"command": "touch c.txt"}),
			} {
				if !strings.HasPrefix(got, "error: ") || !strings.HasSuffix(got, c.want) {
					t.Errorf("%q, want %q", got, c.want)
				}
			}
			if entries, _, err := r.files.List(t.Context(), "", 1); err != nil || len(entries) != 1 || r.text("a.txt") != "one\ntwo\nthree\n" {
				t.Errorf("%v, %v: %q", entries, err, r.text("a.txt"))
			}
		})
	}
}

// In ModeEdit, only commands and calls that a rule restricts need permission. Links do not bypass
// rules.
func TestRulesRestrictCalls(t *testing.T) {
	r := newRig(t, toolset.ModeEdit, allow)
	r.write(".env", "KEY=1\n")
	if err := os.Symlink(".env", filepath.Join(r.files.Dir(), "settings")); err != nil {
		t.Fatal(err)
	}
	r.do("write_file", args{"path": "b.txt", "content": "b"})
	r.do("read_file", args{"path": "b.txt"})
	if got := r.do("search_files", args{"pattern": "KEY"}); got != "no matches\n[files not searched because a rule restricts them: 1]" {
		t.Errorf("the search returned %q", got)
	}
	r.write("private.env/key", "KEY=2\n")
	if err := os.Symlink("private.env", filepath.Join(r.files.Dir(), "public")); err != nil {
		t.Fatal(err)
	}
	private := toolset.New(toolset.Config{Workspace: r.files, Mode: toolset.ModeRead, Restricted: func(p contracts.Permission) bool {
		return strings.Contains(string(p.Args), "private.env/")
	}})
	if got := private.Call(t.Context(), toolset.Call{Tool: "search_files", Args: `{"pattern":"KEY","path":"public"}`}, r.sink); strings.Contains(got, "KEY=2") {
		t.Errorf("a link led a search to restricted files: %q", got)
	}
	if len(r.asked) > 0 || r.text("b.txt") != "b" {
		t.Errorf("asked %q, wrote %q", r.asked, r.text("b.txt"))
	}
	for i, do := range []func() string{
		func() string { return r.do("read_file", args{"path": ".env"}) },
		func() string { return r.do("read_file", args{"path": "settings"}) },
		func() string { return r.do("write_file", args{"path": "settings", "content": "KEY=2\n"}) },
		func() string { return r.do("run_command", args{"command": "true"}) },
	} {
		if do(); len(r.asked) != i+1 {
			t.Errorf("call %d: asked %q", i, r.asked)
		}
	}
	strict := toolset.New(toolset.Config{Workspace: r.files, Mode: toolset.ModeEdit})
	if strict.Call(t.Context(), toolset.Call{Tool: "read_file", Args: `{"path":"a.txt"}`}, r.sink); len(r.asked) != 5 {
		t.Errorf("without rules every call needs permission; asked %q", r.asked)
	}
}

// Calls that cannot be made return an error to the model, and no one is asked about them.
func TestCallsThatCannotBeMade(t *testing.T) {
	r := newRig(t, toolset.ModeAsk, allow)
	r.write(".git/config", "x")
	for name, c := range map[string]struct{ tool, args, want string }{
		"unknown tool":     {"web_search", `{}`, `there is no tool "web_search"; use one of read_file`},
		"not JSON":         {"read_file", `{"path":"a.t`, "not a JSON object"},
		"not an object":    {"read_file", `["a.txt"]`, "not a JSON object"},
		"no arguments":     {"read_file", ``, `"path" is missing`},
		"wrong type":       {"read_file", `{"path":7}`, "do not match the tool's schema"},
		"unknown argument": {"run_command", `{"command":"ls","cwd":"/"}`, "do not match the tool's schema"},
		"no command":       {"run_command", `{"command":" "}`, `"command" is missing`},
		"no content":       {"write_file", `{"path":"b"}`, `"content" is missing`},
		"outside":          {"write_file", `{"path":"../b","content":""}`, "outside the workspace"},
		"absolute":         {"read_file", `{"path":"/etc/passwd"}`, "outside the workspace"},
		"git":              {"write_file", `{"path":".GIT/hooks/pre-commit","content":"x"}`, "belongs to git"},
		"git's own":        {"delete_file", `{"path":".git/config"}`, "belongs to git"},
		"bad pattern":      {"search_files", `{"pattern":"("}`, "not a regular expression"},
		"nothing to edit":  {"edit_file", `{"path":"a.txt","old_string":"","new_string":"x"}`, "old_string is empty"},
		"the same":         {"edit_file", `{"path":"a.txt","old_string":"x","new_string":"x"}`, "are identical"},
		"too large":        {"write_file", `{"path":"b","content":"` + strings.Repeat("lorem ipsum ", contracts.LimitPermission/8) + `"}`, "cannot be shown to a person in full"},
	} {
		got := r.Call(t.Context(), toolset.Call{Tool: c.tool, Args: c.args}, r.sink)
		if !strings.HasPrefix(got, "error: ") || !strings.Contains(got, c.want) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
	if len(r.asked) > 0 {
		t.Errorf("asked %q", r.asked)
	}
	for name, c := range map[string]struct{ args, want string }{
		"not there": {`{"path":"a.txt","old_string":"four","new_string":"4"}`, "does not occur"},
		"ambiguous": {`{"path":"a.txt","old_string":"e","new_string":"E"}`, "occurs 3 times"},
	} {
		if got := r.Call(t.Context(), toolset.Call{Tool: "edit_file", Args: c.args}, r.sink); !strings.Contains(got, c.want) {
			t.Errorf("%s: %q", name, got)
		}
	}
	if lines := r.sink.Lines(); !strings.HasPrefix(lines[len(lines)-1], "end ") {
		t.Errorf("a call has no end: %q", lines)
	}
}

// A command ends with its turn, and its call is shown as failed.
func TestCommandEndsWithTheTurn(t *testing.T) {
	r := newRig(t, toolset.ModeAsk, allow)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	r.sink.Verdict = func(contracts.Permission) (drive.Verdict, error) {
		go cancel()
		return allow, nil
	}
	got := r.Call(ctx, toolset.Call{Tool: "run_command", Args: `{"command":"sleep 600"}`}, r.sink)
	if !strings.Contains(got, context.Canceled.Error()) || !strings.Contains(strings.Join(r.sink.Results(), ""), "OK:false") {
		t.Errorf("%q, %q", got, r.sink.Results())
	}
}
