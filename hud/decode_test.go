package hud

import (
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

type foreign struct {
	Text   string         `json:"text"`
	Yes    bool           `json:"yes"`
	Count  int            `json:"count"`
	Share  float64        `json:"share"`
	Raw    jsontext.Value `json:"raw"`
	List   []foreign      `json:"list"`
	Inside struct {
		Text string `json:"text"`
	} `json:"inside"`
	Maybe *foreign `json:"maybe"`
}

// A member of an unexpected type is skipped and reported; everything else is kept.
func TestDecodeSkipsUnexpectedTypes(t *testing.T) {
	for in, want := range map[string]struct {
		got        foreign
		mismatched []string
	}{
		`{"text":"a","yes":"sure","count":2}`:                         {foreign{Text: "a", Count: 2}, []string{"/yes"}},
		`{"text":{"a":1},"count":{"b":[]},"share":"much","raw":[1]}`:  {foreign{Raw: jsontext.Value(`[1]`)}, []string{"/text", "/count", "/share"}},
		`{"text":42,"count":"7","list":"none"}`:                       {foreign{Text: "42", Count: 7}, []string{"/list"}},
		`{"count":1.5,"list":["x",{"text":"b","yes":1}],"inside":[]}`: {foreign{Count: 1, List: []foreign{{}, {Text: "b"}}}, []string{"/list/0", "/list/1/yes", "/inside"}},
		`{"maybe":"no","text":"a"}`:                                   {foreign{Text: "a", Maybe: nil}, []string{"/maybe"}},
		`{"maybe":{"text":"b","count":[]},"text":"a"}`:                {foreign{Text: "a", Maybe: &foreign{Text: "b"}}, []string{"/maybe/count"}},
		`{"count":1e300,"text":"a","count2":{}}`:                      {foreign{Text: "a"}, []string{"/count"}},
		`{"text":"a","text":"b","yes":true,"inside":{"text":"c","x":[]}}`: {foreign{Text: "b", Yes: true, Inside: struct {
			Text string `json:"text"`
		}{"c"}}, nil},
	} {
		var got foreign
		mismatched, err := Decode([]byte(in), &got)
		if err != nil {
			t.Errorf("%s: %v", in, err)
		}
		if diff := cmp.Diff(want.got, got) + cmp.Diff(want.mismatched, mismatched); diff != "" {
			t.Errorf("%s: %s", in, diff)
		}
	}
	for _, in := range []string{``, `{`, `{"text":`, `{"text":"a"} {}`, `"text"`, `[]`, `7`} {
		if _, err := Decode([]byte(in), new(foreign)); err == nil {
			t.Errorf("%q was accepted", in)
		}
	}
}

// Whatever the other members are, a valid member is still read.
func TestDecodeSurvivesInvalidMembers(t *testing.T) {
	values := []string{`null`, `true`, `0`, `-1.5e9`, `1e999`, `"x"`, `""`, `[]`, `{}`, `[[{"a":1}]]`, `{"text":[1]}`, `"\ud800"`}
	members := []string{"text", "yes", "count", "share", "raw", "list", "inside", "maybe"}
	rapid.Check(t, func(t *rapid.T) {
		var parts []string
		for _, m := range members[1:] {
			parts = append(parts, `"`+m+`":`+rapid.SampledFrom(values).Draw(t, m))
		}
		text := `{` + strings.Join(parts, ",") + `,"text":"kept"}`
		var got foreign
		if _, err := Decode([]byte(text), &got); err != nil || got.Text != "kept" {
			t.Fatalf("%s: %+v, %v", text, got, err)
		}
	})
}
