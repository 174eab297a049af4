package contracts

import (
	"strings"
	"testing"
)

func TestAgentIDOf(t *testing.T) {
	for name, want := range map[string]string{
		"": "", "  ": "", "agent_x": "agent_x", "Night Build": "agent_night_build", " a--b ": "agent_a_b", "agent_X Y": "agent_x_y", "agent_": "agent_c26d7b4f",
	} {
		if got := AgentIDOf(name); got != want && name != "agent_" || got != "" && !HasPrefix(got, PrefixAgent) {
			t.Errorf("AgentIDOf(%q) = %q, want %q", name, got, want)
		}
	}
	seen := map[string]string{}
	for _, name := range []string{"Zoë", "Zo", "日本", "中国", "!!!", strings.Repeat("a", 500), strings.Repeat("a", 501), "\x00\xff"} {
		id := AgentIDOf(name)
		if !HasPrefix(id, PrefixAgent) || seen[id] != "" {
			t.Errorf("the id of %.20q is %q, which is invalid or already the id of %q", name, id, seen[id])
		}
		seen[id] = name
	}
}
