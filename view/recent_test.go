package view_test

import (
	"cmp"
	"fmt"
	"strings"
	"testing"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/view"
)

func (r *rig) fact(agentID, label string) {
	r.t.Helper()
	r.tell(contracts.HUDSeen{HUD: contracts.HUD{UUID: contracts.DerivedUUID(agentID, label), Event: contracts.HUDReceived, Subtype: "message", AgentID: agentID, Session: "s", Label: label}})
}

func (r *rig) recent(agentID string) string {
	r.t.Helper()
	e, ok, err := r.Explain(r.t.Context(), agentID, func(string) (view.Verdict, bool) { return view.Verdict{}, false })
	if err != nil || !ok {
		r.t.Fatalf("%s: %v %v", agentID, ok, err)
	}
	var labels []string
	for _, a := range e.Recent {
		labels = append(labels, a.Label)
	}
	return strings.Join(labels, " ")
}

// An agent's newest activity is found regardless of how much other agents do, including activity
// from before the view started.
func TestRecentActivity(t *testing.T) {
	r := newRig(t)
	r.run()
	if got := r.recent("agent_eng"); got != "" {
		t.Errorf("before any activity: %s", got)
	}
	for i := range contracts.LimitRecent + 2 {
		r.fact("agent_eng", fmt.Sprint("e", i))
	}
	for i := range 30 {
		r.fact(contracts.AgentBD, fmt.Sprint("b", i))
	}
	if got := r.recent("agent_eng"); got != "e9 e8 e7 e6 e5 e4 e3 e2" {
		t.Errorf("recent: %s", got)
	}
	again := r.again()
	again.fact("agent_eng", "new")
	if got := again.recent("agent_eng"); got != "new e9 e8 e7 e6 e5 e4 e3" {
		t.Errorf("after a restart: %s", got)
	}
	if got := again.recent(contracts.AgentBD); !strings.HasPrefix(got, "b29 b28") {
		t.Errorf("others after a restart: %s", got)
	}
}

// A call or a thought is listed only once, with the same label while it runs and after it has
// ended. A turn's end is listed too, because it has the answer.
func TestRecentActivityListsACallOnce(t *testing.T) {
	r := newRig(t)
	r.run()
	step := func(event contracts.HUDEvent, id string, more contracts.HUD) {
		more.UUID, more.Event, more.CorrelationID = contracts.DerivedUUID(string(event), id), event, id
		more.AgentID, more.Session = "agent_eng", "s"
		r.tell(contracts.HUDSeen{HUD: more})
	}
	step(contracts.HUDTurnStart, "t", contracts.HUD{Label: "Fix"})
	step(contracts.HUDThinkStart, "a", contracts.HUD{ParentID: "t"})
	if got := r.recent("agent_eng"); got != "Thinking Fix" {
		t.Errorf("while it thinks: %s", got)
	}
	step(contracts.HUDThinkEnd, "a", contracts.HUD{ParentID: "t"})
	step(contracts.HUDToolStart, "b", contracts.HUD{ParentID: "t", Tool: "exec", Label: "make"})
	step(contracts.HUDToolEnd, "b", contracts.HUD{ParentID: "t", Tool: "exec"})
	step(contracts.HUDTurnEnd, "t", contracts.HUD{Said: "Fixed"})
	if got := r.recent("agent_eng"); got != "Said: Fixed make Thinking Fix" {
		t.Errorf("afterwards: %s", got)
	}
	recs, err := r.ledger.Read(t.Context(), 0, 100)
	if err != nil {
		t.Fatal(err)
	}
	for _, rec := range recs { // readers share the facts
		if body, _ := rec.Decode(); rec.Kind == contracts.KindHUD && body.(*contracts.HUD).Event == contracts.HUDToolEnd && body.(*contracts.HUD).Label != "" {
			t.Errorf("the recorded end has been changed: %+v", body)
		}
	}
}

// An id that is used again, or in another session, does not hide a start whose end is missing.
func TestRecentActivityWithARepeatedID(t *testing.T) {
	r := newRig(t)
	r.run()
	for i, f := range []contracts.HUD{
		{Event: contracts.HUDToolStart, Label: "crashed"}, {Event: contracts.HUDToolStart, Label: "again"}, {Event: contracts.HUDToolEnd},
		{Event: contracts.HUDToolStart, Label: "elsewhere", Session: "other"},
	} {
		f.UUID, f.AgentID, f.CorrelationID, f.Tool = contracts.DerivedUUID("repeated", fmt.Sprint(i)), "agent_eng", "c", "exec"
		f.Session = cmp.Or(f.Session, "s")
		r.tell(contracts.HUDSeen{HUD: f})
	}
	if got := r.recent("agent_eng"); got != "elsewhere again crashed" {
		t.Errorf("recent: %s", got)
	}
}

// An agent that is not in the office has no explanation.
func TestExplainUnknownAgent(t *testing.T) {
	r := newRig(t)
	r.run()
	if _, ok, err := r.Explain(t.Context(), "agent_nobody", nil); ok || err != nil {
		t.Errorf("%v %v", ok, err)
	}
}
