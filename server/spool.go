package server

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/bullpen-office/bullpen/agents/claude/hook"
	"github.com/bullpen-office/bullpen/agents/claude/watch"
	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/intake"
)

// drainSpool takes in the hooks that waited on disk while no server answered, at
// the start and now and then. A hook leaves the disk only after it is recorded;
// what cannot be recorded now is tried again. An office that forgets leaves them to
// one that does not.
func (s *Server) drainSpool(take func(ctx context.Context, at time.Time, body []byte) error) func(context.Context) error {
	return func(ctx context.Context) error {
		if s.cfg.ledgerPath() == "" {
			return nil
		}
		spool := hook.NewSpool(s.cfg.DataDir)
		tick := time.NewTicker(contracts.SpoolInterval)
		defer tick.Stop()
		for {
			s.drainOnce(ctx, spool, take)
			select {
			case <-ctx.Done():
				return nil
			case <-tick.C:
			}
		}
	}
}

func (s *Server) drainOnce(ctx context.Context, spool hook.Spool, take func(ctx context.Context, at time.Time, body []byte) error) {
	done, err := spool.Drain(ctx, func(ctx context.Context, at time.Time, body []byte) error {
		err := take(ctx, at, body)
		if errors.Is(err, watch.ErrMalformed) {
			s.cfg.Log.Warn("a hook that waited on disk makes no sense; it is kept in spool/bad", "error", err)
			return fmt.Errorf("%w: %w", hook.ErrMalformed, err)
		}
		if errors.Is(err, intake.ErrFull) {
			s.cfg.Log.Warn("spooled hook dropped", "error", err)
			return nil
		}
		return err
	})
	if done.Taken > 0 {
		s.cfg.Log.Info("took hooks that had waited on disk", "hooks", done.Taken)
	}
	if done.Dropped > 0 {
		s.cfg.Log.Warn("hooks are lost here, and found only in the transcript: they were too large, or so many came while no server answered that the oldest had to go", "hooks", done.Dropped)
	}
	if err != nil && ctx.Err() == nil {
		s.cfg.Log.Error("hooks that waited on disk could not be taken; they are tried again", "error", err)
	}
}
