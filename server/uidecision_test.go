package server

import (
	"net/http"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/gate"
)

// An ask becomes a decision; the asker can wait for the answer, and is shown as waiting.
func TestUIAskIsAnswered(t *testing.T) {
	r := startRig(t, withoutCrew())
	v := r.dial("")
	ask := r.emit("/v1/ui/ask?agent=bee", `{"prompt":"Which?","choices":["Red","Green"],"allow_free_text":false}`)
	if ask.DecisionID == "" || r.ui(ask.Seq).DecisionID != ask.DecisionID {
		t.Fatalf("%+v", ask)
	}
	v.untilEvent(func(e contracts.Event) bool { return e.DecisionID == ask.DecisionID })
	if e, ok := r.roster.Explain("agent_bee"); !ok || e.Activity != contracts.ActivityWaiting {
		t.Errorf("the asker is %+v", e)
	}
	path := "/v1/decisions/" + ask.DecisionID
	if d := r.decision(path + "?wait=0.01"); d.Status != contracts.DecisionOpen {
		t.Errorf("unanswered: %+v", d)
	}
	answered := make(chan contracts.Decision, 1)
	go func() { answered <- r.decision(path + "?wait=60s") }()
	v.command(contracts.CmdResolveDecision, contracts.ResolveDecision{DecisionID: ask.DecisionID, Choice: "Green"})
	if d := <-answered; d.Status != contracts.DecisionResolved || d.Choice != "Green" {
		t.Errorf("%+v", d)
	}
	if d := r.decision(path + "?wait=60"); d.Choice != "Green" {
		t.Errorf("again: %+v", d)
	}
}

func (r *rig) decision(path string) (d contracts.Decision) {
	r.t.Helper()
	code, body, _ := r.get(path, "")
	if err := json.Unmarshal([]byte(body), &d); err != nil || code != http.StatusOK {
		r.t.Errorf("GET %s: %d %s", path, code, body)
	}
	return d
}

// Callers that wait for an answer do not delay a shutdown.
func TestUIWaitEndsWithTheServer(t *testing.T) {
	r := startRig(t, withoutCrew())
	ask := r.emit("/v1/ui/ask", "Go?")
	waiting := make(chan int, 1)
	go func() {
		code, _, _ := r.get("/v1/decisions/"+ask.DecisionID+"?wait=60s", "")
		waiting <- code
	}()
	r.untilTrue("a caller waits", func() bool { return r.view.Waiting() > 0 })
	r.stop()
	if code := <-waiting; code != http.StatusOK {
		t.Errorf("answered with %d", code)
	}
}

func TestUIWaitIsChecked(t *testing.T) {
	r := startRig(t, withoutCrew())
	for wait, want := range map[string]int{"soon": 400, "-1": 400, "-5s": 400, "NaN": 400, "1e99": 404, "": 404, "1ms": 404} {
		if code, body, _ := r.get("/v1/decisions/dec_none?wait="+wait, ""); code != want {
			t.Errorf("%q: %d %s", wait, code, body)
		}
	}
}

// A credential bound to an agent can send events only for that agent; a viewer's credential cannot
// send any (S2).
func TestUIRoles(t *testing.T) {
	cfg := withoutCrew()
	cfg.DataDir = t.TempDir()
	r := startRig(t, cfg)
	tokens, err := gate.OpenTokens(cfg.DataDir)
	if err != nil {
		t.Fatal(err)
	}
	_, bee, err := tokens.Create(gate.Token{Role: contracts.AccessAgent, AgentID: "agent_bee"})
	if err != nil {
		t.Fatal(err)
	}
	_, viewer, err := tokens.Create(gate.Token{Role: contracts.AccessViewer})
	if err != nil {
		t.Fatal(err)
	}
	auth := "Authorization: Bearer "
	if s := r.emit("/v1/ui/status", "buzz", auth+bee); r.ui(s.Seq).AgentID != "agent_bee" {
		t.Errorf("%+v", r.ui(s.Seq))
	}
	if code, answer := r.post("/v1/ui/status?agent=wasp", "buzz", auth+bee); code != http.StatusForbidden || !strings.Contains(answer, "agent_bee") {
		t.Errorf("for another: %d %s", code, answer)
	}
	if code, _ := r.post("/v1/ui/status", "x", auth+viewer); code != http.StatusForbidden {
		t.Errorf("a viewer: %d", code)
	}
	own := r.emit("/v1/ui/ask", "Go?", auth+bee)
	other := r.emit("/v1/ui/ask?agent=wasp", "Go?")
	for id, want := range map[string]int{own.DecisionID: 200, other.DecisionID: 403} {
		if code, body, _ := r.get("/v1/decisions/"+id, bee); code != want {
			t.Errorf("%s: %d %s", id, code, body)
		}
	}
	r.emit("/v1/ui/message?source=shared", "a", auth+bee, "Idempotency-Key: k")
	if s := r.emit("/v1/ui/message?source=shared", "b", "Idempotency-Key: k"); s.Duplicate {
		t.Error("a bound credential took the id of another source")
	}
}

// A sender becomes one guest, however its name is spelled, and its events are evidence; events for
// a crew member do not make it a guest.
func TestUIGuests(t *testing.T) {
	r := startRig(t, Config{})
	for _, agent := range []string{"Night%20Build", "agent_night_build", "night-build"} {
		r.emit("/v1/ui/status?agent="+agent, "Compiling\nmore")
	}
	e, ok := r.roster.Explain("agent_night_build")
	if !ok || e.Activity != contracts.ActivityWorking || e.Line != "Compiling" || e.Authority != contracts.FromEvent {
		t.Errorf("%+v", e)
	}
	r.emit("/v1/ui/status?agent=night-build", "")
	if e, _ := r.roster.Explain("agent_night_build"); e.Activity != contracts.ActivityIdle {
		t.Errorf("after the end: %+v", e)
	}
	r.emit("/v1/ui/status?agent=agent_bd", "x")
	if _, ok := r.roster.Explain("agent_bd"); ok {
		t.Error("a crew member became a guest")
	}
	if u := r.ui(r.emit("/v1/ui/status?agent=日本", "x").Seq); !contracts.HasPrefix(u.AgentID, contracts.PrefixAgent) {
		t.Errorf("%+v", u)
	}
	if u := r.ui(r.emit("/v1/ui/status", "x").Seq); u.AgentID != "" {
		t.Errorf("for the whole office: %+v", u)
	}
}
