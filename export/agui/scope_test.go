package agui

import (
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/bullpen-office/bullpen/contracts"
)

// A stream starts with the state of its scope: the office, the agent, the agent of the session, or
// null for an agent that is not in the office.
func TestScopeState(t *testing.T) {
	office := contracts.Snapshot{Agents: []contracts.Agent{
		{AgentProfile: contracts.AgentProfile{AgentID: "agent_a", Session: "s_a"}},
		{AgentProfile: contracts.AgentProfile{AgentID: "agent_b", Session: "s_b"}},
		{AgentProfile: contracts.AgentProfile{AgentID: "agent_c"}},
	}}
	for _, c := range []struct {
		scope Scope
		want  string // id of the agent
	}{
		{Scope{AgentID: "agent_b"}, "agent_b"},
		{Scope{Session: "s_b"}, "agent_b"},
		{Scope{AgentID: "agent_a", Session: "s_b"}, "agent_a"},
		{Scope{AgentID: "agent_z"}, ""},
		{Scope{Session: "s_z"}, ""},
	} {
		b, err := json.Marshal(c.scope.state(office))
		if err != nil {
			t.Fatal(err)
		}
		var got map[string]*contracts.Agent
		if err := json.Unmarshal(b, &got); err != nil || len(got) != 1 {
			t.Fatalf("%+v: %s %v", c.scope, b, err)
		}
		if a := got["agent"]; c.want == "" && a != nil || c.want != "" && (a == nil || a.AgentID != c.want) {
			t.Errorf("%+v: %s", c.scope, b)
		}
	}
	if all, ok := (Scope{}).state(office).(contracts.Snapshot); !ok || len(all.Agents) != 3 {
		t.Errorf("the office: %+v", all)
	}
}
