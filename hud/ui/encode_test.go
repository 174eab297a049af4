package ui

import (
	"bytes"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"pgregory.net/rapid"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/hud"
)

// recordedRaw, which cleans only once, returns the same as boundValue followed by hud.Clean.
func TestRecordedRawIsExact(t *testing.T) {
	same := func(t interface{ Errorf(string, ...any) }, v string) {
		if got, want := recordedRaw(jsontext.Value(v)), hud.Clean(boundValue(jsontext.Value(v), contracts.LimitUIRaw)); !bytes.Equal(got, want) {
			t.Errorf("recordedRaw(%.200q) = %.200q, want %.200q", v, got, want)
		}
	}
	deep := func(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }
	for _, v := range []string{
		"", "null", `"x"`, `{"a":1,"a":2}`, `{"a":1,"a\u0000":2}`, `{"a":1} 2`, "{", "\xff", "{\"a\":\"" + strings.Repeat("\xff", 10) + "\"}",
		deep(contracts.LimitDepth), deep(contracts.LimitDepth + 1), `{"t":"` + strings.Repeat("x", contracts.LimitUIRaw-8) + `"}`, `{"t":"` + strings.Repeat("x", contracts.LimitUIRaw-7) + `"}`,
		`{"t":"` + strings.Repeat("\xff", contracts.LimitUIRaw-8) + `"}`, `{"na\u0000me":"API_KEY","val\u0000ue":"hunter2x9"}`, `{"password":"x","sk-ant-api03-` + strings.Repeat("aB3", 12) + `":1}`,
	} {
		same(t, v)
	}
	pieces := []string{"{", "}", "[", "]", ",", ":", " ", `"a":`, `"a"`, `"b\u0000":`, `"b":`, "1", "null", `"é"`, "\xff", `"password":`, `"hunter2x9"`, `"name":"API_KEY"`, `"value":"hunter2x9"`}
	rapid.Check(t, func(t *rapid.T) {
		same(t, strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 10).Draw(t, "pieces"), ""))
	})
}

// Redacting an item's strings before encoding produces the same JSON as cleaning the encoded item.
func TestRecordedItemIsExact(t *testing.T) {
	key := "sk-ant-api03-" + strings.Repeat("aB3", 12)
	texts := []string{
		"a", " ", `\n`, `\"`, "é", "\xff", `\u202e`, "PASSWORD=hunter2x9", "password: ", "hunter2x9", key, "https://u:s3cretPass9@h/", `-----BEGIN RSA PRIVATE KEY-----\nMIIEvQ`, "Authorization: Bearer abcdef123456",
	}
	members := []string{`"tool":`, `"call_id":`, `"output":`, `"error":`, `"success":`, `"arguments":`, `"args":`, `"text":`, `"name":`, `"value":`, `"content":`}
	rapid.Check(t, func(t *rapid.T) {
		text := func() string {
			return `"` + strings.Join(rapid.SliceOfN(rapid.SampledFrom(texts), 0, 4).Draw(t, "text"), "") + `"`
		}
		payload := `{"tool":` + text()
		for _, m := range rapid.SliceOfNDistinct(rapid.SampledFrom(members[1:]), 0, 4, rapid.ID[string]).Draw(t, "members") {
			value := text()
			switch rapid.IntRange(0, 4).Draw(t, "value") {
			case 1:
				value = `{"name":"API_KEY","value":` + value + `}`
			case 2:
				value = `["--password",` + value + `,{"password":12345}]`
			case 3:
				value = `{"` + key + `":1,"[redacted]":` + value + `}`
			}
			payload += "," + m + value
		}
		for _, name := range []string{"abstract.tool_execution", "abstract.tool_result"} {
			for _, p := range Normalize(name, jsontext.Value(payload+"}")) {
				if p.Item == nil {
					continue
				}
				if got, want := recordedItem(p.Item, true), hud.Clean(Encode(p.Item, true)); !bytes.Equal(got, want) {
					t.Fatalf("recordedItem(%s %s})\n = %s\nwant %s", name, payload, got, want)
				}
			}
		}
	})
}
