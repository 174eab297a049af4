package director

import (
	"fmt"
	"strconv"

	"github.com/go-json-experiment/json"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/world"
)

// controlAgent executes a control command for an agent. It records every control as a received
// fact; runners and adapters act on the records.
func (a *act) controlAgent(c contracts.AgentControl) (contracts.Result, *contracts.Refusal) {
	ag, refusal := a.agent(c.AgentID)
	if refusal != nil {
		return contracts.Result{}, refusal
	}
	if ag.Guest() {
		return contracts.Result{}, a.controlGuest(ag, c)
	}
	if how, ok := endings[c.Name]; ok {
		return a.endAgent(ag, how)
	}
	if c.Name == contracts.CmdNewSession {
		return a.newSession(ag)
	}
	to, refusal := a.otherAgent(ag, c)
	if refusal != nil {
		return contracts.Result{}, refusal
	}
	if c.Name == contracts.CmdSwitchAgent {
		return a.switchAgent(ag, to)
	}
	return a.handOver(ag, to)
}

// runningTask returns the task that an agent is working on now, or nil if there is none.
func (a *act) runningTask(ag *world.Agent) *world.Task {
	t := a.w.Task(ag.TaskID)
	if t == nil || t.Status != contracts.TaskInProgress || (t.Run.Status != contracts.RunStarted && t.Run.Status != contracts.RunRunning) {
		return nil
	}
	return t
}

// ending is a way to end an agent's work.
type ending struct {
	subtype string // subtype of the record
	label   string // label in the feed
	taskWhy string // reason recorded for the end of the task's run
	said    string // the agent's answer to people who are waiting for one
	reset   bool   // also end the process
}

// controlVerbs name the controls in refusals.
var controlVerbs = map[contracts.CommandName]string{
	contracts.CmdNewSession:  "start a new session",
	contracts.CmdSwitchAgent: "switch",
	contracts.CmdStopAgent:   "stop it",
	contracts.CmdKillAgent:   "kill it",
	contracts.CmdHandover:    "hand over",
}

var endings = map[contracts.CommandName]ending{
	contracts.CmdStopAgent: {subtype: "stop", label: "stop received — aborting turn", taskWhy: "Stopped by you.", said: "I was stopped before I could answer."},
	contracts.CmdKillAgent: {subtype: "kill", label: "kill received — ending the process", taskWhy: "Killed by you.", said: "I was killed before I could answer.", reset: true},
}

// endAgent ends everything that an agent is running: its task, its answers to people, and its turns
// for outside callers. It refuses if nothing is running.
func (a *act) endAgent(ag *world.Agent, how ending) (contracts.Result, *contracts.Refusal) {
	t, chats := a.runningTask(ag), a.w.PendingChats(ag.AgentID)
	if t == nil && len(chats) == 0 && ag.Status == nil {
		return contracts.Result{}, contracts.Refuse(contracts.CodeConflict, "%s has no work to %s", ag.Name, how.subtype)
	}
	payload := endedState(ag)
	var res contracts.Result
	if t != nil {
		payload["task_id"], res.TaskIDs = t.TaskID, []string{t.TaskID}
	}
	a.received(ag, how.subtype, how.label, payload)
	for _, c := range chats {
		a.emit(&contracts.Chat{ThreadID: c.Chat.ThreadID, From: ag.AgentID, To: contracts.UserID, Text: how.said, AnswersSeq: c.Seq})
	}
	if how.reset {
		a.reset(ag, how.taskWhy)
	}
	if t != nil {
		a.endRun(t, contracts.RunCancelled, how.taskWhy)
		a.offerRetry(t, how.taskWhy)
	}
	return res, nil
}

// endedState returns the payload of a stop or kill: the session's state as the HUD protocol
// names it, and the agent's state in the office.
func endedState(ag *world.Agent) map[string]string {
	return map[string]string{"state": "AGENT_RUNNING", "agent_state": string(ag.Goal.State)}
}

// newSession starts a new session, without the agent's earlier conversation. It refuses while the
// agent is working on a task.
func (a *act) newSession(ag *world.Agent) (contracts.Result, *contracts.Refusal) {
	if t := a.runningTask(ag); t != nil {
		return contracts.Result{}, contracts.Refuse(contracts.CodeConflict, "%s is working on %q; stop it before you start a new session", ag.Name, t.Title)
	}
	a.receivedNewSession(ag)
	a.reset(ag, "A new session was started.")
	return contracts.Result{}, nil
}

// reset records that the agent starts a new session.
func (a *act) reset(ag *world.Agent, reason string) {
	a.emit(&contracts.Event{Name: contracts.EventAgentReset, AgentID: ag.AgentID, Reason: reason,
		Meta: &contracts.Meta{Title: ag.Name + " starts a new session", Summary: reason}})
}

// otherAgent returns the agent that a handover or switch goes to, or a refusal.
func (a *act) otherAgent(ag *world.Agent, c contracts.AgentControl) (*world.Agent, *contracts.Refusal) {
	if c.ToAgentID == "" {
		return nil, contracts.RefuseField("payload.data.to_agent_id", "to_agent_id is required: name the agent to %s to", controlVerbs[c.Name])
	}
	to, refusal := a.agent(c.ToAgentID)
	switch {
	case refusal != nil:
		return nil, refusal
	case to.Guest():
		return nil, contracts.Refuse(contracts.CodeNotAllowed, "%s is a guest and can only be watched here; choose a crew member", to.Name)
	case to == ag:
		return nil, contracts.Refuse(contracts.CodeConflict, "%s cannot %s to itself; choose another agent", ag.Name, controlVerbs[c.Name])
	}
	return to, nil
}

// switchAgent moves an agent's unanswered messages to another agent. Later messages are not
// affected.
func (a *act) switchAgent(from, to *world.Agent) (contracts.Result, *contracts.Refusal) {
	chats := a.w.PendingChats(from.AgentID)
	if len(chats) == 0 {
		return contracts.Result{}, contracts.Refuse(contracts.CodeConflict, "%s has no unanswered messages, so there is nothing to switch; write to %s directly or hand over a task", from.Name, to.Name)
	}
	a.received(to, "agent_switch", "switch → "+to.Name, map[string]string{"from": from.AgentID, "to": to.AgentID})
	a.emit(&contracts.Event{Name: contracts.EventAgentSwitched, AgentID: to.AgentID, FromAgentID: from.AgentID,
		Meta: &contracts.Meta{Title: to.Name + " takes over", Summary: fmt.Sprintf("%d of the messages to %s", len(chats), from.Name)}})
	return contracts.Result{}, nil
}

func (a *act) handOver(from, to *world.Agent) (contracts.Result, *contracts.Refusal) {
	t := a.w.Task(from.TaskID)
	if t == nil {
		return contracts.Result{}, contracts.Refuse(contracts.CodeConflict, "%s has no task to hand over", from.Name)
	}
	payload := map[string]string{"from": from.AgentID, "to": to.AgentID, "task_id": t.TaskID}
	res, refusal := a.reassignTask(contracts.ReassignTask{TaskID: t.TaskID, ToAgentID: to.AgentID})
	if refusal != nil {
		return contracts.Result{}, refusal
	}
	a.received(to, "handover", "handover → "+to.Name, payload)
	return res, nil
}

// received records that a control reached the office. The record's key marks it as an order for
// adapters and runners.
func (a *act) received(ag *world.Agent, subtype, label string, payload map[string]string) {
	body, err := json.Marshal(payload, json.Deterministic(true))
	if err != nil {
		panic(broken{err})
	}
	id := a.uuid()
	a.emitKeyed(contracts.OrderKey(id), &contracts.HUD{UUID: id, Event: contracts.HUDReceived, Subtype: subtype, AgentID: ag.AgentID, Session: ag.Session,
		TaskID: payload["task_id"], Label: label, Payload: body})
}

// uuid returns an id that is unique across offices and the same on every replay.
func (a *act) uuid() string {
	return contracts.DerivedUUID(a.w.OfficeID(), strconv.FormatUint(a.w.Seq()+1, 10))
}

// receivedNewSession records an order for a new session, with the label that the HUD protocol
// defines.
func (a *act) receivedNewSession(ag *world.Agent) {
	a.received(ag, "new_session", "/new received — resetting session", map[string]string{"previousAgent": ag.AgentID})
}

// controlGuest records an order for a guest to stop, or to start a new session. The adapter of the
// guest's source acts on the record. Controls that the guest does not obey or that do not apply now
// are refused.
func (a *act) controlGuest(ag *world.Agent, c contracts.AgentControl) *contracts.Refusal {
	switch {
	case !a.cfg.Sources.Obeys(&ag.AgentProfile, c.Name):
		return contracts.Refuse(contracts.CodeNotAllowed, "%s is a guest and can only be watched here; use its own terminal to %s", ag.Name, controlVerbs[c.Name])
	case a.shownActivity(ag) == contracts.ActivityOffline:
		return contracts.Refuse(contracts.CodeConflict, "%s is offline and cannot be reached", ag.Name)
	}
	how, ends := endings[c.Name]
	switch {
	case !ends:
		a.receivedNewSession(ag)
	case a.shownActivity(ag) == contracts.ActivityIdle:
		return contracts.Refuse(contracts.CodeConflict, "%s has no work to %s", ag.Name, how.subtype)
	default:
		a.received(ag, how.subtype, how.label, endedState(ag))
	}
	return nil
}
