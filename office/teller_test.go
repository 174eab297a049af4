package office_test

import (
	"testing"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/ledger/sqlite"
)

// Facts that another node reports again under the same key are recorded only once, even by the next
// office on the same ledger, and the reply to the repetition names the same decision.
func TestFactsToldAgainCountOnce(t *testing.T) {
	l := open(t, sqlite.Config{})
	o, stop := run(t, l)
	up := o.Tell(t.Context(), contracts.NodeUp{Node: "b"})[0]
	if up.Refusal != nil {
		t.Fatal(up.Refusal)
	}
	teller := contracts.Teller{Node: "b", Life: contracts.LifeID(up.Seq), Key: "one"}
	facts := []contracts.Fact{
		contracts.Audited{Kind: contracts.AuditLogin, By: "me", Says: "signed in"},
		contracts.AskSeen{Kind: contracts.DecisionAsk, Prompt: "Which port?", AllowFreeText: true},
	}
	first := o.TellAs(t.Context(), teller, facts...)
	head := l.Head()
	again := o.TellAs(t.Context(), teller, facts...)
	stop()
	o, _ = run(t, l)
	began := l.Head()
	later := o.TellAs(t.Context(), teller, facts...)
	for i := range facts {
		if first[i].Refusal != nil || first[i].Duplicate {
			t.Errorf("fact %d: %+v", i, first[i])
		}
		for _, reply := range []contracts.Reply{again[i], later[i]} {
			if reply.Refusal != nil || !reply.Duplicate || reply.Result.DecisionID != first[i].Result.DecisionID {
				t.Errorf("fact %d told again: %+v, at first %+v", i, reply, first[i])
			}
		}
	}
	asked := first[1].Result.DecisionID
	if rec, ok, err := l.Lookup(t.Context(), "dec/"+asked); asked == "" || !ok || err != nil || rec.Seq != first[1].Seq || later[1].Seq != first[1].Seq {
		t.Errorf("question %q is record %d (%v, %v), its replies name %d and %d", asked, rec.Seq, ok, err, first[1].Seq, later[1].Seq)
	}
	if l.Head() != began || head > began {
		t.Errorf("facts told again were recorded: head %d, then %d", began, l.Head())
	}
}

// A node does not start work for an agent while another node is running one of that agent's turns.
func TestWorkWaitsForTheTurnOfAnotherNode(t *testing.T) {
	l := open(t, sqlite.Config{})
	o, _ := run(t, l)
	if got := o.Life(); !contracts.IsLife(got) {
		t.Fatalf("life %q", got)
	}
	up := o.Tell(t.Context(), contracts.NodeUp{Node: "b"})[0]
	teller := contracts.Teller{Node: "b", Life: contracts.LifeID(up.Seq)}
	turn := func(event contracts.HUDEvent) contracts.Fact {
		return contracts.HUDSeen{HUD: contracts.HUD{Event: event, UUID: string(event), AgentID: "agent_bd", CorrelationID: "t", Session: "s", Origin: contracts.OriginCaller}}
	}
	if r := o.TellAs(t.Context(), teller, turn(contracts.HUDTurnStart))[0]; r.Refusal != nil {
		t.Fatal(r.Refusal)
	}
	chat := o.Do(t.Context(), contracts.Command{ID: "c", Caller: contracts.Caller{Identity: "me", By: "me", Access: contracts.AccessOperator}, Data: contracts.Say{To: "agent_bd", Text: "Hello?"}})
	if chat.Refusal != nil {
		t.Fatal(chat.Refusal)
	}
	if work := o.Work(); len(work) != 0 {
		t.Errorf("work during the other node's turn: %+v", work)
	}
	if r := o.TellAs(t.Context(), teller, turn(contracts.HUDTurnEnd))[0]; r.Refusal != nil {
		t.Fatal(r.Refusal)
	}
	if work := o.Work(); len(work) != 1 {
		t.Errorf("work after the other node's turn: %+v", work)
	}
}

// Facts from a life that has ended are refused, so that the node starts a new life; facts that were
// already recorded still get a reply.
func TestFactsOfAnEndedLifeAreRefused(t *testing.T) {
	o, _ := run(t, open(t, sqlite.Config{}))
	up := o.Tell(t.Context(), contracts.NodeUp{Node: "b"})[0]
	teller := contracts.Teller{Node: "b", Life: contracts.LifeID(up.Seq), Key: "one"}
	fact := contracts.Audited{Kind: contracts.AuditLogin, By: "me", Says: "signed in"}
	first := o.TellAs(t.Context(), teller, fact)[0]
	o.Tell(t.Context(), contracts.NodeDown{Node: "b", Life: teller.Life})
	if again := o.TellAs(t.Context(), teller, fact)[0]; first.Refusal != nil || !again.Duplicate {
		t.Errorf("told %+v, again %+v", first, again)
	}
	teller.Key = "two"
	if late := o.TellAs(t.Context(), teller, fact)[0]; late.Refusal == nil || late.Refusal.Field != contracts.FieldLife {
		t.Errorf("told after the end: %+v", late)
	}
}

// Even if an outpost reports a fact first, a fact with the same id from the office or another
// outpost is still recorded. The outpost's own retries are recorded only once, even in a later
// life.
func TestOutpostsCannotSuppressFactsOfOthers(t *testing.T) {
	o, _ := run(t, open(t, sqlite.Config{}))
	join := func(name, key string) contracts.Teller {
		up := o.Tell(t.Context(), contracts.NodeUp{Node: contracts.OutpostNode(name)})[0]
		if up.Refusal != nil {
			t.Fatal(up.Refusal)
		}
		return contracts.Teller{Node: contracts.OutpostNode(name), Life: contracts.LifeID(up.Seq), Key: name + "/" + key}
	}
	facts := func(id string) []contracts.Fact {
		return []contracts.Fact{
			contracts.AgentSeen{Profile: contracts.AgentProfile{AgentID: id, Name: id, Source: "claude"}},
			contracts.UsageSeen{Key: "msg_123", AgentID: id, Usage: contracts.Usage{TokensIn: 1}},
			contracts.HUDSeen{HUD: contracts.HUD{UUID: "u1", Event: contracts.HUDReceived, AgentID: id}, Once: true},
		}
	}
	evil := join("evil", "1")
	if r := o.TellAs(t.Context(), evil, contracts.UsageSeen{Key: "msg_123", AgentID: "agent_absent"})[0]; r.Refusal == nil || r.Refusal.Code != contracts.CodeNotFound {
		t.Errorf("usage of an agent that is not in the office: %+v", r)
	}
	for name, teller := range map[string]contracts.Teller{"agent_evil": join("evil", "2"), "agent_laptop": join("laptop", "1"), "agent_local": {}} {
		for i, r := range o.TellAs(t.Context(), teller, facts(name)...) {
			if r.Refusal != nil || r.Duplicate {
				t.Errorf("%s: fact %d: %+v", name, i, r)
			}
		}
	}
	for i, r := range o.TellAs(t.Context(), join("laptop", "2"), facts("agent_laptop")[1:]...) {
		if r.Refusal != nil || !r.Duplicate {
			t.Errorf("fact %d told again: %+v", i, r)
		}
	}
}
