package ui

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/bullpen-office/bullpen/contracts"
)

// Ignored elements of a list keep their position, so that nothing is lost.
func TestListKeepsIgnoredElements(t *testing.T) {
	parts := Normalize("abstract.tool_execution", jsontext.Value(`[null, "ls", 5]`))
	if len(parts) != 3 || parts[0].Ignored == "" || parts[1].Item == nil || parts[2].Ignored == "" || string(parts[2].Raw) != "5" {
		t.Errorf("%+v", parts)
	}
}

// A status ends after its duration, counted from the event itself (U4).
func TestStatusExpires(t *testing.T) {
	for duration, want := range map[string]int64{``: 1000 + contracts.StatusLineDuration.Milliseconds(), `-1`: 0, `2`: 3000, `0.5`: 1500, `1e14`: 0} {
		if got := (&Status{Duration: jsontext.Value(duration)}).Expires(1000); got != want {
			t.Errorf("%q: %d, want %d", duration, got, want)
		}
	}
}

// Large, deep and invalid payloads become bounded items that can be recorded, in bounded time.
func TestHostilePayloads(t *testing.T) {
	deep := strings.Repeat("[", 9000) + strings.Repeat("]", 9000)
	wide := `[` + strings.Repeat(`1,`, 1<<16) + `1]`
	for name, payload := range map[string]string{
		"deep":          `{"tool":"t","text":"x","args":{"a":` + deep + `},"output":` + deep + `}`,
		"too deep":      strings.Repeat("[", 20_000),
		"wide":          `{"tool":"t","args":{"a":` + wide + `},"output":` + wide + `}`,
		"wide and deep": `{"tool":"t","output":` + strings.Repeat("[", 30) + wide + strings.Repeat("]", 30) + `}`,
		"long":          `{"tool":"t","text":"` + strings.Repeat("é", 1<<17) + `"}`,
		"utf8":          "{\"tool\":\"t\xff\",\"text\":\"a\xc3(\",\"args\":{\"k\xff\":\"v\xff\"}}",
		"twice":         `{"tool":"a","tool":"t","text":"x","args":{"k":1,"k":2},"meta":{"k":1,"k":2}}`,
		"surrogate":     `{"tool":"t","text":"\ud800"}`,
		"numbers":       `{"tool":1e400,"text":-0,"duration":1e400,"percent":1e400,"args":{"n":1e400}}`,
		"cut":           `{"tool":"t`,
		"tail":          `"a" "b"`,
		"nothing":       ``,
	} {
		for _, kind := range Kinds {
			mustFit(t, name+" "+kind, Normalize(NameOf(kind), jsontext.Value(payload)))
		}
	}
}

// mustFit fails the test if a part cannot be recorded.
func mustFit(tb testing.TB, name string, parts []Part) {
	tb.Helper()
	if len(parts) == 0 {
		tb.Fatalf("%s: no part", name)
	}
	for _, p := range parts {
		if (p.Item == nil) == (p.Ignored == "") {
			tb.Fatalf("%s: %+v", name, p)
		}
		u := contracts.UI{Raw: boundValue(p.Raw, contracts.LimitUIRaw), Ignored: p.Ignored}
		if len(p.Raw) == 0 {
			tb.Fatalf("%s: no raw", name)
		}
		if p.Item != nil {
			b, err := json.Marshal(p.Item)
			if err != nil {
				tb.Fatalf("%s: %v", name, err)
			}
			u.Normalized = b
		}
		r, err := contracts.NewRecord(1, 0, "", &u)
		if err != nil {
			tb.Fatalf("%s: %v", name, err)
		}
		if len(r.Body) > 16*contracts.LimitUIRaw || !utf8.Valid(r.Body) {
			tb.Fatalf("%s: %d bytes", name, len(r.Body))
		}
	}
}

// A truncated value is marked as truncated and includes its original size.
func TestBoundValue(t *testing.T) {
	for in, want := range map[string]string{
		`{"b":1.50,"a":12345678901234567890}`: `{"b":1.50,"a":12345678901234567890}`,
		`"a\u0000b"`:                          `"ab"`,
		`{"a":1,"a":2}`:                       `{"truncated":true,"bytes":13,"text":"{\"a\":1,\"a\":2}"}`,
		`"` + strings.Repeat("x", 100) + `"`:  `{"truncated":true,"bytes":102,"text":"\"` + strings.Repeat("x", 31) + `"}`,
	} {
		if got := string(boundValue(jsontext.Value(in), 64)); got != want {
			t.Errorf("boundValue(%s) = %s, want %s", in, got, want)
		}
	}
}

func FuzzNormalize(f *testing.F) {
	for _, file := range []string{"vectors.jsonl", "own.jsonl"} {
		for _, v := range vectors(f, file) {
			f.Add(v.Name, []byte(v.Payload))
			f.Add("", []byte(v.line))
		}
	}
	f.Fuzz(func(t *testing.T, name string, payload []byte) {
		mustFit(t, name, Normalize(name, payload))
		for _, kind := range Kinds {
			mustFit(t, kind, Normalize(NameOf(kind), payload))
		}
		if e, ok := FromRecord(objectOf(payload)); ok && e.Ignored == "" {
			mustFit(t, e.Name, Normalize(e.Name, e.Payload))
		}
	})
}
