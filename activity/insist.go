package activity

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/bullpen-office/bullpen/contracts"
)

// Insist repeats fn, ever less often, until it succeeds, is refused or ctx ends. A
// ledger that takes nothing for a while costs time, never the work that was done.
func Insist(ctx context.Context, log *slog.Logger, what string, fn func(context.Context) error) error {
	for delay := contracts.RecordRetryMin; ; delay = min(2*delay, contracts.RecordRetryMax) {
		err := fn(ctx)
		if err == nil || Refused(err) != nil || ctx.Err() != nil {
			return err
		}
		log.Warn(what+" was not taken; it is offered again", "after", delay, "error", err)
		select {
		case <-time.After(delay):
		case <-ctx.Done():
			return err
		}
	}
}

// Refused finds the refusal that another try does not change. An internal
// failure is none: it says that nothing happened.
func Refused(err error) *contracts.Refusal {
	var refusal *contracts.Refusal
	if errors.As(err, &refusal) && refusal.Code != contracts.CodeInternal {
		return refusal
	}
	return nil
}
