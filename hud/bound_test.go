package hud

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// Whatever a tool outputs, the bounded value is valid JSON of a limited size.
func TestValueIsBounded(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Repeat(rapid.String().Draw(t, "text"), rapid.IntRange(0, 5_000).Draw(t, "times"))
		v := Bound(Value(map[string]any{"text": text}))
		if !v.IsValid() || len(v) > limitValue {
			t.Fatalf("%d bytes, valid %v", len(v), v.IsValid())
		}
	})
	if v := Value(func() {}); !strings.Contains(string(v), "raw") || !v.IsValid() {
		t.Errorf("a value that cannot be encoded became %s", v)
	}
	var out map[string]any
	if err := json.Unmarshal(Value(map[string]string{"text": "\xff"}), &out); err != nil {
		t.Errorf("invalid UTF-8: %v", err)
	}
}

// W19: control and bidirectional characters are removed from strings and names; the rest of a value
// stays the same.
func TestBoundCleans(t *testing.T) {
	for in, want := range map[string]string{
		`{"b":"x\u0000\u001b[2J\ny","a":1.50e3,"n":12345678901234567890,"z":[null,true,"\u202ee\u0301"]}`: `{"b":"x[2J\ny","a":1.50e3,"n":12345678901234567890,"z":[null,true,"e\u0301"]}`,
		`{"a\u0007":{"\r\n":"\u009b"}}`: `{"a":{"\n":""}}`,
		`{"a":1,"a\u0000":2}`:           `{"raw":"{\"a\":1,\"a\\u0000\":2}"}`,
		"{oops\x00":                     `{"raw":"{oops"}`,
		`"\ud800"`:                      `"\ufffd"`,
		``:                              ``,
	} {
		got := Bound(jsontext.Value(in))
		var a, b any
		if in != "" && (json.Unmarshal(got, &a) != nil || json.Unmarshal([]byte(want), &b) != nil) {
			t.Fatalf("Bound(%q) = %q is not JSON", in, got)
		}
		if diff := cmp.Diff(b, a); diff != "" || strings.Contains(want, "1.50e3,\"n\":12345678901234567890") != strings.Contains(string(got), "1.50e3,\"n\":12345678901234567890") {
			t.Errorf("Bound(%q) = %q, want %q", in, got, want)
		}
	}
}

// part is the recorded part of a large result.
type part struct {
	OK        bool   `json:"ok"`
	Text      string `json:"text"`
	Stdout    string `json:"stdout"`
	Bytes     int    `json:"bytes"`
	Truncated bool   `json:"truncated"`
	Ref       string `json:"ref"`
	Area      FileArea
}

// Text is inlined up to 16 KiB, and the rest is available by reference; sizes and line numbers
// always refer to the full text.
func TestLargeResultsAreStoredByReference(t *testing.T) {
	const id = "6f0d1c1e-1111-4222-8333-444455556666"
	long := strings.Repeat("é\n", contracts.LimitHUDInline) + "password=hunter2"
	end, whole := ToolEnd(source, id, Span{Correlation: "c"}, Call{Tool: "Read", Args: jsontext.Value(`{"file_path":"a.md"}`)}, Read("a.md", long), 0)
	var p part
	if err := json.Unmarshal(end.Result, &p); err != nil {
		t.Fatal(err)
	}
	if !p.OK || !p.Truncated || p.Ref != "/v1/hud/"+id+"/result" || p.Bytes != len(long) || len(p.Text) > contracts.LimitHUDInline || !utf8.ValidString(p.Text) {
		t.Errorf("part: %d bytes of text, %+v", len(p.Text), p.Ref)
	}
	if end.Label != "👁 a.md:L1–L16385" || len(end.Result) > limitValue {
		t.Errorf("label %q, %d bytes", end.Label, len(end.Result))
	}
	var kept struct {
		ID     string     `json:"id"`
		Result ReadResult `json:"result"`
	}
	if err := json.Unmarshal(whole, &kept); err != nil {
		t.Fatal(err)
	}
	if want := strings.Replace(long, "hunter2", Mark, 1); kept.ID != id || kept.Result.Text != want || kept.Result.Truncated {
		t.Errorf("whole: %s, %d bytes of text", kept.ID, len(kept.Result.Text))
	}
	if end.ResultSHA256 != contentName(whole) {
		t.Error("the fact refers to different content")
	}

	end, whole = ToolEnd(source, id, Span{}, Call{Tool: "read"}, Read("a.md", "short"), 0)
	if whole != nil || end.ResultSHA256 != "" || strings.Contains(string(end.Result), "ref") {
		t.Errorf("a small result: %s", end.Result)
	}
}

// A result beyond the storage limit is visibly truncated, whatever its shape.
func TestGiganticResults(t *testing.T) {
	list := make([]any, 50_000)
	for name, result := range map[string]any{
		"one text":        Exec("yes", 0, strings.Repeat("\n", 2<<20)+"end", ""),
		"many texts":      Other(func() []string { return strings.Split(strings.Repeat(strings.Repeat("z", 30_000)+" ", 30), " ") }()),
		"a long list":     Other(list),
		"many short ones": Other(strings.Split(strings.Repeat("word ", 50_000), " ")),
		"long names":      map[string]any{strings.Repeat("n", 20_000) + "1": 1, strings.Repeat("n", 20_000) + "2": 2},
		"a bare text":     strings.Repeat("x", 1<<20),
		"no JSON":         jsontext.Value(strings.Repeat("{", 1<<20)),
	} {
		inline, whole := Split("u", Value(result))
		var p part
		if err := json.Unmarshal(inline, &p); err != nil || len(inline) > limitValue+256 {
			t.Errorf("%s: %d bytes inline, %v", name, len(inline), err)
		}
		if !p.Truncated || p.Ref == "" || p.Bytes == 0 {
			t.Errorf("%s: says %v %q %d", name, p.Truncated, p.Ref, p.Bytes)
		}
		if len(whole) > contracts.LimitHUDResult || !whole.IsValid() || len(whole) < contracts.LimitHUDInline {
			t.Errorf("%s: %d bytes are kept, valid %v", name, len(whole), whole.IsValid())
		}
	}
}

// No input produces an invalid fact, and bounding a value a second time changes nothing.
func FuzzBound(f *testing.F) {
	for _, seed := range []string{
		`{"password":"x","list":[1,"--token","abc"],"text":"postgres://a:b@c"}`, "TOKEN=abc\x00", `{"a":"\ud800"}`, "-----BEGIN PRIVATE KEY-----",
		`Authorization: Bearer abc`, `"\\\"secret\\\": \\\"x\\\""`, "mysql -p'x' --password \"y\" curl -u a:b", "token: \"a' b\"'c", `password='a"b`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		v := Bound(jsontext.Value(data))
		if len(data) > 0 && !v.IsValid() || len(v) > limitValue {
			t.Fatalf("Bound(%q) = %q", data, v)
		}
		if again := Bound(v); string(again) != string(v) {
			t.Fatalf("bounded twice: %q became %q", v, again)
		}
		text := contracts.CleanText(string(data))
		once := Redact(text)
		if again := Redact(once); again != once {
			t.Fatalf("Redact(%q) = %q, then %q", text, once, again)
		}
		call := Call{Tool: "Bash", Args: jsontext.Value(data)}
		end, whole := ToolEnd(Source{}, "u", Span{}, call, TextResult(call, string(data)), 0)
		if !end.Result.IsValid() || whole != nil && !jsontext.Value(whole).IsValid() || end.Label != contracts.CleanLine(end.Label) {
			t.Fatalf("fact %+v", end)
		}
	})
}
