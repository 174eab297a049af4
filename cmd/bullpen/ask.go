package main

import (
	"context"
	"fmt"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/spf13/cobra"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/hud/ui"
)

const askHelp = `Put a question into everybody's inbox. Without --wait it prints the id of the
question; with --wait it prints the answer once somebody has given it.

Without --options any text is an answer. With --timeout the question is taken back
when the time is over: the exit code is 7 then, and 8 when somebody withdrew it.`

const askExample = `  bullpen ask "Deploy to production?" --options yes,no --wait --timeout 10m
  if [ "$(bullpen ask 'Go on?' --options yes,no --wait)" = yes ]; then make deploy; fi`

// asked is what `bullpen ask --json` prints.
type asked struct {
	DecisionID string                   `json:"decision_id"`
	Status     contracts.DecisionStatus `json:"status"`
	Choice     string                   `json:"choice,omitzero"`
	Note       string                   `json:"note,omitzero"`
	Reason     string                   `json:"reason,omitzero"` // why it was taken back
}

// question is what somebody wants to know.
type question struct {
	who     speaker
	id      string
	options []string
	free    bool
	wait    bool
	timeout time.Duration
}

func newAskCommand() *cobra.Command {
	var q question
	c := &cobra.Command{
		Use: "ask QUESTION", Short: "Ask the people in the office something, and wait for the answer",
		Long: askHelp, Example: askExample, Args: exactArgs("QUESTION"), ValidArgsFunction: cobra.NoFileCompletions,
	}
	newVerb(c, func(ctx context.Context, v *verb, args []string) error {
		ctx, stop := interruptible(ctx)
		defer stop()
		return q.ask(ctx, v, args[0])
	})
	f := c.Flags()
	q.who.register(f)
	f.StringSliceVar(&q.options, "options", nil, fmt.Sprintf("the answers to choose from, with commas between; at most %d", contracts.LimitOptions))
	f.BoolVar(&q.free, "free-text", false, "allow an answer that is none of the options")
	f.BoolVar(&q.wait, "wait", false, "wait for the answer and print it")
	f.DurationVar(&q.timeout, "timeout", 0, "take the question back after this time; 0 lets it stay")
	f.StringVar(&q.id, "id", "", "the question's own id: asked again under it, it is the same question")
	onlyTyped(f, "id", "source", "options", "free-text", "wait", "timeout")
	completeAgents(c, "agent")
	return c
}

func (q *question) ask(ctx context.Context, v *verb, prompt string) error {
	if q.timeout < 0 {
		return usageError("--timeout must not be negative")
	}
	if n := len(q.options); n > contracts.LimitOptions {
		return usageError("a question has at most %d options, not %d; --free-text takes any answer", contracts.LimitOptions, n)
	}
	q.who.fromEnvironment()
	payload := map[string]any{"prompt": prompt, "options": q.options, "allow_free_text": q.free}
	if q.timeout > 0 {
		payload["timeout"] = q.timeout.Seconds()
	}
	if len(q.options) == 0 {
		delete(payload, "options")
	}
	body, err := json.Marshal(payload, jsontext.AllowInvalidUTF8(true))
	if err != nil {
		return fmt.Errorf("encode the question: %w", err)
	}
	// What is on its way is not cut off: nobody could say then whether it was asked.
	e, err := v.emit(context.WithoutCancel(ctx), &q.who, q.id, ui.NameOf("ask"), string(body))
	if err != nil {
		return err
	}
	if e.DecisionID == "" {
		return &exitError{code: exitRefused, err: fmt.Errorf("the question cannot be asked: %s", printable(e.Ignored))}
	}
	if !q.wait {
		return v.print(asked{DecisionID: e.DecisionID, Status: contracts.DecisionOpen}, e.DecisionID)
	}
	return q.await(ctx, v, e.DecisionID)
}

// await waits for the answer. An office that restarts meanwhile is waited for.
func (q *question) await(ctx context.Context, v *verb, id string) error {
	limited := ctx
	if q.timeout > 0 {
		var cancel context.CancelFunc
		// A little longer than the office, so that its own end is the one that counts.
		limited, cancel = context.WithTimeout(ctx, q.timeout+clientTimeout)
		defer cancel()
	}
	d, err := v.await(limited, id)
	switch {
	case ctx.Err() != nil:
		return &exitError{code: exitForced, err: fmt.Errorf("stopped waiting; the question stays open: `bullpen decide %s ANSWER`", id)}
	case limited.Err() != nil:
		return &exitError{code: exitTimeout, err: fmt.Errorf("nobody answered %s within %s", id, q.timeout)}
	case err != nil:
		return err
	}
	if err := v.print(asked{id, d.Status, d.Choice, d.Note, d.Reason}, d.Choice); d.Status == contracts.DecisionResolved || err != nil {
		return err
	}
	if q.timeout > 0 && d.ExpiresAt > 0 && time.Now().UnixMilli() >= d.ExpiresAt {
		return &exitError{code: exitTimeout, err: fmt.Errorf("nobody answered %s within %s; the question was taken back", id, q.timeout)}
	}
	return &exitError{code: exitCancelled, err: fmt.Errorf("%s was withdrawn: %s", id, printable(d.Reason))}
}
