package turn

import (
	"context"
	"errors"
	"log/slog"

	"github.com/bullpen-office/bullpen/backoff"
	"github.com/bullpen-office/bullpen/contracts"
)

// RetryUntilRefused calls fn with backoff until it succeeds or is refused, or ctx is done. A ledger
// outage therefore delays the work but does not lose it.
func RetryUntilRefused(ctx context.Context, log *slog.Logger, what string, fn func(context.Context) error) error {
	for retry := (backoff.Backoff{First: contracts.RecordRetryMin, Max: contracts.RecordRetryMax, Rand: backoff.NoJitter}); ; {
		err := fn(ctx)
		if err == nil || Refused(err) != nil || ctx.Err() != nil {
			return err
		}
		wait := retry.Next()
		log.Warn("report not recorded; retrying", "what", what, "after", wait, "error", err)
		if backoff.Sleep(ctx, wait) != nil {
			return err
		}
	}
}

// Refused returns the final refusal in err, or nil. A refusal with the code INTERNAL is not final,
// because a retry may succeed.
func Refused(err error) *contracts.Refusal {
	var refusal *contracts.Refusal
	if errors.As(err, &refusal) && refusal.Code != contracts.CodeInternal {
		return refusal
	}
	return nil
}
