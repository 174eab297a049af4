package watch

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/bullpen-office/bullpen/agents/claude/hook"
	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/intake"
)

type takeHook func(ctx context.Context, at time.Time, body []byte) error

// drainSpool records hooks that were stored on disk while no office answered. It runs at the start
// and every contracts.SpoolInterval, until ctx ends. A hook is removed only after it is recorded or
// dropped; failed hooks are retried.
func (in *Intake) drainSpool(ctx context.Context, take takeHook) {
	spool := hook.NewSpool(in.Spool)
	tick := time.NewTicker(contracts.SpoolInterval)
	defer tick.Stop()
	for {
		in.drainOnce(ctx, spool, take)
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

func (in *Intake) drainOnce(ctx context.Context, spool hook.Spool, take takeHook) {
	done, err := spool.Drain(ctx, func(ctx context.Context, at time.Time, body []byte) error {
		err := take(ctx, at, body)
		if errors.Is(err, ErrMalformed) {
			in.Log.Warn("spooled hook is malformed; it is kept in spool/bad", "error", err)
			return fmt.Errorf("%w: %w", hook.ErrMalformed, err)
		}
		if errors.Is(err, intake.ErrFull) {
			in.Log.Warn("spooled hook dropped", "error", err)
			return nil
		}
		return err
	})
	if done.Taken > 0 {
		in.Log.Info("spooled hooks recorded", "hooks", done.Taken)
	}
	if done.Dropped > 0 {
		in.Log.Warn("spooled hooks lost: they were too large, or too many arrived while no server answered; the transcript may have them", "hooks", done.Dropped)
	}
	if err != nil && ctx.Err() == nil {
		in.Log.Error("spooled hooks not recorded; retrying", "error", err)
	}
}
