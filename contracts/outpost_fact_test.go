package contracts

import (
	"strings"
	"testing"
)

// A fact has a different key at each outpost and in the office. The key is the same each time that
// an outpost reports the fact.
func TestOutpostsHaveTheirOwnKeys(t *testing.T) {
	for _, f := range []Fact{
		HUDSeen{HUD: HUD{UUID: "1"}, Once: true},
		HUDSeen{HUD: HUD{UUID: "1", ResultSHA256: "abc"}},
		UISeen{UI: UI{Source: "s", EventID: "1"}},
		UsageSeen{Key: "msg_1"},
		Audited{Kind: AuditLogin, Key: "1"},
	} {
		seen := map[string]string{}
		for _, node := range []string{"", OutpostNode("laptop"), OutpostNode("tower")} {
			key := FactKey(Teller{Node: node}.Qualify(f))
			if by, taken := seen[key]; taken || key == "" {
				t.Errorf("%s: key %q of node %q is also that of %q", f.FactName(), key, node, by)
			}
			seen[key] = node
			if again := FactKey(Teller{Node: node, Life: "other", Key: "other"}.Qualify(f)); again != key {
				t.Errorf("%s: key %q, then %q", f.FactName(), key, again)
			}
		}
		if key := FactKey(Teller{Node: "b"}.Qualify(f)); key != FactKey(f) {
			t.Errorf("%s: a node of the office has the key %q", f.FactName(), key)
		}
	}
	for _, f := range []Fact{HUDSeen{}, HUDSeen{HUD: HUD{UUID: "1"}}, UsageSeen{}, UISeen{}, Audited{}, StatusSeen{}} {
		if key := FactKey(Teller{Node: OutpostNode("laptop")}.Qualify(f)); key != "" {
			t.Errorf("%s: key %q", f.FactName(), key)
		}
	}
}

// A truncated result still refers to the fact that has the whole result.
func TestQualifiedFactRefersToItsResult(t *testing.T) {
	f := HUDSeen{HUD: HUD{UUID: "1", ResultSHA256: "abc", Result: []byte(`{"text":"\"ref\":\"/v1/hud/1/result\"","ref":"/v1/hud/1/result"}`)}}
	h := Teller{Node: OutpostNode("laptop")}.Qualify(f).(HUDSeen).HUD
	if want := `{"text":"\"ref\":\"/v1/hud/1/result\"","ref":"/v1/hud/` + h.UUID + `/result"}`; string(h.Result) != want || h.UUID == "1" {
		t.Errorf("%s, want %s", h.Result, want)
	}
	if !strings.Contains(string(f.HUD.Result), `"ref":"/v1/hud/1/result"`) {
		t.Errorf("the reported fact was changed: %s", f.HUD.Result)
	}
}
