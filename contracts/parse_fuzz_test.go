package contracts

import (
	"io/fs"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
)

// nasty is JSON that parsers disagree about.
var nasty = []string{
	"", " ", "{", "}", "[]", "null", "{}{}", `{"type":}`, "\x00", "\xff\xfe", "\ufeff{}",
	`{"type":"ping","id":"a","ts":1e308,"v":1,"payload":{}}`,
	`{"type":"ping","id":"a","ts":1e-999,"v":1,"payload":{}}`,
	`{"type":"ping","id":"a","ts":-0,"v":1.0,"payload":{}}`,
	`{"type":"ping","id":"a","ts":123456789012345678901234567890,"v":1,"payload":{}}`,
	`{"type":"ping","id":"\ud83d\ude00","ts":1,"v":1,"payload":{"":{"":""}}}`,
	`{"type":"ping","id":"\udc00","ts":1,"v":1,"payload":{}}`,
	`{"t\u0079pe":"ping","id":"a","ts":1,"v":1,"payload":{}}`,
	`{"type":"ping","id":"a","ts":1,"v":1,"payload":{},"__proto__":{"id":"b"}}`,
	`{"type":"command","id":"a","ts":1,"v":1,"payload":{"name":"submit_request","data":{"text":"x","constraints":{"a\u0000":1,"a":2}}}}`,
	`{"type":"chat","id":"a","ts":1,"v":1,"payload":{"text":"` + strings.Repeat(`a\u0301`, 50) + `"}}`,
	strings.Repeat("[", 10000),
	strings.Repeat(`{"a":`, 10000),
}

// FuzzParse looks for input that causes a panic, is refused without a reason, or changes in a round
// trip.
func FuzzParse(f *testing.F) {
	for _, s := range nasty {
		f.Add([]byte(s))
	}
	err := fs.WalkDir(Files(), "examples", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		raw, err := fs.ReadFile(Files(), path)
		if strings.Contains(path, "/invalid/") {
			var e invalidExample
			err = json.Unmarshal(raw, &e)
			raw = e.bytes()
		}
		f.Add(raw)
		return err
	})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		in, r := Parse(raw)
		if r != nil {
			if r.Code == "" || r.Message == "" || in.ID == "" {
				t.Fatalf("the refusal %+v of %q is incomplete", r, in.ID)
			}
			if strings.Contains(r.Message, "jsontext") || strings.Contains(r.Message, "unable to") || r.Message != CleanText(r.Message) {
				t.Fatalf("the refusal contains an internal error: %q", r.Message)
			}
			return
		}
		if !saneID(in.ID) {
			t.Fatalf("accepted id %q", in.ID)
		}
		if in.Command != nil {
			roundTrip(t, in.Command)
		}
	})
}

func roundTrip(t *testing.T, d CommandData) {
	t.Helper()
	data, err := json.Marshal(d)
	if err != nil {
		t.Fatalf("an accepted command cannot be encoded: %v", err)
	}
	again, r := parseCommand(d.CommandName(), string(data))
	if r != nil {
		t.Fatalf("an accepted command is refused the second time: %v in %s", r, data)
	}
	if Fingerprint(d) != Fingerprint(again) {
		t.Fatalf("%#v became %#v", d, again)
	}
}
