package director_test

import (
	"testing"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/director"
)

// join starts a life of an outpost and returns a function that reports facts as the outpost.
func (l *lives) join(name string) func(contracts.Fact) (contracts.Result, *contracts.Refusal) {
	l.Helper()
	node := contracts.OutpostNode(name)
	l.observe("n", l.life, contracts.NodeUp{Node: node, Watches: []string{"claude"}})
	life := contracts.LifeID(l.w.Seq())
	return func(f contracts.Fact) (contracts.Result, *contracts.Refusal) {
		l.Helper()
		l.now++
		_, result, refusal, err := l.d.Observe(l.w, director.Now{MS: l.now, Node: node, Life: life}, f)
		if err != nil {
			l.Fatal(err)
		}
		return result, refusal
	}
}

func seen(id string) contracts.AgentSeen {
	return contracts.AgentSeen{Profile: contracts.AgentProfile{AgentID: id, Name: id, Source: "claude", Place: "~/shop"}}
}

func working(id string) contracts.StatusSeen {
	return contracts.StatusSeen{Status: contracts.AgentStatus{AgentID: id, Activity: contracts.ActivityWorking, Why: "a turn"}}
}

// An agent that an outpost reports is marked with the outpost's name, and an outpost cannot report
// anything about other agents.
func TestOutpostSpeaksForItsOwnAgents(t *testing.T) {
	l := newLives(t)
	l.begin()
	laptop, tower := l.join("laptop"), l.join("tower")
	if _, refusal := laptop(seen("agent_a")); refusal != nil {
		t.Fatal(refusal)
	}
	if a := l.w.Agent("agent_a"); a.Outpost != "laptop" || a.Place != "laptop:~/shop" {
		t.Errorf("stamped as %+v", a.AgentProfile)
	}
	if _, refusal := laptop(working("agent_a")); refusal != nil {
		t.Error(refusal)
	}
	asked, refusal := laptop(contracts.AskSeen{AgentID: "agent_a", Kind: contracts.DecisionAsk, Prompt: "Ship it?", AllowFreeText: true})
	if refusal != nil {
		t.Fatal(refusal)
	}
	l.observe("n", l.life, seen("agent_local"))
	child := seen("agent_child")
	child.Profile.ParentID = "agent_a"
	for _, f := range []contracts.Fact{
		seen("agent_a"), child, working("agent_a"), working("agent_bd"), working("agent_local"), contracts.AgentGone{AgentID: "agent_a"},
		contracts.HUDSeen{HUD: contracts.HUD{UUID: "1", Event: contracts.HUDTurnEnd, AgentID: "agent_a"}},
		contracts.HUDSeen{HUD: contracts.HUD{UUID: "2", Event: contracts.HUDTurnEnd}},
		contracts.UsageSeen{AgentID: "agent_bd"}, contracts.UsageSeen{AgentID: "agent_absent"}, contracts.AskSeen{Kind: contracts.DecisionAsk, Prompt: "Who?", AllowFreeText: true},
		contracts.AskWithdrawn{DecisionID: asked.DecisionID},
		contracts.RunBroke{TaskID: "task_1"}, contracts.Audited{Kind: contracts.AuditLogin}, contracts.NodeDown{Node: contracts.OutpostNode("laptop")},
	} {
		if _, refusal := tower(f); refusal == nil {
			t.Errorf("%+v was recorded", f)
		}
	}
	if _, refusal := l.tell(seen("agent_a")); refusal == nil || refusal.Code != contracts.CodeConflict {
		t.Errorf("the office took over an outpost's agent: %v", refusal)
	}
	if _, refusal := laptop(contracts.AskWithdrawn{DecisionID: asked.DecisionID}); refusal != nil {
		t.Error(refusal)
	}
}

// A restart of the office does not end the life of an outpost. When that life ends, so do the
// outpost's questions.
func TestOutpostOutlivesTheOffice(t *testing.T) {
	l := newLives(t)
	l.begin()
	laptop := l.join("laptop")
	life := contracts.LifeID(l.w.Seq())
	laptop(seen("agent_a"))
	asked, refusal := laptop(contracts.AskSeen{AgentID: "agent_a", Kind: contracts.DecisionPermission, Prompt: "Run make?", Options: []string{"Allow", "Deny"}, Permission: &contracts.Permission{Tool: "Bash", Place: "~/shop"}})
	if refusal != nil {
		t.Fatal(refusal)
	}
	if d := l.w.Decision(asked.DecisionID); d.Permission.Place != "laptop:~/shop" {
		t.Errorf("the permission is asked for %q", d.Permission.Place)
	}
	l.begin() // the office restarts; the outpost does not
	if _, refusal := laptop(working("agent_a")); refusal != nil {
		t.Errorf("after a restart of the office: %v", refusal)
	}
	if d := l.w.Decision(asked.DecisionID); d.Status != contracts.DecisionOpen {
		t.Errorf("a restart of the office left the question %s", d.Status)
	}
	l.observe("n", l.life, contracts.NodeDown{Node: contracts.OutpostNode("laptop"), Life: life})
	if d := l.w.Decision(asked.DecisionID); d.Status != contracts.DecisionCancelled {
		t.Errorf("the question from an outpost that is gone is %s", d.Status)
	}
}

// Usage that an outpost reports is recorded without its task, and without its turn if that turn is
// open only for another agent.
func TestOutpostUsageNamesATurnOfItsAgent(t *testing.T) {
	l := newLives(t)
	l.begin()
	laptop := l.join("laptop")
	now := director.Now{Node: contracts.OutpostNode("laptop"), Life: contracts.LifeID(l.w.Seq())}
	begins := func(agent, turn string) contracts.Fact {
		return contracts.HUDSeen{HUD: contracts.HUD{UUID: turn, Event: contracts.HUDTurnStart, AgentID: agent, Session: "s", CorrelationID: turn}}
	}
	for _, f := range []contracts.Fact{seen("agent_a"), begins("agent_a", "own")} {
		if _, refusal := laptop(f); refusal != nil {
			t.Fatal(refusal)
		}
	}
	l.observe("n", l.life, seen("agent_local"))
	l.observe("n", l.life, begins("agent_local", "foreign"))
	for turn, want := range map[string]string{"own": "own", "ended": "ended", "foreign": ""} {
		l.now++
		now.MS = l.now
		recs, _, refusal, err := l.d.Observe(l.w, now, contracts.UsageSeen{AgentID: "agent_a", TurnID: turn, TaskID: "task_1"})
		if refusal != nil || err != nil {
			t.Fatal(refusal, err)
		}
		body, err := recs[0].Decode()
		if e, ok := body.(*contracts.Event); err != nil || !ok || e.TurnID != want || e.TaskID != "" {
			t.Errorf("turn %q: recorded %+v, %v", turn, body, err)
		}
	}
}
