package acp

import (
	"context"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/bullpen-office/bullpen/agents/acp/translate"
	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/hud"
)

const methodPermission = "session/request_permission"

// outcome is the answer to a permission request.
type outcome struct {
	Outcome choice `json:"outcome"`
}

type choice struct {
	Outcome string `json:"outcome"`
	Option  string `json:"optionId,omitzero"`
}

func selected(id string, ok bool) outcome {
	if !ok {
		return cancelled
	}
	return outcome{choice{Outcome: "selected", Option: id}}
}

// cancelled is the outcome that refuses a call if the turn is over or the agent offers no option to
// reject the call.
var cancelled = outcome{choice{Outcome: "cancelled"}}

// permission answers a permission request. Only a person's or a rule's answer allows a call. A
// request that cannot be read, arrives outside a turn or is not answered is refused.
func (r *run) permission(params jsontext.Value) func(context.Context) (any, error) {
	refuse := func(context.Context) (any, error) { return cancelled, nil }
	req, err := translate.ReadRequest(params)
	r.mu.Lock()
	defer r.mu.Unlock()
	t := r.turn
	switch {
	case err != nil:
		r.driver.cfg.Log.Warn("refusing a permission request from the agent program", "reason", err)
		return refuse
	case t == nil || req.Session != r.session || t.ctx.Err() != nil:
		return refuse
	}
	t.endThinking()
	c := t.merge(req.Call)
	if c == nil {
		return refuse
	}
	t.show(req.Call.ID, c)
	p := req.Permission(&c.Call, r.files.Dir())
	t.asking.Add(1)
	return func(ctx context.Context) (any, error) {
		defer t.asking.Done()
		return t.permit(ctx, req, p), nil
	}
}

// permit asks a person to answer a permission request. ctx is cancelled if the agent withdraws the
// request.
func (t *turn) permit(ctx context.Context, req translate.Request, p contracts.Permission) outcome {
	asks, stop := context.WithCancel(t.ctx)
	defer stop()
	defer context.AfterFunc(ctx, stop)()
	if hud.Unreadable(p.Args) != "" { // no terminal could show it either
		return selected(req.RejectOption())
	}
	if question, ok := req.Question(p); ok {
		decided, err := t.sink.Ask(asks, []contracts.AskSeen{question})
		if err == nil && len(decided) == 1 {
			return selected(req.ChosenOption(decided[0]))
		}
		return t.unanswered(asks, req)
	}
	verdict, err := t.sink.Permit(asks, p)
	switch {
	case err != nil:
		return t.unanswered(asks, req)
	case !verdict.Allow:
		return selected(req.RejectOption())
	}
	if id, ok := req.AllowOption(verdict.Always); ok {
		return selected(id, true)
	}
	return selected(req.RejectOption())
}

// unanswered refuses a request that no one answered: as cancelled if the turn or the request was
// cancelled, otherwise as rejected.
func (t *turn) unanswered(asks context.Context, req translate.Request) outcome {
	if asks.Err() != nil {
		return cancelled
	}
	return selected(req.RejectOption())
}
