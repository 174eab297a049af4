package director_test

import (
	"testing"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/director"
	"github.com/bullpen-office/bullpen/world"
	"github.com/bullpen-office/bullpen/world/scene"
)

func TestOneRuleRecovers(t *testing.T) {
	d, w := director.New(director.Config{}), world.New(scene.Default())
	now := int64(1_000)
	at := func() director.Now { now += 10; return director.Now{MS: now} }
	if _, err := d.Create(w, at(), "l", []contracts.AgentProfile{{AgentID: "agent_bd", Name: "Ada", Role: contracts.RoleBD}}); err != nil {
		t.Fatal(err)
	}
	const watch = "watch_claude@n1"
	tell := func(f contracts.Fact) *contracts.Refusal {
		_, _, no, err := d.Observe(w, at(), f)
		if err != nil {
			t.Fatal(err)
		}
		return no
	}
	see := func(h contracts.HUD) *contracts.Refusal {
		h.UUID, h.AgentID = contracts.DerivedUUID(h.CorrelationID, string(h.Event)), "agent_bd"
		return tell(contracts.HUDSeen{HUD: h})
	}
	see(contracts.HUD{Event: contracts.HUDTurnStart, CorrelationID: "old"}) // before there were owners
	life, _, err := d.Begin(w, at(), "n1", now, []string{watch})
	if err != nil || len(w.Turns()) != 0 {
		t.Fatal(err, w.Turns())
	}
	see(contracts.HUD{Event: contracts.HUDTurnStart, CorrelationID: "driven", Owner: life})
	see(contracts.HUD{Event: contracts.HUDToolStart, CorrelationID: "c1", ParentID: "driven", Tool: "exec"})
	see(contracts.HUD{Event: contracts.HUDTurnStart, CorrelationID: "watched", Owner: watch})
	tell(contracts.AskSeen{Kind: contracts.DecisionAsk, Prompt: "Which?", AllowFreeText: true}) // a script's
	// kill -9: nobody says that the life is over.
	next, recs, err := d.Begin(w, at(), "n1", now-5, []string{watch})
	if err != nil {
		t.Fatal(err)
	}
	var ends []string
	for _, r := range recs {
		if b, _ := r.Decode(); r.Kind == contracts.KindHUD {
			ends = append(ends, string(b.(*contracts.HUD).Event)+" "+b.(*contracts.HUD).CorrelationID)
		}
	}
	if len(ends) != 2 || ends[0] != "tool_end c1" || ends[1] != "turn_end driven" {
		t.Fatal(ends)
	}
	if ts := w.Turns(); len(ts) != 1 || ts[0].ID != "watched" || w.OpenAsks() != 1 {
		t.Fatal(ts, w.OpenAsks())
	}
	// The owner comes back: it is fenced, and its end changes nothing.
	if no := see(contracts.HUD{Event: contracts.HUDTurnStart, CorrelationID: "late", Owner: life}); no == nil || no.Code != contracts.CodeConflict {
		t.Fatal(no)
	}
	see(contracts.HUD{Event: contracts.HUDTurnEnd, CorrelationID: "driven"})
	// Nobody watches any more: the turn ends after the grace time, by the deadline.
	if _, _, err = d.Begin(w, at(), "n1", now, nil); err != nil || len(w.Turns()) != 1 {
		t.Fatal(err, w.Turns())
	}
	due, ok := d.Deadline(w)
	if !ok || due < now+contracts.SilenceTool.Milliseconds()-1000 {
		t.Fatal(due, ok)
	}
	if _, err = d.Advance(w, director.Now{MS: due}); err != nil || len(w.Turns()) != 0 || next == life {
		t.Fatal(err, w.Turns())
	}
}
