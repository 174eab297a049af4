package translate

import (
	"github.com/bullpen-office/bullpen/hud"
	"github.com/go-json-experiment/json/jsontext"
)

// Call is a use of a tool by the names that the office uses.
func Call(tool string, input jsontext.Value) hud.Call { return asked(tool, input) }

// Result is how a call ended, in the shape that seed 001 has for its tool: with a
// failure, or with what the tool returned, structured and as the text that the
// model got; either may be missing.
func Result(c hud.Call, response jsontext.Value, text, failure string) hud.Result {
	return result(c, outcome{response: response, text: text, failure: failure})
}

// Grants says what the suggested rules would allow from now on; empty when that
// cannot be put in words.
func Grants(suggestions jsontext.Value) string { return grants(suggestions) }
