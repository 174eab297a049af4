package director

import (
	"strconv"

	"github.com/go-json-experiment/json"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/world"
)

// controlAgent stops or kills what an agent runs. The other controls need a
// runner with sessions of its own.
func (a *act) controlAgent(c contracts.AgentControl) (contracts.Result, *contracts.Refusal) {
	ag, no := a.agent(c.AgentID)
	if no != nil {
		return contracts.Result{}, no
	}
	if ag.Guest() {
		return contracts.Result{}, a.controlGuest(ag, c)
	}
	subtype := map[contracts.CommandName]string{contracts.CmdStopAgent: "stop", contracts.CmdKillAgent: "kill"}[c.Name]
	if subtype == "" {
		return contracts.Result{}, contracts.Refuse(contracts.CodeNotAllowed, "%s runs on %q, which has no sessions to switch. Connect an agent with sessions to use %s.", ag.Name, ag.Runner, c.Name)
	}
	t := a.w.Task(ag.TaskID)
	if t == nil || t.Status != contracts.TaskInProgress || (t.Run.Status != contracts.RunStarted && t.Run.Status != contracts.RunRunning) {
		return contracts.Result{}, contracts.Refuse(contracts.CodeConflict, "%s runs nothing that could be stopped.", ag.Name)
	}
	payload, err := json.Marshal(map[string]string{"state": string(ag.Goal.State), "task_id": t.TaskID}, json.Deterministic(true))
	if err != nil {
		panic(broken{err})
	}
	a.emit(&contracts.HUD{UUID: a.uuid(), Event: contracts.HUDReceived, Subtype: subtype, AgentID: ag.AgentID, TaskID: t.TaskID,
		Label: subtype + " received — ending the turn", Payload: payload})
	reason := "Stopped by you."
	a.endRun(t, contracts.RunCancelled, reason)
	a.offerRetry(t, reason)
	return contracts.Result{TaskIDs: []string{t.TaskID}}, nil
}

// uuid is unique in every office and the same on every replay of the decision.
func (a *act) uuid() string {
	return contracts.DerivedUUID(a.w.OfficeID(), strconv.FormatUint(a.w.Seq()+1, 10))
}

// controls are what the source of a guest can be told.
var controls = map[string]map[contracts.CommandName]string{
	"openclaw": {contracts.CmdStopAgent: "stop", contracts.CmdNewSession: "new_session"},
}

// controlGuest records that a guest is to be stopped or begun anew; the adapter
// of its source sees the record and acts.
func (a *act) controlGuest(ag *world.Agent, c contracts.AgentControl) *contracts.Refusal {
	subtype := controls[ag.Source][c.Name]
	switch {
	case subtype == "":
		return contracts.Refuse(contracts.CodeNotAllowed, "%s works elsewhere and is only watched here. Use its own terminal for %s.", ag.Name, c.Name)
	case a.wants(ag) == contracts.ActivityOffline:
		return contracts.Refuse(contracts.CodeConflict, "%s is offline and cannot be reached.", ag.Name)
	case c.Name == contracts.CmdStopAgent && a.wants(ag) == contracts.ActivityIdle:
		return contracts.Refuse(contracts.CodeConflict, "%s runs nothing that could be stopped.", ag.Name)
	}
	label := map[string]string{"stop": "stop received — aborting turn", "new_session": "/new received — resetting session"}[subtype]
	payload, err := json.Marshal(map[string]string{"state": string(ag.Goal.State)}, json.Deterministic(true))
	if err != nil {
		panic(broken{err})
	}
	a.emit(&contracts.HUD{UUID: a.uuid(), Event: contracts.HUDReceived, Subtype: subtype, AgentID: ag.AgentID, Session: ag.Session, Label: label, Payload: payload})
	return nil
}
