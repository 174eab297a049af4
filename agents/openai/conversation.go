package openai

import (
	"context"
	"errors"
	"fmt"

	"github.com/bullpen-office/bullpen/agents/openai/completions"
	"github.com/bullpen-office/bullpen/backoff"
	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/drive"
)

// conversation is what one job says to the model, at most two questions, and what
// that uses.
type conversation struct {
	runner   *Runner
	sink     drive.Sink
	shape    shape
	kind     string // of what is streamed
	messages []completions.Message
	sent     int           // bytes of them
	caller   *drive.Prompt // who asks for parameters of its own; nil in the office
	bill     bill
}

func (r *Runner) converse(sink drive.Sink, s shape) *conversation {
	return &conversation{runner: r, sink: sink, shape: s, kind: "token", bill: bill{runner: r.cfg.Runner, sink: sink}}
}

// tell opens the conversation.
func (c *conversation) tell(persona, prompt string) {
	if d := c.shape.describe(); d != "" {
		prompt += "\n\n" + d
	}
	c.messages = []completions.Message{completions.Text("system", persona), completions.Text("user", prompt)}
	c.sent = len(persona) + len(prompt)
}

// again sends an answer back with the reason, as a question that is counted on its own.
func (c *conversation) again(text, bad string, sink drive.Sink) {
	c.sink, c.bill = sink, bill{runner: c.runner.cfg.Runner, sink: sink}
	if text = clip(text, contracts.LimitPromptContent); text == "" {
		text = "(nothing)"
	}
	wish := fmt.Sprintf("That cannot be used: %s. Answer again, completely.", bad)
	if d := c.shape.describe(); d != "" {
		wish += " " + d
	}
	c.messages = append(c.messages, completions.Text("assistant", text), completions.Text("user", wish))
	c.sent += len(text) + len(wish)
}

// errMalformed says that the model answered, but not with what was asked for: it
// may be asked once more.
type errMalformed struct{ error }

func (e errMalformed) Unwrap() error { return e.error }

func (e errMalformed) Is(target error) bool { return target == drive.ErrMalformed }

// errCut says that the answer ended at the limit of tokens.
var errCut = errors.New("the answer was cut off at the limit of tokens; be shorter")

func malformed(format string, args ...any) error { return errMalformed{fmt.Errorf(format, args...)} }

// fatal says whether asking the model again is of no use.
func fatal(err error) bool {
	var m errMalformed
	return err != nil && !errors.As(err, &m)
}

// ask puts the question until the endpoint has answered, as often as is worth it.
func (c *conversation) ask(ctx context.Context) (string, error) {
	r := c.runner
	retries, stalls := contracts.LimitModelRetries, 0
	if n := r.cfg.Runner.Retries; n != nil {
		retries = *n
	}
	retry := backoff.Backoff{First: contracts.ModelRetryMin, Most: contracts.ModelRetryMax, Rand: r.cfg.Rand}
	for attempt := 0; ; {
		if err := r.endpoint.breaker.allow(r.cfg.Now()); err != nil {
			return "", err
		}
		form := r.endpoint.form(c.shape)
		text, err := c.call(ctx, form)
		if ctx.Err() != nil {
			r.endpoint.breaker.release()
			return "", context.Cause(ctx)
		}
		f := failureOf(err)
		if f != nil && f.format && r.endpoint.stepDown(form) {
			continue // it takes less than was asked of it
		}
		r.endpoint.note(form, err, r.cfg.Runner.Format, r.cfg.Now())
		if f == nil {
			return text, err
		}
		if f.stalled {
			stalls++
		}
		if !f.passing || attempt >= retries || stalls > 1 {
			return "", f.final(attempt + 1)
		}
		wait := max(retry.Next(), f.after) // never shorter than the endpoint asks for
		if wait > contracts.ModelWaitMax {
			return "", f.final(attempt + 1)
		}
		attempt++
		r.endpoint.metrics.retried(r.cfg.Name)
		r.cfg.Log.Info("a call failed and is repeated", "after", wait, "attempt", attempt, "error", f)
		c.sink.Progress(5, fmt.Sprintf("The endpoint failed; attempt %d follows", attempt+1))
		if err := r.cfg.Sleep(ctx, wait); err != nil {
			return "", err
		}
	}
}
