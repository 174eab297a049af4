package codex

import (
	"context"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/bullpen-office/bullpen/agents/codex/translate"
	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/hud"
)

// Methods of requests that ask for approval.
const (
	methodCommand = "item/commandExecution/requestApproval"
	methodFiles   = "item/fileChange/requestApproval"
)

// decision is the answer to a request for approval.
type decision struct {
	Decision string `json:"decision"`
}

// Answers to a request for approval. cancel is sent if the turn has already ended.
var (
	accept  = decision{translate.Accept}
	decline = decision{translate.Decline}
	cancel  = decision{translate.Cancel}
)

// approval answers a request for approval. Only a person or a rule can allow a call. A request that
// cannot be read or shown completely, or that arrives outside its turn, is refused.
func (r *run) approval(params jsontext.Value) func(context.Context) (any, error) {
	req, err := translate.ReadApproval(params)
	r.mu.Lock()
	defer r.mu.Unlock()
	t := r.turn
	switch {
	case t == nil || t.ctx.Err() != nil || req.Thread != r.thread:
		return func(context.Context) (any, error) { return cancel, nil }
	case err != nil:
		r.driver.cfg.Log.Warn("refusing an approval request from Codex", "reason", err)
		return func(context.Context) (any, error) { return decline, nil }
	}
	it := translate.Item{Type: translate.ItemCommand, ID: req.Item, Command: req.Command}
	c := t.open[req.Item]
	switch {
	case c != nil && len(req.Command) == 0:
		it = c.item
	case len(req.Command) == 0: // the command is unknown
		return func(context.Context) (any, error) { return decline, nil }
	case c == nil:
		t.show(it)
	}
	p := req.Permission(it, r.dir)
	t.asking.Add(1)
	return func(ctx context.Context) (any, error) {
		defer t.asking.Done()
		return t.permit(ctx, p), nil
	}
}

// permit asks a person whether to allow a call. ctx is cancelled when the connection closes.
func (t *turn) permit(ctx context.Context, p contracts.Permission) decision {
	asks, stop := context.WithCancel(t.ctx)
	defer stop()
	defer context.AfterFunc(ctx, stop)()
	if hud.Unreadable(p.Args) != "" { // a person could not see the arguments
		return decline
	}
	verdict, err := t.sink.Permit(asks, p)
	switch {
	case err != nil && asks.Err() != nil:
		return cancel
	case err != nil || !verdict.Allow:
		return decline
	}
	return accept
}
