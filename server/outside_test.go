package server

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/crew"
	"github.com/bullpen-office/bullpen/drive"
	"github.com/bullpen-office/bullpen/drive/drivetest"
	"github.com/bullpen-office/bullpen/view"
)

const dov = "agent_eng_1"

// stalling configures a crew whose model never finishes.
func stalling(t *testing.T, clock *later) Config {
	cfg := modelCrew(t, &drivetest.Completions{Script: func(drivetest.Call) drivetest.Answer { return drivetest.Answer{Stall: true} }}, nil)
	cfg.Now = clock.now
	return cfg
}

func (r *rig) untilState(id string, want contracts.AgentState) {
	r.t.Helper()
	r.untilTrue(id+" is "+string(want), func() bool {
		return slices.ContainsFunc(r.view.State().Agents, func(a contracts.Agent) bool { return a.AgentID == id && a.State == want })
	})
}

// untilError reads messages until a refusal arrives, and returns its payload.
func (v *viewer) untilError() string {
	v.t.Helper()
	for {
		m, code := v.read()
		if code != 0 {
			v.t.Fatalf("closed with %d", code)
		}
		if m.Type == "error" {
			return string(m.Payload)
		}
	}
}

func says(e view.AgentExplanation) (list []string) {
	for _, v := range e.Evidence {
		list = append(list, v.Says)
	}
	return list
}

// A2, A6, B11: a crew member that works for a caller is shown as working, however long the turn
// takes, and stopping the crew member ends the caller's turn with the reason.
func TestCrewTurnOfACallerIsShownAndStopped(t *testing.T) {
	clock := &later{}
	r := startRig(t, stalling(t, clock))
	v := r.dial("")
	answer := make(chan string, 1)
	go func() {
		_, body := r.post("/v1/chat/completions", `{"model":"bullpen/agent_eng_1","stream":true,"messages":[{"role":"user","content":"Build it"}]}`)
		answer <- body
	}()
	r.untilState(dov, contracts.StateWorking)
	clock.by.Add(int64(time.Hour)) // no event for a long time
	e := r.explain(dov)
	if e.Activity != contracts.ActivityWorking || e.Authority != contracts.FromStream || e.Why != "Working: Build it (stream: turn started)" || !slices.Contains(says(e), "turn started") {
		t.Errorf("%s by %s: %s, %q", e.Activity, e.Authority, e.Why, says(e))
	}
	if len(e.Turns) != 1 || e.Turns[0].Label != "Build it" || e.Turns[0].Origin != contracts.OriginCaller || e.Turns[0].TurnID == "" || e.Turns[0].Since == 0 {
		t.Errorf("in progress: %+v", e.Turns)
	}
	if ready := r.readiness(t.Context(), true); ready.Turns != 1 || ready.Held == 0 {
		t.Errorf("%d turns in progress, %d records held", ready.Turns, ready.Held)
	}
	v.command(contracts.CmdStopAgent, contracts.AgentControl{AgentID: dov})
	v.until("ack")
	if body := <-answer; !strings.Contains(body, "turn_stopped") || !strings.HasSuffix(strings.TrimSpace(body), "data: [DONE]") {
		t.Errorf("%s", body)
	}
	r.untilState(dov, contracts.StateIdle)
	if e := r.explain(dov); e.Authority != contracts.FromOffice || e.Activity != "" || len(e.Turns) > 0 {
		t.Errorf("%s by %s: %s, %+v", e.Activity, e.Authority, e.Why, e.Turns)
	}
	if ready := r.readiness(t.Context(), true); ready.Turns != 0 || ready.Held != 0 {
		t.Errorf("%d turns in progress, %d records held", ready.Turns, ready.Held)
	}
	var seen []string
	for _, h := range r.facts(dov) {
		seen = append(seen, strings.TrimSpace(string(h.Event)+" "+h.Subtype))
	}
	if !slices.Contains(seen, "received stop") || seen[len(seen)-1] != "turn_end" {
		t.Errorf("recorded %q", seen)
	}
	v.command(contracts.CmdStopAgent, contracts.AgentControl{AgentID: dov})
	if text := v.untilError(); !strings.Contains(text, "has no work to stop") {
		t.Errorf("%s", text)
	}
}

// A6, B11: a crew member that answers a message in the office is shown as working too; when it is
// stopped, the thread reports this.
func TestCrewAnswerInTheOfficeIsShownAndStopped(t *testing.T) {
	r := startRig(t, stalling(t, &later{}))
	v := r.dial("")
	v.command(contracts.CmdChat, contracts.Say{ThreadID: contracts.AgentThreadPx + dov, Text: "How are you?"})
	r.untilState(dov, contracts.StateWorking)
	r.untilTrue("its turn has begun", func() bool {
		return slices.ContainsFunc(r.facts(dov), func(h contracts.HUD) bool { return h.Event == contracts.HUDTurnStart })
	})
	if e := r.explain(dov); e.Why != "Answering “How are you?”." || !slices.Contains(says(e), "unanswered messages: 1; oldest: How are you?") {
		t.Errorf("%s: %q", e.Why, says(e))
	}
	v.command(contracts.CmdStopAgent, contracts.AgentControl{AgentID: dov})
	r.untilTrue("the thread reports the stop", func() bool {
		_, body, _ := r.get("/v1/events?kind=chat&limit=1000", "")
		return strings.Contains(body, "I was stopped before I could answer.")
	})
	r.untilTrue("its turn has ended", func() bool {
		return slices.ContainsFunc(r.facts(dov), func(h contracts.HUD) bool { return h.Event == contracts.HUDTurnEnd })
	})
	r.untilState(dov, contracts.StateIdle)
}

// asking is an agent that calls a tool, asks for permission once ask is closed, ends the
// call when end is closed, and never answers.
type asking struct{ ask, end chan struct{} }

func (a asking) Capabilities() drive.Capabilities {
	return drive.Capabilities{Messages: true, Work: true}
}
func (a asking) Open(context.Context, drive.Spec) (drive.Session, error) { return a, nil }
func (a asking) ID() string                                              { return "" }
func (a asking) Close() error                                            { return nil }

func (a asking) Turn(ctx context.Context, _ drive.Prompt, sink drive.Sink) (drive.Answer, error) {
	over := sink.ToolStart("call_1", "Bash", map[string]string{"command": "make"})
	<-a.ask
	_, _ = sink.Permit(ctx, contracts.Permission{Tool: "exec", Label: "make", CallID: "call_1"})
	<-a.end
	over(nil)
	<-ctx.Done()
	return drive.Answer{}, ctx.Err()
}

// A crew member is shown as waiting while a caller's turn needs permission. If the server stops
// during the turn, the crew member does not stay busy.
func TestCrewIsShownWaitingForACallersPermission(t *testing.T) {
	cfg := Config{DataDir: t.TempDir()}
	r := startRig(t, cfg)
	ask, end := make(chan struct{}), make(chan struct{})
	r.crew.Workers[crew.Rehearsal] = crew.Worker{Driver: asking{ask, end}}
	answered := make(chan struct{})
	go func() {
		defer close(answered)
		r.post("/v1/chat/completions", `{"model":"bullpen/agent_eng_1","messages":[{"role":"user","content":"Build it"}]}`)
	}()
	r.untilState(dov, contracts.StateWorking)
	close(ask)
	r.untilState(dov, contracts.StateWaiting)
	e := r.explain(dov)
	if e.Activity != contracts.ActivityWaiting || !e.NeedsYou || e.Why != "Waiting for you: make (stream: permission requested)" || len(e.Evidence) != 3 {
		t.Errorf("%s, needs you %v: %s, %q", e.Activity, e.NeedsYou, e.Why, says(e))
	}
	var open string
	for _, d := range r.view.State().Decisions {
		open = d.DecisionID
	}
	if refusal := r.office.Tell(t.Context(), contracts.AskWithdrawn{DecisionID: open, Reason: "Not now."})[0].Refusal; refusal != nil {
		t.Error(refusal)
	}
	close(end)
	r.untilState(dov, contracts.StateWorking)
	r.stop()
	<-answered

	r = startRig(t, cfg)
	r.untilState(dov, contracts.StateIdle)
	if status, body := r.post("/v1/chat/completions", `{"model":"bullpen/agent_eng_1","messages":[{"role":"user","content":"Again"}]}`); status != http.StatusOK {
		t.Errorf("%d %s", status, body)
	}
}

// B11: switching to another agent moves only the waiting message, and is refused if no message is
// waiting.
func TestSwitchedMessageIsAnsweredByTheOther(t *testing.T) {
	const gwen = "agent_eng_2"
	r := startRig(t, stalling(t, &later{}))
	v := r.dial("")
	v.command(contracts.CmdSwitchAgent, contracts.AgentControl{AgentID: dov, ToAgentID: gwen})
	if text := v.untilError(); !strings.Contains(text, "there is nothing to switch") {
		t.Errorf("%s", text)
	}
	v.command(contracts.CmdChat, contracts.Say{ThreadID: contracts.AgentThreadPx + dov, Text: "How are you?"})
	r.untilState(dov, contracts.StateWorking)
	v.command(contracts.CmdSwitchAgent, contracts.AgentControl{AgentID: dov, ToAgentID: gwen})
	r.untilState(gwen, contracts.StateWorking)
	r.untilState(dov, contracts.StateIdle)
	r.untilTrue("the other has begun", func() bool {
		return slices.ContainsFunc(r.facts(gwen), func(h contracts.HUD) bool { return h.Event == contracts.HUDTurnStart })
	})
	if first := r.facts(gwen)[0]; first.Event != contracts.HUDReceived || first.Subtype != "agent_switch" {
		t.Errorf("%+v", first)
	}
}
