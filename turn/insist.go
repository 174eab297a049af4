package turn

import (
	"context"
	"errors"
	"log/slog"

	"github.com/bullpen-office/bullpen/backoff"
	"github.com/bullpen-office/bullpen/contracts"
)

// Insist retries fn with backoff until it succeeds, is refused or ctx ends. A
// ledger that takes nothing for a while costs time, never the work that was done.
func Insist(ctx context.Context, log *slog.Logger, what string, fn func(context.Context) error) error {
	for retry := (backoff.Backoff{First: contracts.RecordRetryMin, Most: contracts.RecordRetryMax, Rand: backoff.NoJitter}); ; {
		err := fn(ctx)
		if err == nil || Refused(err) != nil || ctx.Err() != nil {
			return err
		}
		wait := retry.Next()
		log.Warn("not recorded; retrying", "what", what, "after", wait, "error", err)
		if backoff.Sleep(ctx, wait) != nil {
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
