package crew

import (
	"context"
	"errors"
	"fmt"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/drive"
	"github.com/bullpen-office/bullpen/turn"
)

// question is a prompt from a run to its worker, with the functions that read and use the answer.
type question[T any] struct {
	form   drive.Form
	label  string
	prompt func(workspace string) (string, error)         // returns the prompt for a program
	read   func(parser Parser, a drive.Answer) (T, error) // fails with *unusable for an invalid answer
	prose  func(text string) (value T, ok bool)           // converts an invalid answer to a result; nil if invalid answers are not converted
	// verify examines a valid answer and returns a prompt if the worker must continue. A nil verify
	// accepts every answer.
	verify func(ctx context.Context, l *turn.Connection, value T) (again string, err error)
	// finish is called before the end of the turn is recorded.
	finish func(ctx context.Context, value T) (said string, err error)
}

// askWorker runs one turn with the worker and returns its answer. An invalid answer is sent back
// once with the reason.
func askWorker[T any](r *run, ask question[T]) (T, error) {
	var value T
	if r.worker.Driver == nil {
		return value, fmt.Errorf("no runner %q; configure it or assign the work to another agent", r.name)
	}
	var bad error
	asked, longest := 0, ""
	q := r.request(ask.label)
	q.Prepare = func(l *turn.Connection) (drive.Prompt, error) {
		r.progress.begin()
		p := r.prompt(ask.form)
		if r.caps.Work {
			p.Work, p.Read = &r.work, r.read
			if ask.form != drive.FormReview {
				return p, nil
			}
		}
		var err error
		p.Text, err = ask.prompt(l.Spec.Workspace)
		return p, err
	}
	q.Check = func(ctx context.Context, l *turn.Connection, a drive.Answer, err error) *drive.Prompt {
		if err != nil && !errors.Is(err, drive.ErrMalformed) {
			return nil
		}
		if len(a.Text) > len(longest) {
			longest = a.Text
		}
		if bad = err; bad == nil {
			value, bad = ask.read(Parser{Object: r.caps.Work, Workspace: l.Spec.Workspace}, a)
		}
		again := ""
		if bad == nil && ask.verify != nil {
			again, bad = ask.verify(ctx, l, value)
		}
		p := r.prompt(ask.form)
		switch {
		case again != "":
			p.Text, p.RetryReason, p.Continue = again, again, true
		case bad == nil || !errors.Is(bad, drive.ErrMalformed):
			return nil
		default:
			if asked++; asked > 1 {
				return nil
			}
			r.log.Info("invalid answer; asking again", "reason", bad)
			p.Text, p.RetryReason = repairPrompt(bad), bad.Error()
		}
		return &p
	}
	q.Finish = func(ctx context.Context, l *turn.Connection, _ drive.Answer, _ []string) (string, error) {
		if bad != nil && !errors.Is(bad, drive.ErrMalformed) {
			return "", bad
		}
		if bad != nil && ask.prose != nil && r.worker.Lenient {
			if v, ok := ask.prose(longest); ok {
				value, bad = v, nil
				if ask.verify != nil { // files changed for this answer have not been verified yet
					if _, err := ask.verify(ctx, l, v); err != nil {
						return "", err
					}
				}
			}
		}
		if bad != nil {
			return "", r.invalidTwice(bad)
		}
		return ask.finish(ctx, value)
	}
	go r.progress.watch()
	_, err := r.crew.Engine.Run(r.ctx, q)
	r.progress.stop()
	return value, err
}

// prompt returns a prompt with the fields that all of the crew's prompts have.
func (r *run) prompt(f drive.Form) drive.Prompt {
	return drive.Prompt{Form: f, ChatID: turn.CrewChat, MessageID: r.crew.NewUUID(), TS: r.crew.Now().UnixMilli()}
}

// summarize returns a finish function that returns summary(value) as the summary.
func summarize[T any](summary func(T) string) func(context.Context, T) (string, error) {
	return func(_ context.Context, v T) (string, error) { return summary(v), nil }
}

// proseOf returns a function that turns prose into a task's artifact. The function returns false
// for blank prose.
func proseOf(job TaskJob) func(string) (Result, bool) {
	return func(text string) (Result, bool) { return wholeText(text, job), !contracts.Blank(text) }
}
