package server

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/hud"
	"github.com/bullpen-office/bullpen/hud/status"
	"github.com/bullpen-office/bullpen/staff"
	"github.com/bullpen-office/bullpen/view"
)

// unended starts a bridge turn with a tool call and ends neither, as if the server had been killed.
func (r *rig) unended(agent, text string, call hud.Call) {
	r.t.Helper()
	id, session, office := contracts.AgentIDOf(agent), contracts.SourceBridge+":"+agent+"::default", parts(r.Server)
	if !r.view.OfCrew(id) {
		if err := office.Admit(r.t.Context(), contracts.AgentProfile{AgentID: id, Name: agent, Source: contracts.SourceBridge, Session: session}); err != nil {
			r.t.Fatal(err)
		}
	}
	source, turn := hud.Source{AgentID: id, Session: session, Origin: contracts.OriginCaller, Roots: r.directory.Roots(id)}, uuid.NewString()
	start := hud.TurnStart(source, uuid.NewString(), hud.Span{Correlation: turn}, text)
	start.Root = source.Roots.Work
	for _, h := range []contracts.HUD{
		hud.ReceivedMessage(source, uuid.NewString(), text), start, hud.ToolStart(source, uuid.NewString(), hud.Span{Correlation: "call_1", Parent: turn}, call),
	} {
		if err := r.office.Record(r.t.Context(), contracts.HUDSeen{HUD: h}); err != nil {
			r.t.Error(err)
		}
	}
	office.AddEvidence(r.t.Context(), id, status.Evidence{Source: contracts.FromStream, Claim: status.TurnStarted, Says: "turn started", Line: text, At: time.Now().UnixMilli()})
}

// The next start ends a bridge turn that a killed server left open, and records the reason; the
// turn's agent no longer looks busy.
func TestOpenBridgeTurnIsEndedAtTheNextStart(t *testing.T) {
	cfg := withoutCrew()
	cfg.DataDir = t.TempDir()
	r := startRig(t, cfg)
	r.unended("scout", "Look around", hud.Call{Tool: "Read", Args: hud.Value(map[string]string{"path": "a.go"})})
	r.untilListed("agent_scout", func(a view.AgentRow) bool { return a.Activity == contracts.ActivityWorking })
	r.stop()
	again := startRig(t, cfg)
	again.untilTrue("the open turn and call have ended", func() bool { return len(again.facts("agent_scout")) == 5 })
	again.untilListed("agent_scout", func(a view.AgentRow) bool { return a.Activity == contracts.ActivityIdle })
	facts := again.facts("agent_scout")
	if n := len(facts); n != 5 || facts[n-2].Event != contracts.HUDToolEnd || facts[n-1].Event != contracts.HUDTurnEnd || facts[n-1].CorrelationID != facts[1].CorrelationID {
		t.Errorf("%+v", facts)
	}
}

// The end of a call that a crew member left open in a bridge turn has paths relative to the
// workspace, as its start does.
func TestLeftoverCallKeepsItsRelativePaths(t *testing.T) {
	place := t.TempDir()
	cfg := Config{DataDir: t.TempDir(), Crew: "claude", Staff: staff.Staff{Runners: map[string]staff.Runner{
		"claude": {Kind: "claude", Command: "not-started", Workspace: place},
	}}}
	const agent = "agent_eng_1"
	r := startRig(t, cfg)
	r.unended(agent, "Look around", hud.Call{Tool: "Read", Args: hud.Value(map[string]string{"file_path": filepath.Join(place, "a.go")})})
	newest := func(r *rig) contracts.HUDEvent {
		facts := r.facts(agent)
		return facts[len(facts)-1].Event
	}
	r.untilTrue("the call has begun", func() bool { return newest(r) == contracts.HUDToolStart })
	r.stop()
	again := startRig(t, cfg)
	again.untilTrue("the turn has ended", func() bool { return newest(again) == contracts.HUDTurnEnd })
	facts := again.facts(agent)
	if result := string(facts[len(facts)-2].Result); !strings.Contains(result, `"viewerPath":"a.go"`) {
		t.Errorf("%s", result)
	}
}
