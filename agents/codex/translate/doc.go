// Package translate translates Codex's hooks, rollout files and app-server items into facts and
// evidence.
//
// It guarantees: a call or a turn that several sources report is one fact; a failure that any
// source reports before the end is shown, whatever the agent says afterwards; what Codex does not
// report, such as an exit code, is shown as unknown; unknown records and items do not affect
// anything else.
//
// It is pure.
package translate

import (
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/hud"
)

// Source is this adapter's name in guest profiles and ids.
const Source = "codex"

// Label is the name shown for Codex.
const Label = "Codex"

// name cleans an untrusted name and returns it as one line of limited length.
func name(s string) string { return contracts.Clip(contracts.CleanLine(s), contracts.LimitName) }

// textOf returns the value of a JSON string, "" for null or a missing value, and any other value as
// JSON.
func textOf(v jsontext.Value) string {
	switch v.Kind() {
	case '"':
		var s string
		if json.Unmarshal(v, &s, hud.Lenient) == nil {
			return s
		}
	case 'n', 0:
		return ""
	}
	return string(v)
}
