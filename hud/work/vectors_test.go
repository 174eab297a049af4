package work

import (
	"bytes"
	"os"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// UnmarshalJSON decodes a run in the vectors' format: [line, from, to, sgr].
func (r *Run) UnmarshalJSON(b []byte) error {
	var list []any
	if err := json.Unmarshal(b, &list); err != nil {
		return err
	}
	*r = Run{int(list[0].(float64)), int(list[1].(float64)), int(list[2].(float64)), list[3].(string)}
	return nil
}

// The terminal chooses the same view as the browser.
func TestVectors(t *testing.T) {
	data, err := os.ReadFile("../../contracts/vectors/work.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for line := range bytes.Lines(data) {
		var c struct {
			Name         string         `json:"name"`
			Tool         string         `json:"tool"`
			Args, Result jsontext.Value `json:",case:ignore"`
			Want         View           `json:"want"`
		}
		if err := json.Unmarshal(line, &c); err != nil {
			t.Fatalf("%v in %s", err, line)
		}
		var runs struct {
			Want struct {
				Out []struct {
					Spans []Run `json:"spans"`
				} `json:"out"`
			} `json:"want"`
		}
		if err := json.Unmarshal(line, &runs); err != nil {
			t.Fatal(err)
		}
		for i, o := range runs.Want.Out {
			c.Want.Out[i].Runs = o.Spans
		}
		got := Of(c.Tool, c.Args, c.Result)
		canonical(&got.Value)
		canonical(&c.Want.Value)
		if diff := cmp.Diff(c.Want, got, cmpopts.EquateEmpty(), cmpopts.IgnoreUnexported(View{})); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.Name, diff)
		}
		seen++
	}
	if seen < 40 {
		t.Errorf("only %d vectors", seen)
	}
}

func canonical(v *jsontext.Value) {
	if *v != nil {
		_ = v.Canonicalize() // the vectors are valid JSON
	}
}

// Every argument of a call that asks for permission is in the view or in the rest.
func TestEveryArgumentIsShownOrInTheRest(t *testing.T) {
	for _, c := range []struct{ tool, args, want string }{
		{"exec", `{"command":"ls","timeout":5,"description":"List"}`, "description timeout"},
		{"edit", `{"path":"a","old_string":"x","new_string":"y","replace_all":true,"operation":"edit"}`, ""},
		{"edit", `{"path":"a","old_string":"x","new_string":"y","content":"hidden"}`, "content"},
		{"edit", `{"path":"a","edits":[{"old_string":"x","new_string":"y"}],"new_string":"hidden"}`, "new_string"},
		{"edit", `{"path":"a","edits":[{"old_string":"x","new_string":"y","then":"hidden"}]}`, "edits"},
		{"write", `{"path":"a","content":"x","mode":"0777"}`, "mode"},
		{"read", `{"path":"a","offset":3,"limit":9}`, "limit"},
		{"mcp__x__y", `{"q":1}`, ""},
		{"edit", `{"path":["a"],"replace_all":"rm","old_string":"x","new_string":""}`, "path replace_all"},
	} {
		args := jsontext.Value(c.args)
		var names []string
		for _, m := range Rest(Of(c.tool, args, nil), args) {
			names = append(names, m.Name)
		}
		if got := strings.Join(names, " "); got != c.want {
			t.Errorf("%s %s leaves %q, want %q", c.tool, c.args, got, c.want)
		}
	}
}

// Of returns a view for arguments and results of any shape.
func FuzzOf(f *testing.F) {
	f.Add("edit", `{"edits":[1,{"old_string":"a"}]}`, `{"diff":"@@ -1,9 +1,9 @@\n x"}`)
	f.Add("exec", `{"command":"x"}`, `{"stdout":"a\nb","stdoutStyles":"1:0-1=31 0:0-1=38;5;300","exitCode":1e99}`)
	f.Add("read", `[]`, `{"text":7,"area":{"startLine":-4}}`)
	f.Fuzz(func(t *testing.T, tool, args, result string) {
		v := Of(tool, jsontext.Value(args), jsontext.Value(result))
		for _, file := range v.Files {
			for _, h := range file.Hunks {
				h.Diff()
			}
		}
		for _, o := range v.Out {
			o.Lines()
		}
	})
}

// diffVector is a case of contracts/vectors/diff.jsonl.
type diffVector struct {
	Name   string   `json:"name"`
	Before string   `json:"before"`
	After  string   `json:"after"`
	Lines  [][]any  `json:"lines"` // each line with its sign, followed by its marks as [from, to] in code points
	Pairs  [][2]int `json:"pairs"` // lines shown next to each other, as indexes into lines
}

// The terminal aligns lines and marks words as the browser does.
func TestDiffVectors(t *testing.T) {
	data, err := os.ReadFile("../../contracts/vectors/diff.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for line := range bytes.Lines(data) {
		var c diffVector
		if err := json.Unmarshal(line, &c); err != nil {
			t.Fatalf("%v in %s", err, line)
		}
		got := diffVectorOf(t, c)
		if diff := cmp.Diff(c, got, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.Name, diff)
		}
		seen++
	}
	if seen < 12 {
		t.Errorf("only %d vectors", seen)
	}
}

func diffVectorOf(t *testing.T, c diffVector) diffVector {
	lines := Lines(c.Before, c.After, 1)
	out := diffVector{Name: c.Name, Before: c.Before, After: c.After}
	for i := 0; i < len(lines); i++ {
		row := []any{string(lines[i].Op) + lines[i].Text}
		for _, m := range lines[i].Marks {
			row = append(row, []any{float64(utf8.RuneCountInString(lines[i].Text[:m.From])), float64(utf8.RuneCountInString(lines[i].Text[:m.To]))})
		}
		out.Lines = append(out.Lines, row)
	}
	for i := 0; i < len(lines); i++ {
		if lines[i].Op != Removed {
			continue
		}
		mid := i
		for mid < len(lines) && lines[mid].Op == Removed {
			mid++
		}
		end := mid
		for end < len(lines) && lines[end].Op == Added {
			end++
		}
		for _, p := range aligned(lines[i:mid], lines[mid:end]) {
			out.Pairs = append(out.Pairs, [2]int{i + p.x, mid + p.y})
		}
		i = end - 1
	}
	return out
}

// A review sends the same instructions and folds the same files in every client.
func TestReviewVectors(t *testing.T) {
	data, err := os.ReadFile("../../contracts/vectors/review.json")
	if err != nil {
		t.Fatal(err)
	}
	var v struct {
		Instructions []struct {
			Words    string    `json:"words"`
			Comments []Comment `json:"comments"`
			Want     string    `json:"want"`
		} `json:"instructions"`
		Generated map[string]bool `json:"generated"`
	}
	if err := json.Unmarshal(data, &v); err != nil {
		t.Fatal(err)
	}
	for _, c := range v.Instructions {
		if diff := cmp.Diff(c.Want, Instructions(c.Words, c.Comments)); diff != "" {
			t.Errorf("instructions (-want +got):\n%s", diff)
		}
	}
	for path, want := range v.Generated {
		if got := Generated(path); got != want {
			t.Errorf("Generated(%q) = %v, want %v", path, got, want)
		}
	}
}
