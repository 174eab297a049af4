package director

import (
	"fmt"
	"slices"
	"strings"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/world"
)

// The options of a retry decision.
const (
	choiceRetry  = "Try again"
	choiceCancel = "Cancel the task"
)

// ask blocks a task on a decision: the agent goes to a person and asks.
func (a *act) ask(t *world.Task, d contracts.Decision, reason string) {
	ag := a.w.Agent(t.Assignee)
	d.DecisionID = a.nextDecision()
	d.ProjectID, d.TaskID, d.Status, d.AskedBy, d.AskedAt = t.ProjectID, t.TaskID, contracts.DecisionOpen, t.Assignee, a.now.MS
	a.emit(&contracts.Event{Name: contracts.EventTaskBlocked, ProjectID: t.ProjectID, TaskID: t.TaskID, AgentID: t.Assignee, Reason: reason,
		Meta: &contracts.Meta{Title: ag.Name + " is blocked", Summary: reason}})
	a.seekPerson(ag, t.TaskID, "Needs you: "+d.Prompt)
	a.emitKeyed("dec/"+d.DecisionID, &contracts.Event{Name: contracts.EventDecisionRequested, ProjectID: t.ProjectID, TaskID: t.TaskID, AgentID: t.Assignee,
		DecisionID: d.DecisionID, Decision: &d, Meta: &contracts.Meta{Title: ag.Name + " needs you", Summary: d.Prompt}})
}

// seekPerson sends an agent that needs a person to a free place on the stage of its room; if all
// places are taken, the agent asks from where it is. In a scene without a stage, the agent goes to
// a person in the office or, if there is none, to the lounge.
func (a *act) seekPerson(ag *world.Agent, taskID, why string) {
	in := intent{kind: contracts.GoalGoToPOI, state: contracts.StateSeeking, taskID: taskID, why: why}
	if len(a.now.Players) > 0 {
		in.kind, in.state, in.player = contracts.GoalGoToPlayer, contracts.StateToPlayer, a.now.Players[0].PlayerID
	}
	stages := a.w.Scene().POIsIn(ag.RoomID, contracts.POIStage)
	if to, ok := a.seat(ag, stages...); ok {
		a.walk(ag, to, in)
		return
	}
	switch {
	case len(stages) > 0: // all places on the stage are taken: the agent asks from where it is
		a.placeAsking(ag, in)
	case in.player != "":
		a.walk(ag, a.standNear(ag, a.now.Players[0].Pos), in)
	default:
		a.walk(ag, a.seatOrStand(ag, a.w.Scene().POIsOfType(contracts.POILounge)...), in)
	}
}

// placeAsking places an agent that asks for a person: at its current seat, or at a spot nearby if it
// is not at a seat. In an office with studios, the agent goes to a seat instead.
func (a *act) placeAsking(ag *world.Agent, in intent) {
	if a.cfg.Studios {
		a.walk(ag, a.askingSeat(ag), in)
		return
	}
	pos, _ := a.w.Pos(ag, a.now.MS)
	anchor, poi, ok := a.w.Scene().Anchor(ag.Goal.Goal.AnchorID)
	if !ok || distance(anchor.Pos, pos) > contracts.SceneSeatSnap {
		a.walk(ag, a.standNear(ag, pos), in)
		return
	}
	a.goal(ag, anchorPlace(poi, anchor), in, []contracts.Vec3{anchor.Pos})
}

// closedRefusal returns the refusal for an answer to a question that is no longer open.
func closedRefusal(d *contracts.Decision) *contracts.Refusal {
	if d.Status == contracts.DecisionResolved {
		return contracts.Refuse(contracts.CodeConflict, "question %q is already answered: %s", d.DecisionID, d.Choice)
	}
	return contracts.Refuse(contracts.CodeConflict, "question %q was withdrawn", d.DecisionID)
}

func (a *act) resolveDecision(c contracts.ResolveDecision) (contracts.Result, *contracts.Refusal) {
	d := a.w.Decision(c.DecisionID)
	if d == nil {
		return contracts.Result{}, a.noQuestion(c.DecisionID)
	}
	if refusal := expect("payload.data.expected_decision_status", c.ExpectedDecisionStatus, d.Status); refusal != nil {
		return contracts.Result{}, refusal
	}
	if d.Status != contracts.DecisionOpen {
		return contracts.Result{}, closedRefusal(d)
	}
	if d.Permission != nil && !a.caller.Permit {
		return contracts.Result{}, contracts.RefuseWithoutOperator("answering permission requests and agents' questions")
	}
	choice, choices, refusal := checkChoice(d, c)
	if refusal != nil {
		return contracts.Result{}, refusal
	}
	summary, ruleID := choice, ""
	if d.Kind == contracts.DecisionPermission && choice == contracts.OptionAlways {
		if ruleID, refusal = a.addRule(d); refusal != nil {
			return contracts.Result{}, refusal
		}
		if d.OfficeOnly {
			choice = contracts.OptionAllow
		}
	}
	a.emitKeyed("res/"+d.DecisionID, &contracts.Event{Name: contracts.EventDecisionResolved, ProjectID: d.ProjectID, TaskID: d.TaskID, AgentID: d.AskedBy,
		DecisionID: d.DecisionID, Choice: choice, Choices: choices, Note: c.Note, By: a.caller.By, Via: a.caller.Via, Meta: &contracts.Meta{Title: "Decided", Summary: summary}})
	a.continueTask(d, choice)
	return contracts.Result{DecisionID: d.DecisionID, RuleID: ruleID}, nil
}

// checkChoice checks an answer against its decision. For a decision that allows several answers,
// choices lists each chosen option once, and choice joins them into one line.
func checkChoice(d *contracts.Decision, c contracts.ResolveDecision) (choice string, choices []string, refusal *contracts.Refusal) {
	picked, field := []string{c.Choice}, "payload.data.choice"
	if len(c.Choices) > 0 {
		if picked, field = c.Choices, "payload.data.choices"; !slices.Contains(picked, c.Choice) {
			return "", nil, contracts.RefuseField("payload.data.choice", "choice must be one of the entries in choices")
		}
	}
	for _, one := range picked {
		if one = strings.TrimSpace(one); !d.AllowFreeText && !slices.Contains(d.Options, one) {
			if one == contracts.OptionAlways && d.NoRule != "" {
				return "", nil, contracts.RefuseField(field, "%q is not an option: %s (options: %s)", one, d.NoRule, strings.Join(d.Options, ", "))
			}
			return "", nil, contracts.RefuseField(field, "%q is not an option (options: %s)", one, strings.Join(d.Options, ", "))
		} else if !slices.Contains(choices, one) {
			choices = append(choices, one)
		}
	}
	switch {
	case d.Multiple:
		return strings.Join(choices, ", "), choices, nil
	case len(choices) > 1:
		return "", nil, contracts.RefuseField(field, "choose only one option (options: %s)", strings.Join(d.Options, ", "))
	}
	return choices[0], nil, nil
}

// continueTask sends the agent back to work, or cancels the task if the choice is to cancel it.
func (a *act) continueTask(d *contracts.Decision, choice string) {
	t := a.w.Task(d.TaskID)
	if t == nil {
		return
	}
	if d.Kind == contracts.DecisionRetry && choice == choiceCancel {
		a.cancel(t, "Cancelled by you.")
		return
	}
	if ag := a.w.Agent(t.Assignee); ag != nil && ag.TaskID == t.TaskID {
		a.goToDesk(t, ag, fmt.Sprintf("You decided: %s.", choice))
	}
}

// dropDecision cancels the decision that a task is waiting for, if there is one.
func (a *act) dropDecision(t *world.Task, reason string) {
	if d := a.w.OpenDecision(t.TaskID); d != nil {
		a.emitKeyed("res/"+d.DecisionID, &contracts.Event{Name: contracts.EventDecisionCancelled, ProjectID: d.ProjectID, TaskID: d.TaskID, DecisionID: d.DecisionID, Reason: reason})
	}
}

// offerRetry blocks a task whose run failed, and asks a person whether to retry or cancel the task.
func (a *act) offerRetry(t *world.Task, reason string) {
	name := a.w.Agent(t.Assignee).Name
	a.ask(t, contracts.Decision{
		Kind:    contracts.DecisionRetry,
		Prompt:  fmt.Sprintf("%s could not finish “%s”: %s What now?", name, t.Title, sentence(reason)),
		Options: []string{choiceRetry, choiceCancel},
	}, reason)
}

func sentence(s string) string {
	s = strings.TrimSpace(s)
	if s == "" || strings.ContainsAny(s[len(s)-1:], ".!?") {
		return s
	}
	return s + "."
}
