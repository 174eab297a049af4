package codex

import (
	"context"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/bullpen-office/bullpen/agents/codex/translate"
	"github.com/bullpen-office/bullpen/contracts"
)

// methodQuestion is the method of a request that asks a person questions.
const methodQuestion = "item/tool/requestUserInput"

// question answers a request that asks a person questions. The response contains no answers if the
// request cannot be read completely, arrives outside its turn or is not answered in full.
func (r *run) question(params jsontext.Value) func(context.Context) (any, error) {
	f, err := translate.ReadForm(params)
	r.mu.Lock()
	defer r.mu.Unlock()
	t := r.turn
	if err != nil || t == nil || t.ctx.Err() != nil || f.Thread != r.thread {
		if err != nil {
			r.driver.cfg.Log.Warn("leaving questions from Codex unanswered", "reason", err)
		}
		return func(context.Context) (any, error) { return f.Answer(nil), nil }
	}
	asks := f.Asks(r.dir)
	t.asking.Add(1)
	return func(ctx context.Context) (any, error) {
		defer t.asking.Done()
		return f.Answer(t.ask(ctx, asks)), nil
	}
}

// ask asks a person; nil means that not all questions were answered. ctx is cancelled when the
// connection closes.
func (t *turn) ask(ctx context.Context, questions []contracts.AskSeen) []contracts.Decision {
	asks, stop := context.WithCancel(t.ctx)
	defer stop()
	defer context.AfterFunc(ctx, stop)()
	decisions, err := t.sink.Ask(asks, questions)
	if err != nil {
		return nil
	}
	return decisions
}
