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

const askHelp = `Ask the people in the office a question. Prints the question's id; with --wait, prints
the answer.

Without --options any text is accepted as an answer. With --timeout the question is
withdrawn when the time is up (exit code 7); exit code 8 means it was withdrawn in the
office.`

const askExample = `  bullpen ask "Deploy to production?" --options yes,no --wait --timeout 10m
  if [ "$(bullpen ask 'Continue?' --options yes,no --wait)" = yes ]; then make deploy; fi`

// asked is the JSON output of `bullpen ask`.
type asked struct {
	DecisionID string                   `json:"decision_id"`
	Status     contracts.DecisionStatus `json:"status"`
	Choice     string                   `json:"choice,omitzero"`
	Note       string                   `json:"note,omitzero"`
	Reason     string                   `json:"reason,omitzero"` // why the question was withdrawn
}

// question holds the flags of `bullpen ask`.
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
		Use: "ask QUESTION", Short: "Ask the people in the office a question",
		Long: askHelp, Example: askExample, Args: exactArgs("QUESTION"), ValidArgsFunction: cobra.NoFileCompletions,
	}
	newVerb(c, func(ctx context.Context, v *verb, args []string) error {
		ctx, stop := interruptible(ctx)
		defer stop()
		return q.ask(ctx, v, args[0])
	})
	f := c.Flags()
	q.who.register(f)
	f.StringSliceVar(&q.options, "options", nil, fmt.Sprintf("answers to choose from, separated by commas; at most %d", contracts.LimitOptions))
	f.BoolVar(&q.free, "free-text", false, "also accept an answer that is not one of the options")
	f.BoolVar(&q.wait, "wait", false, "wait for the answer and print it")
	f.DurationVar(&q.timeout, "timeout", 0, "withdraw the question after this time; 0 keeps it open")
	f.StringVar(&q.id, "id", "", "idempotency key: asking again with the same id does not create a second question")
	onlyTyped(f, "id", "source", "options", "free-text", "wait", "timeout")
	completeAgents(c, "agent")
	return c
}

func (q *question) ask(ctx context.Context, v *verb, prompt string) error {
	if q.timeout < 0 {
		return usageError("--timeout must not be negative")
	}
	if n := len(q.options); n > contracts.LimitOptions {
		return usageError("too many options: %d (limit %d); use --free-text to accept any answer", n, contracts.LimitOptions)
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
	// Ctrl-C does not cancel this request; otherwise it would be unclear whether the question was
	// asked.
	e, err := v.emit(context.WithoutCancel(ctx), &q.who, q.id, ui.NameOf("ask"), string(body))
	if err != nil {
		return err
	}
	if e.DecisionID == "" {
		return &exitError{code: exitRefused, err: fmt.Errorf("question rejected: %s", printable(e.Ignored))}
	}
	if !q.wait {
		return v.print(asked{DecisionID: e.DecisionID, Status: contracts.DecisionOpen}, e.DecisionID)
	}
	return q.await(ctx, v, e.DecisionID)
}

// await waits for the answer and prints it. Waiting survives a restart of the office.
func (q *question) await(ctx context.Context, v *verb, id string) error {
	limited := ctx
	if q.timeout > 0 {
		var cancel context.CancelFunc
		// This timeout is longer than the office's, so that the office withdraws the question first.
		limited, cancel = context.WithTimeout(ctx, q.timeout+clientTimeout)
		defer cancel()
	}
	d, err := v.await(limited, id)
	switch {
	case ctx.Err() != nil:
		return &exitError{code: exitForced, err: fmt.Errorf("stopped waiting; the question stays open: answer it with `bullpen decide %s ANSWER`", id)}
	case limited.Err() != nil:
		return &exitError{code: exitTimeout, err: fmt.Errorf("no answer to %s within %s", id, q.timeout)}
	case err != nil:
		return err
	}
	report := asked{id, d.Status, d.Choice, d.Note, d.Reason}
	switch {
	case d.Status == contracts.DecisionResolved:
		return v.print(report, d.Choice)
	case v.asJSON:
		if err := printJSON(v.out, report); err != nil {
			return err
		}
	}
	if q.timeout > 0 && d.ExpiresAt > 0 && time.Now().UnixMilli() >= d.ExpiresAt {
		return &exitError{code: exitTimeout, err: fmt.Errorf("no answer to %s within %s; the question was withdrawn", id, q.timeout)}
	}
	return &exitError{code: exitCancelled, err: fmt.Errorf("%s was withdrawn: %s", id, printable(d.Reason))}
}
