package hud

import (
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"github.com/bullpen-office/bullpen/contracts"
)

// shown returns the JSON that viewers receive for a result.
func shown(t *testing.T, call Call, r any) string {
	t.Helper()
	end, whole := ToolEnd(Source{Roots: Roots{Work: "/w"}}, "u", Span{Correlation: "c"}, call, r, 0)
	if whole != nil {
		t.Errorf("%s: a small result was stored separately", call.Tool)
	}
	return string(end.Result)
}

// Results are recorded in the shapes that the HUD protocol defines.
func TestResults(t *testing.T) {
	for _, c := range []struct {
		tool string
		r    Result
		want string
	}{
		{"read", Read("/w/a.md", "one\ntwo\n"), `{"ok":true,"file":{"path":"/w/a.md","viewerPath":"a.md","area":{"startLine":1,"endLine":2}},"area":{"startLine":1,"endLine":2},"text":"one\ntwo\n","bytes":8,"truncated":false}`},
		{"read", Read("a.md", "x").At(Window(10, 40)), `{"ok":true,"file":{"path":"a.md","viewerPath":"a.md","area":{"startLine":10,"endLine":50}},"area":{"startLine":10,"endLine":50},"text":"x","bytes":1,"truncated":false}`},
		{"write", Write("/w/a.md", "one\ntwo"), `{"ok":true,"file":{"path":"/w/a.md","viewerPath":"a.md","area":{"startLine":1,"endLine":2}},"area":{"startLine":1,"endLine":2},"bytes":7}`},
		{"edit", Edit("a.md", Lines(22, 7)), `{"ok":true,"file":{"path":"a.md","viewerPath":"a.md","area":{"startLine":22,"endLine":28}},"area":{"startLine":22,"endLine":28}}`},
		{"exec", Exec("cat /w/a.go", 0, "out", ""), `{"ok":true,"exitCode":0,"stdout":"out","truncated":false,"mentionedPaths":[{"path":"/w/a.go","viewerPath":"a.go"}]}`},
		{"exec", Failed(Exec("false", 2, "out", "err"), "exit status 2"), `{"ok":false,"exitCode":2,"stdout":"out","stderr":"err","truncated":false,"error":"exit status 2"}`},
		{"web_fetch", Web("https://example.org", "text"), `{"ok":true,"text":"text","url":"https://example.org","truncated":false}`},
		{"web_search", Web("", "text"), `{"ok":true,"text":"text","truncated":false}`},
		{"browser", Action("clicked", map[string]int{"x": 1}), `{"ok":true,"summary":"clicked","raw":{"x":1}}`},
		{"sessions_list", Action("3 sessions", nil), `{"ok":true,"summary":"3 sessions"}`},
		{"mystery", Other([]int{1}), `{"ok":true,"raw":[1]}`},
	} {
		if diff := cmp.Diff(c.want, shown(t, Call{Tool: c.tool}, c.r)); diff != "" {
			t.Errorf("%s: %s", c.tool, diff)
		}
	}
}

// A call without a result gets a failed result in the shape of its tool.
func TestFailedCall(t *testing.T) {
	for _, c := range []struct{ tool, args, want string }{
		{"Read", `{"file_path":"a.md","offset":3,"limit":4}`, `{"ok":false,"file":{"path":"a.md","viewerPath":"a.md","area":{"startLine":3,"endLine":7}},"area":{"startLine":3,"endLine":7},"text":"","bytes":0,"truncated":false,"error":"no"}`},
		{"write", `{"path":"a.md"}`, `{"ok":false,"file":{"path":"a.md","viewerPath":"a.md"},"bytes":0,"error":"no"}`},
		{"edit", `{"path":"a.md"}`, `{"ok":false,"file":{"path":"a.md","viewerPath":"a.md"},"error":"no"}`},
		{"exec", `{"command":"x"}`, `{"ok":false,"exitCode":-1,"stdout":"","truncated":false,"error":"no"}`},
		{"web_fetch", `{"url":"u"}`, `{"ok":false,"text":"","url":"u","truncated":false,"error":"no"}`},
		{"sessions_list", `{}`, `{"ok":false,"summary":"no"}`},
		{"mystery", `[1]`, `{"ok":false,"raw":"no"}`},
	} {
		call := Call{c.tool, jsontext.Value(c.args)}
		if diff := cmp.Diff(c.want, shown(t, call, FailedCall(call, "n\x00o"))); diff != "" {
			t.Errorf("%s: %s", c.tool, diff)
		}
	}
}

// The result of a call that returns only text has the shape of its tool's results.
func TestTextResult(t *testing.T) {
	for _, c := range []struct{ tool, args, want string }{
		{"read", `{"path":"a.md","offset":3,"limit":4}`, `{"ok":true,"file":{"path":"a.md","viewerPath":"a.md","area":{"startLine":3,"endLine":7}},"area":{"startLine":3,"endLine":7},"text":"said","bytes":4,"truncated":false}`},
		{"write", `{"path":"a.md","content":"1\n2\n"}`, `{"ok":true,"file":{"path":"a.md","viewerPath":"a.md","area":{"startLine":1,"endLine":2}},"area":{"startLine":1,"endLine":2},"bytes":4}`},
		{"append", `{"path":"a.md","content":"1\n2\n"}`, `{"ok":true,"file":{"path":"a.md","viewerPath":"a.md"},"bytes":4}`},
		{"edit", `{"path":"a.md"}`, `{"ok":true,"file":{"path":"a.md","viewerPath":"a.md"}}`},
		{"exec", `{"command":"x"}`, `{"ok":true,"exitCode":0,"stdout":"said","truncated":false}`},
		{"web_search", `{"query":"q"}`, `{"ok":true,"text":"said","truncated":false}`},
		{"message", `{"action":"send"}`, `{"ok":true,"summary":"said","raw":"said"}`},
		{"mystery", ``, `{"ok":true,"raw":"said"}`},
	} {
		call := Call{c.tool, jsontext.Value(c.args)}
		if diff := cmp.Diff(c.want, shown(t, call, TextResult(call, "said"))); diff != "" {
			t.Errorf("%s: %s", c.tool, diff)
		}
	}
}

// A result that is an object in its tool's shape keeps its members; any other object is shown as
// text or kept as a value.
func TestObjectResult(t *testing.T) {
	for _, c := range []struct{ tool, args, value, want string }{
		{"exec", `{"command":"make"}`, `{"ok":false,"exitCode":1,"stdout":"boom","stderr":"bad","truncated":true,"error":"failed"}`,
			`{"ok":false,"exitCode":1,"stdout":"boom","stderr":"bad","truncated":true,"error":"failed"}`},
		{"bash", `{}`, `{"exit_code":0,"stdout":"fine"}`, `{"ok":true,"exitCode":0,"stdout":"fine","truncated":false}`},
		{"bash", `{}`, `{"returncode":"2","output":"bad"}`, `{"ok":false,"exitCode":2,"stdout":"bad","truncated":false}`},
		{"bash", `{}`, `{"stdout":"x"}`, `{"ok":true,"exitCode":-1,"stdout":"x","truncated":false}`},
		{"exec", `{}`, `{"odd":1}`, `null`},
		{"read", `{"path":"a.md"}`, `{"ok":true,"file":{"path":"b.md","viewerPath":"/etc/x"},"area":{"startLine":3,"endLine":4},"text":"a\nb","bytes":99,"truncated":true}`,
			`{"ok":true,"file":{"path":"b.md","viewerPath":"b.md","area":{"startLine":3,"endLine":4}},"area":{"startLine":3,"endLine":4},"text":"a\nb","bytes":99,"truncated":true}`},
		{"read", `{"path":"a.md","offset":3,"limit":4}`, `{"content":"x","area":{"startLine":9,"endLine":2}}`,
			`{"ok":true,"file":{"path":"a.md","viewerPath":"a.md","area":{"startLine":3,"endLine":7}},"area":{"startLine":3,"endLine":7},"text":"x","bytes":1,"truncated":false}`},
		{"append", `{"path":"a.md"}`, `{"ok":true,"area":{"startLine":180,"endLine":195},"bytes":40}`,
			`{"ok":true,"file":{"path":"a.md","viewerPath":"a.md","area":{"startLine":180,"endLine":195}},"area":{"startLine":180,"endLine":195},"bytes":40}`},
		{"append", `{"path":"a.md","content":"1\n2\n"}`, `{"prevLineCount":10}`,
			`{"ok":true,"file":{"path":"a.md","viewerPath":"a.md","area":{"startLine":11,"endLine":12}},"area":{"startLine":11,"endLine":12},"bytes":4}`},
		{"append", `{"path":"a.md","content":"1\n2\n"}`, `{"newLineCount":10}`,
			`{"ok":true,"file":{"path":"a.md","viewerPath":"a.md","area":{"startLine":9,"endLine":10}},"area":{"startLine":9,"endLine":10},"bytes":4}`},
		{"edit", `{"path":"a.md"}`, `{"ok":false,"area":{"startLine":2,"endLine":3},"error":"no match"}`,
			`{"ok":false,"file":{"path":"a.md","viewerPath":"a.md","area":{"startLine":2,"endLine":3}},"area":{"startLine":2,"endLine":3},"error":"no match"}`},
		{"web_fetch", `{"url":"u"}`, `{"text":"page","truncated":true}`, `{"ok":true,"text":"page","url":"u","truncated":true}`},
		{"browser", `{}`, `{"ok":false,"summary":"did not open"}`, `{"ok":false,"summary":"did not open"}`},
		{"mystery", ``, `{"ok":false,"raw":[1],"error":"no"}`, `{"ok":false,"raw":[1],"error":"no"}`},
		{"mystery", ``, `{"ok":true,"n":1}`, `null`},
		{"read", ``, `"text"`, `null`},
	} {
		call := Call{c.tool, jsontext.Value(c.args)}
		got := `null`
		if r, ok := ObjectResult(call, jsontext.Value(c.value)); ok {
			got = shown(t, call, r)
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s %s: %s", c.tool, c.value, diff)
		}
	}
}

// An edit's area is the new block in the resulting file.
func TestAreas(t *testing.T) {
	for _, c := range []struct {
		name string
		got  FileArea
		want FileArea
	}{
		{"a diff without its context", ChangedArea([]Hunk{{NewStart: 3, NewLines: 6, Lines: []string{" c", "-old", "+new", "+new", " c", `\ No newline`}}}), FileArea{4, 5}},
		{"two hunks", ChangedArea([]Hunk{{NewStart: 1, Lines: []string{"+a"}}, {NewStart: 9, Lines: []string{" x", "-y"}}}), FileArea{1, 10}},
		{"no hunk", ChangedArea(nil), FileArea{}},
		{"lines of nothing", Lines(0, 5), FileArea{}},
		{"window from 0", Window(0, 5), FileArea{}},
	} {
		if c.got != c.want {
			t.Errorf("%s: %v, want %v", c.name, c.got, c.want)
		}
	}
}

// Mentioned paths are parsed from the command alone.
func TestMentionedPaths(t *testing.T) {
	for command, want := range map[string]string{
		"cat a.go b/c.md > out.txt":                                 "a.go b/c.md out.txt",
		"go test ./hud/... && go vet ./hud":                         "./hud/ ./hud",
		"sed -i 's/a/b/g' /etc/hosts":                               "/etc/hosts",
		"curl -s https://example.org/x.html -o page.html":           "page.html",
		"git diff HEAD~1 -- web/src/main.ts 2>/dev/null":            "web/src/main.ts",
		"FOO=lib/x.so --config=conf.yaml prog example.com 3.14 1/2": "lib/x.so conf.yaml",
		"vim hud/hud.go:42:7; cat hud/hud.go":                       "hud/hud.go",
		"scp ann@host:/tmp/x . ; ls *.go $HOME/x":                   "",
		"mysql -phunter2/x db":                                      "",
		"":                                                          "",
		"cat " + strings.Repeat("a/b ", 100):                        "a/b",
	} {
		var got []string
		for _, f := range MentionedPaths(command) {
			got = append(got, f.Path)
		}
		if joined := strings.Join(got, " "); joined != want {
			t.Errorf("%.60q mentions %q, want %q", command, joined, want)
		}
	}
	if f := MentionedPaths("vim hud/hud.go:42:7"); len(f) != 1 || f[0].Area != (FileArea{42, 42}) {
		t.Errorf("a line: %+v", f)
	}
	var many strings.Builder
	for i := range 1000 {
		many.WriteString(" d/" + strings.Repeat("x", i%50) + "y.go")
	}
	if n := len(MentionedPaths(many.String())); n != contracts.LimitMentionedPaths {
		t.Errorf("%d files", n)
	}
}

// Received facts have the labels that the HUD protocol defines.
func TestReceived(t *testing.T) {
	for _, c := range []struct {
		hud                     contracts.HUD
		subtype, label, payload string
	}{
		{ReceivedReconnect(source, "u", "agent:titan:web:nico"), "reconnect", "reconnected — replaying history", `{"sessionKey":"agent:titan:web:nico"}`},
		{ReceivedMessage(source, "u", "hello\nworld token=abc123"), "message", "message received", `{"preview":"hello world token=[redacted]"}`},
	} {
		if c.hud.Event != contracts.HUDReceived || c.hud.Subtype != c.subtype || c.hud.Label != c.label || string(c.hud.Payload) != c.payload {
			t.Errorf("%s: %+v %s", c.subtype, c.hud, c.hud.Payload)
		}
	}
	h := ReceivedMessage(source, "u", strings.Repeat("é", 500))
	if n := len([]rune(string(h.Payload))) - len(`{"preview":""}`); n != contracts.LimitReceivedPreview {
		t.Errorf("a preview of %d characters", n)
	}
}

func TestUnified(t *testing.T) {
	for _, c := range []struct {
		name  string
		hunks []Hunk
		want  string
	}{
		{"nothing", nil, ""},
		{"counts are ours", []Hunk{{OldStart: 3, OldLines: 99, NewStart: 4, NewLines: -1, Lines: []string{" a", "-b", "+c", "+d", `\ No newline at end of file`}}}, "@@ -3,2 +4,3 @@\n a\n-b\n+c\n+d\n\\ No newline at end of file\n"},
		{"lines in another format are skipped", []Hunk{{Lines: []string{"", "@@ -1 +1 @@", "+a\n-b"}}}, "@@ -0,1 +0,2 @@\n \n+a -b\n"},
		{"a hunk without lines is skipped", []Hunk{{OldStart: 1}}, ""},
	} {
		if got := Unified(c.hunks); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}
