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

// conversation is the exchange with the model for one job, and its usage.
type conversation struct {
	runner   *Runner
	sink     drive.Sink
	shape    shape
	kind     string // the kind of the streamed deltas
	messages []completions.Message
	sent     int           // size of the messages in bytes
	caller   *drive.Prompt // the caller's prompt, with its own parameters; nil for the office's work
	tools    *tools        // nil if the model has none
	bill     bill
}

func (r *Runner) newConversation(sink drive.Sink, s shape) *conversation {
	return &conversation{runner: r, sink: sink, shape: s, kind: "token", bill: bill{runner: r.cfg.Runner, sink: sink}}
}

// start sets the first messages: the persona as the system message, and the prompt.
func (c *conversation) start(persona, prompt string) {
	if d := c.shape.describe(); d != "" {
		prompt += "\n\n" + d
	}
	c.messages = []completions.Message{completions.Text("system", persona), completions.Text("user", prompt)}
	c.sent = len(persona) + len(prompt)
	if c.tools != nil {
		c.sent += c.tools.size
	}
}

// retry adds an invalid answer, and a prompt that says what was wrong and asks for a new answer.
func (c *conversation) retry(text, bad string, sink drive.Sink) {
	c.resume(text, fmt.Sprintf("That answer cannot be used: %s. Send the complete answer again.", bad), sink)
}

// resume adds the last answer and the next instruction. The usage of the next prompt is counted
// separately.
func (c *conversation) resume(text, instruction string, sink drive.Sink) {
	c.sink, c.bill = sink, bill{runner: c.runner.cfg.Runner, sink: sink}
	if c.tools != nil {
		c.tools.reset(text)
	}
	if text = clip(text, contracts.LimitPromptContent); text == "" {
		text = "(nothing)"
	}
	if d := c.shape.describe(); d != "" {
		instruction += " " + d
	}
	c.messages = append(c.messages, completions.Text("assistant", text), completions.Text("user", instruction))
	c.sent += len(text) + len(instruction)
}

// errMalformed means that the answer does not have the required form, so the model may be prompted
// once more.
type errMalformed struct{ error }

func (e errMalformed) Unwrap() error { return e.error }

func (e errMalformed) Is(target error) bool { return target == drive.ErrMalformed }

// errCut means that the answer ended at the token limit.
var errCut = errors.New("the answer was cut off at the token limit; give a shorter answer")

func malformed(format string, args ...any) error { return errMalformed{fmt.Errorf(format, args...)} }

// fatal reports whether asking the model again after err would be pointless.
func fatal(err error) bool {
	var m errMalformed
	return err != nil && !errors.As(err, &m)
}

// ask returns the model's answer. While the model calls tools, ask makes the calls and sends the
// results.
func (c *conversation) ask(ctx context.Context) (string, error) {
	for {
		r, err := c.reply(ctx)
		if err != nil || len(r.calls) == 0 {
			return r.text, err
		}
		if err := c.runCalls(ctx, r); err != nil {
			return "", err
		}
	}
}

// reply returns the endpoint's next answer. It retries temporary failures a limited number of
// times.
func (c *conversation) reply(ctx context.Context) (reply, error) {
	r := c.runner
	retries, stalls := contracts.LimitModelRetries, 0
	if n := r.cfg.Runner.Retries; n != nil {
		retries = *n
	}
	retry := backoff.Backoff{First: contracts.ModelRetryMin, Max: contracts.ModelRetryMax, Rand: r.cfg.Rand}
	for attempt := 0; ; {
		if err := r.endpoint.breaker.allow(r.cfg.Now()); err != nil {
			return reply{}, err
		}
		form := c.form()
		answer, err := c.call(ctx, form)
		if ctx.Err() != nil {
			r.endpoint.breaker.release()
			return reply{}, context.Cause(ctx)
		}
		f := failureOf(err)
		if f != nil && c.stepDown(form, f) {
			continue // retry in a simpler form
		}
		r.endpoint.note(form, err, r.cfg.Runner.Format, r.cfg.Now())
		if f == nil {
			return answer, err
		}
		if f.stalled {
			stalls++
		}
		if !f.temporary || attempt >= retries || stalls > 1 {
			return reply{}, f.final(attempt + 1)
		}
		wait := max(retry.Next(), f.after) // not earlier than the endpoint requests
		if wait > contracts.ModelWaitMax {
			return reply{}, f.final(attempt + 1)
		}
		attempt++
		r.endpoint.metrics.retried(r.cfg.Name)
		r.cfg.Log.Info("model call failed; retrying", "after", wait, "attempt", attempt, "error", f)
		c.sink.Progress(5, fmt.Sprintf("The endpoint failed; starting attempt %d", attempt+1))
		if err := r.cfg.Sleep(ctx, wait); err != nil {
			return reply{}, err
		}
	}
}

// stepDown reports whether the call can be sent again in a simpler form than the refused one.
func (c *conversation) stepDown(refused form, f *failure) bool {
	r := c.runner
	if refused.tools && (f.tools || f.format) {
		if again, dropped := r.endpoint.dropTools(refused, f.tools); again {
			if dropped {
				r.cfg.Log.Warn("the endpoint does not accept tools for this model; continuing without them", "error", f)
				c.sink.Delta("thought", "The endpoint does not accept tools for this model: "+f.reason+". Working without them.\n")
			}
			return true
		}
	}
	return f.format && r.endpoint.stepDown(refused)
}
