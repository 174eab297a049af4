package translate

import (
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// If a member of a hook or row has an unexpected type, only that member is ignored, and Mismatched lists
// it.
func TestMembersOfUnexpectedTypeAreIgnored(t *testing.T) {
	others := []string{"true", "17", `"text"`, "[[1]]", `{"a":{"b":1}}`, "null"}
	changed := func(line []byte, visit func(name, other string, text []byte)) {
		var members map[string]jsontext.Value
		if err := json.Unmarshal(line, &members); err != nil {
			t.Fatal(err)
		}
		for name, was := range members {
			for _, other := range others {
				members[name] = jsontext.Value(other)
				text, err := json.Marshal(members, json.Deterministic(true))
				if err != nil {
					t.Fatal(err)
				}
				visit(name, other, text)
			}
			members[name] = was
		}
	}
	for _, line := range lines(t, "hooks.jsonl") {
		var recorded struct {
			Body jsontext.Value `json:"body"`
		}
		if err := json.Unmarshal(line, &recorded); err != nil {
			t.Fatal(err)
		}
		changed(recorded.Body, func(name, other string, text []byte) {
			h, err := ParseHook(text)
			if name == "session_id" || name == "hook_event_name" {
				return // these are required
			}
			if err != nil {
				t.Fatalf("%s as %s: %v", name, other, err)
			}
			s := NewSession(h.Session, h.AgentID, Config{})
			updates := s.Hook(h, 1000)
			updates.Add(s.GiveUp(2000, "over"))
			checkFacts(t, s, updates)
		})
	}
	for _, line := range lines(t, "transcript.jsonl") {
		changed(line, func(name, other string, text []byte) {
			if _, err := ParseRow(text); err != nil {
				t.Fatalf("%s as %s: %v", name, other, err)
			}
		})
	}
	h := hook(t, `{"session_id":"s","hook_event_name":"PostToolUse","tool_name":"Bash","tool_use_id":"c","is_interrupt":"no","agent_type":["x"]}`)
	if h.CallID != "c" || strings.Join(h.Mismatched, " ") != "/is_interrupt /agent_type" {
		t.Errorf("%+v", h)
	}
	if hook(t, `{"session_id":"s","hook_event_name":"PermissionRequest","tool_name":"Bash","cwd":{}}`).Answerable() || hook(t, `{"session_id":"s","hook_event_name":"PermissionRequest","tool_name":{}}`).Answerable() {
		t.Error("permission is asked for a call that was only partly understood")
	}
}
