package translate

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/hud"
	"github.com/bullpen-office/bullpen/hud/status"
	"github.com/go-json-experiment/json/jsontext"
)

// approvalRequest is an approval request from the gateway. It has the text of a command, or the title
// of a plugin's action.
type approvalRequest struct {
	ID        string  `json:"id"`
	Kind      string  `json:"approvalKind"`
	ExpiresAt float64 `json:"expiresAtMs"`
	Request   struct {
		Command     string         `json:"command"`
		Cwd         string         `json:"cwd"`
		Host        string         `json:"host"`
		Warning     string         `json:"warningText"`
		Title       string         `json:"title"`
		Description string         `json:"description"`
		ToolName    string         `json:"toolName"`
		AgentID     string         `json:"agentId"`
		SessionKey  string         `json:"sessionKey"`
		ToolCallID  string         `json:"toolCallId"`
		Allowed     []string       `json:"allowedDecisions"`
		Args        jsontext.Value `json:"args"`
	} `json:"request"`
}

var errNoID = errors.New("missing approval id")

func (r *Reader) readApproval(kind string, payload jsontext.Value) error {
	e, err := readApprovalRequest(payload, kind)
	if err == nil {
		r.addApproval(e)
	}
	return err
}

// readApprovalRequest decodes an approval request. It returns an error if any member has an unexpected
// type, because a person must not approve a request that was only partly understood.
func readApprovalRequest(payload jsontext.Value, kind string) (e approvalRequest, err error) {
	mismatched, err := hud.Decode(payload, &e)
	switch {
	case err != nil:
		return e, err
	case len(mismatched) > 0:
		return e, fmt.Errorf("an approval request has fields with an unexpected type (%s); answer it at the gateway", strings.Join(mismatched, ", "))
	case e.ID == "":
		return e, errNoID
	}
	e.Kind = cmp.Or(e.Kind, kind)
	return e, nil
}

// Approvals reads the response to exec.approval.list. It returns the ids of all pending approvals,
// and findings for the approvals that were understood.
func (r *Reader) Approvals(payload jsontext.Value, now int64) (waiting []string, found []Finding, err error) {
	r.now, r.found = now, nil
	var list []jsontext.Value
	if err := Decode(payload, &list); err != nil {
		return nil, nil, err
	}
	for _, item := range list {
		e, bad := readApprovalRequest(item, "exec")
		if e.ID != "" {
			waiting = append(waiting, e.ID)
		}
		if bad == nil {
			r.addApproval(e)
		}
	}
	return waiting, r.found, nil
}

func (r *Reader) addApproval(e approvalRequest) {
	q := e.Request
	s := r.open(q.SessionKey, q.AgentID, "")
	if s == nil && q.AgentID != "" {
		s = r.open(r.agent(q.AgentID).main, q.AgentID, "")
	}
	if s == nil {
		return
	}
	r.joinAgent(s)
	call := hud.Call{Tool: "exec", Args: hud.Value(map[string]string{"command": q.Command})}
	if e.Kind != "exec" {
		call = hud.Call{Tool: q.ToolName, Args: q.Args}
		call.Tool = cmp.Or(call.Tool, e.Kind)
	}
	call = hud.Canonical(call)
	roots := r.source(s).Roots
	a := &Approval{ID: e.ID, Kind: e.Kind, ExpiresAt: int64(e.ExpiresAt), Options: options(q.Allowed)}
	a.Allows = contracts.Permission{
		Tool: call.Tool, Args: call.Args, Label: hud.Label(hud.Call{Tool: call.Tool, Args: hud.Bound(call.Args)}, nil, roots),
		CallID: cmp.Or(q.ToolCallID, e.ID), Place: hud.Line(hud.Roots{Home: roots.Home}.View(q.Cwd), contracts.LimitPreview),
	}
	a.Prompt = prompt(e, a.Allows.Label)
	r.addEvidence(s.guestID, status.Asked, e.ID, "approval requested", a.Prompt)
	r.found = append(r.found, Finding{AgentID: s.guestID, Approval: a})
}

func prompt(e approvalRequest, label string) string {
	if e.Kind == "exec" {
		text := "Allow the agent to run " + hud.Line(e.Request.Command, contracts.LimitPreview) + "?"
		if e.Request.Warning != "" {
			text += " " + hud.Line(e.Request.Warning, contracts.LimitPreview)
		}
		return text
	}
	for _, text := range []string{e.Request.Title, e.Request.Description, label} {
		if text != "" {
			return hud.Line(text, contracts.LimitPreview)
		}
	}
	return "Allow the agent to continue?"
}

// options returns the answers that the gateway accepts. If none of them is known, it returns allow
// and deny.
func options(allowed []string) (list []string) {
	for _, option := range []string{contracts.OptionAllow, contracts.OptionAlways, contracts.OptionDeny} {
		for _, d := range allowed {
			if Decisions[option] == d {
				list = append(list, option)
			}
		}
	}
	if len(list) == 0 {
		return []string{contracts.OptionAllow, contracts.OptionDeny}
	}
	return list
}

func (r *Reader) readSettled(payload jsontext.Value) error {
	var e struct {
		approvalRequest
		Decision string `json:"decision"`
	}
	if err := Decode(payload, &e); err != nil {
		return err
	}
	if e.ID == "" {
		return errNoID
	}
	if s := r.open(e.Request.SessionKey, e.Request.AgentID, ""); s != nil {
		r.addEvidence(s.guestID, status.Answered, e.ID, "approval answered: "+hud.Line(e.Decision, contracts.LimitName), "")
	}
	r.found = append(r.found, Finding{Settled: &Settled{ID: e.ID, Decision: e.Decision}})
	return nil
}
