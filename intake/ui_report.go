package intake

import (
	"context"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/hud/ui"
)

// Event is a workflow event that another endpoint of the office received. Its sender is the agent
// that the principal's credential is bound to.
type Event struct {
	Kind    string // status, message, progress or ask
	ID      string // the id that the sender gave the event; without one, the event never counts as a duplicate
	Payload jsontext.Value
}

// Report records one event and returns the id of its decision, if the event asks for one.
// Events with the same id from the same principal are recorded once.
func (u *UI) Report(ctx context.Context, p contracts.Principal, e Event) (decisionID string, refusal *contracts.Refusal) {
	batch := post{UI: u, principal: p, now: u.Now().UnixMilli(), agents: map[string]eventAgent{}}
	out := batch.record(ctx, []event{{name: ui.NameOf(e.Kind), payload: e.Payload, id: e.ID, agent: p.AgentID}})[0]
	if out.refusal == nil && out.Ignored != "" {
		out.refusal = contracts.RefuseField(e.Kind, "%s", out.Ignored)
	}
	return out.DecisionID, out.refusal
}
