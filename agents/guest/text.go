package guest

import (
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/hud"
)

// Name cleans an untrusted name and returns it as one line of limited length.
func Name(s string) string { return contracts.Clip(contracts.CleanLine(s), contracts.LimitName) }

// Text returns the value of a JSON string, "" for null or a missing value, and any other value as
// JSON.
func Text(v jsontext.Value) string {
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
