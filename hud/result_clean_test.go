package hud

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// Redacting a result's strings before encoding produces the same JSON as scrubbing the encoded
// result.
func TestRedactedResultsEqualScrubbedJSON(t *testing.T) {
	pieces := []string{
		"", "a", " ", "\n", "\"", "\\", "é", "\xff", "\xe2\x82", "\u202e", "\x7f", "\x1b[31m", "PASSWORD=hunter2x9", "password: ", "hunter2x9", "name: API_KEY\n", "value: ",
		"sk-ant-api03-" + strings.Repeat("aB3", 12), "https://u:s3cretPass9@h/", "-----BEGIN RSA PRIVATE KEY-----\nMIIEvQ\n", "/src/a.go", "Authorization: Bearer abcdef123456", "{\"api_key\":\"x9y8z7w6\"}",
	}
	rapid.Check(t, func(t *rapid.T) {
		text := func(name string) string { // never empty after redaction
			return "x" + strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 6).Draw(t, name), "")
		}
		file := FileMeta{Path: text("path"), ViewerPath: text("shown"), Area: Lines(3, 4)}
		for _, r := range []Result{
			ReadResult{OK: true, File: file, Area: file.Area, Text: text("text"), Bytes: 1, Error: text("error")},
			WriteResult{File: file, Bytes: 123456, Created: true, Diff: text("diff"), Error: text("error")},
			EditResult{File: file, Area: file.Area, Diff: text("diff"), Error: text("error")},
			ExecResult{ExitCode: 12345, Stdout: text("stdout"), Stderr: text("stderr"), StdoutStyles: text("styles"), StderrStyles: text("styles"), MentionedPaths: []FileMeta{file, file}, Error: text("error")},
			WebResult{Text: text("text"), URL: text("url"), Truncated: true, Error: text("error")},
			Action(text("summary"), map[string]string{"password": text("password")}), Other(text("raw")),
		} {
			if got, want := string(recorded(r)), string(scrubbed(Value(r))); got != want {
				t.Fatalf("recorded(%#v)\n = %s\nwant %s", r, got, want)
			}
		}
	})
}
