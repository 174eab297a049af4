package contracts

import (
	"testing"
	"time"

	"github.com/go-json-experiment/json"
)

// The explanation names the member and says what is wrong without Go terms.
func TestExplainJSONError(t *testing.T) {
	for text, want := range map[string]string{
		`{"count":1.5}`:       "count: got a number, want an integer",
		`{"count":300}`:       "count: the number is out of range",
		`{"count":"x"}`:       "count: got a string, want an integer",
		`{"at":"yesterday"}`:  "at: use a time such as 2026-01-02T15:04:05Z",
		`{"at":5}`:            "at: got a number, want a string",
		`{"sig":"%"}`:         "sig: it is not valid base64",
		`{"sig":[]}`:          "sig: got an array, want a string",
		`{"cuont":1}`:         `: unknown key "cuont"; did you mean count?`,
		`{"somethingelse":1}`: `: unknown key "somethingelse"; use count, at, sig`,
		`{"count":`:           ": unexpected end",
	} {
		var to struct {
			Count int8      `json:"count"`
			At    time.Time `json:"at"`
			Sig   []byte    `json:"sig"`
		}
		member, why := ExplainJSONError(json.Unmarshal([]byte(text), &to, json.RejectUnknownMembers(true)))
		if got := member + ": " + why; got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}
