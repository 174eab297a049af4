package hud

import (
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// A result with an unreadable outcome is a failure, never a success.
func TestUnreadableOutcomeIsAFailure(t *testing.T) {
	for _, value := range []string{
		`{"exitCode":-1e300,"stdout":"x"}`, `{"exitCode":true,"stdout":"x"}`, `{"exitCode":true,"ok":true,"stdout":"x"}`, `{"code":1}`, `{"ok":"false","stdout":"x"}`,
		`{"ok":"false"}`, `{"exitCode":true}`,
	} {
		r := ValueResult(Call{Tool: "exec", Args: jsontext.Value(`{"command":"make"}`)}, jsontext.Value(value), value)
		text, err := json.Marshal(r)
		if err != nil || !strings.Contains(string(text), `"ok":false`) || strings.Contains(string(text), `"exitCode":0`) {
			t.Errorf("%s became %s (%v)", value, text, err)
		}
	}
	named := jsontext.Value(`{"text":"x","code":"E_NONE"}`)
	if text, err := json.Marshal(ValueResult(Call{Tool: "read"}, named, "x")); err != nil || !strings.Contains(string(text), `"ok":true`) {
		t.Errorf("a textual code gave %s (%v)", text, err)
	}
}
