package director

import (
	"fmt"
	"slices"
	"strings"

	"github.com/bullpen-office/bullpen/contracts"
)

// askSeen turns a question from outside into a decision. The decision's owner is waiting for the
// answer. Questions from workflow events have no owner, because scripts poll for the answer.
func (a *act) askSeen(f contracts.AskSeen) (contracts.Result, *contracts.Refusal) {
	owner := a.owner("", f.Watch)
	if refusal := a.fence(owner); refusal != nil {
		return contracts.Result{}, refusal
	}
	d, refusal := a.draftDecision(f)
	if refusal != nil {
		return contracts.Result{}, refusal
	}
	d.TurnID, d.Owner = f.TurnID, owner
	if outcome, choice := a.judge(f, d); choice != "" {
		a.answerByRule(d, outcome, choice)
		return contracts.Result{DecisionID: d.DecisionID, RuleID: outcome.RuleID()}, nil
	}
	a.requestDecision(d)
	return contracts.Result{DecisionID: d.DecisionID}, nil
}

// draftDecision checks a question from outside and returns it as a decision with an id, or a
// refusal.
func (a *act) draftDecision(f contracts.AskSeen) (*contracts.Decision, *contracts.Refusal) {
	if f.AgentID != "" {
		if _, refusal := a.agent(f.AgentID); refusal != nil {
			return nil, refusal
		}
	}
	if n, _ := a.w.CountOpenAsks(f.AgentID); n >= contracts.LimitOpenAsks {
		return nil, contracts.Refuse(contracts.CodeConflict, "too many open questions (%d); ask again once some have been answered", n)
	}
	if f.Kind != contracts.DecisionAsk && f.Kind != contracts.DecisionPermission {
		return nil, contracts.RefuseField("kind", "a question from a script or guest must be of kind ask or permission, not %q", f.Kind)
	}
	if f.Kind == contracts.DecisionPermission && f.Permission == nil {
		return nil, contracts.RefuseField("permission", "a permission request must name its tool call")
	}
	prompt := contracts.Clip(contracts.CleanText(f.Prompt), contracts.LimitNote)
	if n := len(f.Descriptions); n > 0 && n != len(f.Options) {
		return nil, contracts.RefuseField("descriptions", "describe either every option or none")
	}
	var described []string
	for _, text := range f.Descriptions {
		described = append(described, contracts.Clip(contracts.CleanLine(text), contracts.LimitSnapshotText))
	}
	options := make([]string, len(f.Options))
	for i, o := range f.Options {
		options[i] = contracts.Clip(strings.TrimSpace(contracts.CleanLine(o)), contracts.LimitChoice)
	}
	if n := len(options); contracts.Blank(prompt) || slices.ContainsFunc(options, contracts.Blank) || n > contracts.LimitOptions || (n == 0 && !f.AllowFreeText) {
		return nil, contracts.RefuseField("options", "a question needs a prompt, and 1 to %d options or free text", contracts.LimitOptions)
	}
	return &contracts.Decision{
		DecisionID: a.nextDecision(), Kind: f.Kind, Status: contracts.DecisionOpen, Prompt: prompt, Options: options, AllowFreeText: f.AllowFreeText,
		Header: contracts.Clip(contracts.CleanLine(f.Header), contracts.LimitName), Descriptions: described, Multiple: f.Multiple,
		AskedBy: f.AgentID, AskedAt: a.now.MS, ExpiresAt: f.ExpiresAt, Permission: f.Permission,
	}, nil
}

func (a *act) nextDecision() string { return fmt.Sprintf("dec_d%d", a.w.Made().Decisions+1) }

func (a *act) requestDecision(d *contracts.Decision) {
	title := "A script needs you"
	if ag := a.w.Agent(d.AskedBy); ag != nil {
		title = ag.Name + " needs you"
	}
	a.emitKeyed("dec/"+d.DecisionID, &contracts.Event{Name: contracts.EventDecisionRequested, AgentID: d.AskedBy, DecisionID: d.DecisionID, Decision: d,
		Meta: &contracts.Meta{Title: title, Summary: d.Prompt}})
}

func (a *act) askWithdrawn(f contracts.AskWithdrawn) *contracts.Refusal {
	d := a.w.Decision(f.DecisionID)
	if d == nil || d.ProjectID != "" {
		return contracts.Refuse(contracts.CodeNotFound, "no question %q from a script or guest", f.DecisionID)
	}
	if d.Status != contracts.DecisionOpen {
		return contracts.Refuse(contracts.CodeConflict, "question %s is already %s", d.DecisionID, d.Status)
	}
	a.withdraw(d, contracts.Clip(contracts.CleanLine(f.Reason), contracts.LimitNote))
	return nil
}

// withdraw cancels a question that was asked from outside the office.
func (a *act) withdraw(d *contracts.Decision, reason string) {
	a.emitKeyed("res/"+d.DecisionID, &contracts.Event{Name: contracts.EventDecisionCancelled, AgentID: d.AskedBy, DecisionID: d.DecisionID, Reason: reason,
		Meta: &contracts.Meta{Title: "No longer needed", Summary: reason}})
}

// stepExpiry cancels the first expired question and reports whether there was one.
func (a *act) stepExpiry() bool {
	for _, d := range a.w.Decisions() {
		if d.Status == contracts.DecisionOpen && d.ExpiresAt != 0 && d.ExpiresAt <= a.now.MS {
			a.withdraw(d, "Not answered in time.")
			return true
		}
	}
	return false
}

// uiSeen records a workflow event and, if the event asks a question, a decision.
func (a *act) uiSeen(f contracts.UISeen) (contracts.Result, *contracts.Refusal) {
	u := f.UI
	if u.AgentID != "" {
		if _, refusal := a.agent(u.AgentID); refusal != nil {
			return contracts.Result{}, refusal
		}
	}
	if f.Lasts > 0 {
		u.ExpiresAt = a.now.MS + f.Lasts
	}
	var d *contracts.Decision
	if f.Ask != nil {
		if _, own := a.w.CountOpenAsks(u.AgentID); u.AgentID != "" && own >= contracts.LimitAgentAsks {
			return contracts.Result{}, contracts.Refuse(contracts.CodeConflict, "%s has %d open questions (limit %d); ask again once some have been answered", a.w.Agent(u.AgentID).Name, own, contracts.LimitAgentAsks)
		}
		var refusal *contracts.Refusal
		if d, refusal = a.draftDecision(*f.Ask); refusal != nil {
			return contracts.Result{}, refusal
		}
		u.DecisionID = d.DecisionID
	}
	a.emitKeyed(contracts.FactKey(f), &u)
	if d != nil {
		a.requestDecision(d)
	}
	return contracts.Result{DecisionID: u.DecisionID}, nil
}

func (a *act) usageSeen(f contracts.UsageSeen) *contracts.Refusal {
	if f.AgentID != "" && !contracts.HasPrefix(f.AgentID, contracts.PrefixAgent) {
		return contracts.RefuseField("agent_id", "invalid agent id %q", f.AgentID)
	}
	u := f.Usage
	u.Model = contracts.Clip(contracts.CleanLine(u.Model), contracts.LimitName)
	if u.At < 0 || u.At >= a.now.MS {
		u.At = 0
	}
	if u.TokensIn < 0 || u.TokensOut < 0 || u.CacheRead < 0 || u.CacheWrite < 0 || u.CostUSD != nil && !(*u.CostUSD >= 0 && *u.CostUSD < 1e9) {
		return contracts.RefuseField("usage", "tokens and cost must not be negative")
	}
	a.emitKeyed(contracts.FactKey(f), &contracts.Event{Name: contracts.EventUsageReported, AgentID: f.AgentID, TaskID: f.TaskID, TurnID: f.TurnID, Usage: &u})
	return nil
}

func (a *act) audited(f contracts.Audited) *contracts.Refusal {
	switch f.Kind {
	case contracts.AuditLogin, contracts.AuditExport, contracts.AuditRevocation:
	default:
		return contracts.RefuseField("kind", "unknown security event %q", f.Kind)
	}
	a.emitKeyed(contracts.FactKey(f), f.Event())
	return nil
}
