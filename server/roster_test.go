package server

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/drive/drivetest"
	"github.com/bullpen-office/bullpen/hud"
	"github.com/bullpen-office/bullpen/hud/status"
	"github.com/bullpen-office/bullpen/intake"
	"github.com/bullpen-office/bullpen/view"
)

const guestID = "agent_claude_ada"

// letIn admits a guest to a running office.
func (r *rig) letIn(p contracts.AgentProfile) {
	r.t.Helper()
	if err := r.roster.Join(r.t.Context(), p, intake.Proof{}); err != nil {
		r.t.Fatal(err)
	}
}

func (r *rig) explain(id string) (e view.AgentExplanation) {
	r.t.Helper()
	code, body, _ := r.get("/v1/agents/"+id+"/explain", "")
	if code != 200 {
		r.t.Fatalf("explain %s: %d %s", id, code, body)
	}
	if err := json.Unmarshal([]byte(body), &e); err != nil {
		r.t.Fatal(err)
	}
	return e
}

// untilListed waits until want is true for the agent's row in the list.
func (r *rig) untilListed(id string, want func(view.AgentRow) bool) {
	r.t.Helper()
	for end := time.Now().Add(testTimeout); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		var list view.AgentList
		_, body, _ := r.get("/v1/agents", "")
		if err := json.Unmarshal([]byte(body), &list); err != nil {
			r.t.Fatal(err)
		}
		for _, a := range list.Agents {
			if a.AgentID == id && want(a) {
				return
			}
		}
	}
	_, body, _ := r.get("/v1/agents", "")
	r.t.Fatalf("timed out waiting for the status of %s in the list: %s", id, body)
}

// untilRecorded waits until the activity is in the ledger; the list may be ahead of the ledger.
func (r *rig) untilRecorded(id string, want contracts.Activity) {
	r.t.Helper()
	r.untilTrue(fmt.Sprintf("%s is recorded as %s", id, want), func() bool {
		return slices.ContainsFunc(r.view.State().Agents, func(a contracts.Agent) bool { return a.AgentID == id && a.Activity == want })
	})
}

// Guests are listed, and their status is explained, even after a restart.
func TestGuestIsListedAndExplained(t *testing.T) {
	dir := t.TempDir()
	r := startRig(t, Config{DataDir: dir, Crew: CrewNone})
	r.letIn(contracts.AgentProfile{AgentID: guestID, Name: "shop", Source: "claude", Session: "claude:s1", Place: "~/shop", Model: "opus"})
	now := time.Now().UnixMilli()
	r.roster.AddEvidence(t.Context(), guestID, status.Evidence{Source: contracts.FromHook, Claim: status.TurnStarted, Says: "UserPromptSubmit", At: now - 20_000})
	r.roster.AddEvidence(t.Context(), guestID, status.Evidence{
		Source: contracts.FromHook, Claim: status.ToolStarted, Call: "toolu_1", Says: "PreToolUse Bash", Line: "Running npm test", At: now - 12_000,
	})
	fact := hud.Received(hud.Source{AgentID: guestID, Session: "claude:s1"}, contracts.DerivedUUID("x"), "message", "message received", nil)
	for _, reply := range r.office.Tell(t.Context(), contracts.HUDSeen{HUD: fact}, contracts.UsageSeen{Key: "u", AgentID: guestID, Usage: contracts.Usage{TokensIn: 5}}) {
		if reply.Refusal != nil {
			t.Fatal(reply.Refusal)
		}
	}
	r.untilRecorded(guestID, contracts.ActivityWorking)
	r.untilListed(guestID, func(a view.AgentRow) bool {
		return a.Usage != nil && a.Place == "~/shop" && a.Model == "opus" && a.Label == "Claude Code"
	})
	e := r.explain(guestID)
	var lasts int64 // seconds
	if _, err := fmt.Sscanf(e.Why, "Working: Running npm test (hook: PreToolUse Bash, for %d s", &lasts); err != nil || lasts < 12 || lasts > (time.Now().UnixMilli()-now)/1000+12 {
		t.Errorf("its duration is %d s: %v", lasts, err)
	}
	if e.Activity != contracts.ActivityWorking || e.Authority != contracts.FromHook {
		t.Errorf("explained as %s by %s: %s", e.Activity, e.Authority, e.Why)
	}
	if len(e.Evidence) != 3 || e.Evidence[0].Says != "joined" || e.Evidence[1].Says != "PreToolUse Bash" || e.DecaysAt <= e.Now {
		t.Errorf("evidence %+v, decays at %d", e.Evidence, e.DecaysAt)
	}
	if len(e.Recent) != 1 || e.Recent[0].Label != "message received" || e.Usage.TokensIn != 5 {
		t.Errorf("recent %+v, usage %+v", e.Recent, e.Usage)
	}
	r.stop()

	r = startRig(t, Config{DataDir: dir, Crew: CrewNone})
	e = r.explain(guestID)
	if e.Activity != contracts.ActivityWorking || e.Authority != contracts.FromOffice || e.Evidence[0].Says != "as recorded before the restart" {
		t.Errorf("after the restart: %+v", e)
	}
	r.roster.Leave(t.Context(), guestID, "Done.")
	for end := time.Now().Add(testTimeout); ; time.Sleep(5 * time.Millisecond) {
		if code, _, _ := r.get("/v1/agents/"+guestID+"/explain", ""); code == 404 {
			break
		}
		if time.Now().After(end) {
			t.Fatal("the guest never left")
		}
	}
}

// A crew member's status is explained by the work that the office gave it: goal, task, run.
func TestCrewIsExplained(t *testing.T) {
	r := startRig(t, modelCrew(t, &drivetest.Completions{Script: func(c drivetest.Call) drivetest.Answer {
		if strings.Contains(c.Prompt, "Break the request into") {
			return drivetest.OfficeScript(c)
		}
		return drivetest.Answer{Stall: true} // agents stay at work
	}}, nil))
	v := r.dial("")
	v.command(contracts.CmdSubmitRequest, contracts.SubmitRequest{Text: "Write a short plan for our summer party"})
	started := v.untilEvent(func(e contracts.Event) bool {
		if e.Name == contracts.EventTasksCreated {
			v.command(contracts.CmdAutoAssign, contracts.AutoAssign{ProjectID: e.ProjectID})
		}
		return e.Name == contracts.EventTaskAssigned
	})
	e := r.explain(started.AgentID)
	if e.Authority != contracts.FromOffice || e.Why == "" || e.Since == 0 {
		t.Errorf("explained as %+v", e)
	}
	var said []string
	for _, v := range e.Evidence {
		said = append(said, v.Says)
	}
	if all := strings.Join(said, "\n"); !strings.Contains(all, started.TaskID+" “") || strings.Contains(all, "in_progress") {
		t.Errorf("evidence:\n%s", all)
	}
	if code, body, _ := r.get("/v1/agents/agent_nobody/explain", ""); code != 404 || !strings.Contains(body, "(in the office: ") {
		t.Errorf("an unknown agent: %d %s", code, body)
	}
}
