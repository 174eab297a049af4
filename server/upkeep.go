package server

import (
	"context"
	"errors"
	"time"

	"github.com/bullpen-office/bullpen/ledger"
)

// upkeep removes what retention names, now and then. The office looks after its
// checkpoints itself. A failure is logged and tried again: old records in the
// way are no reason to stop.
func (s *Server) upkeep(ctx context.Context) error {
	tick := time.NewTicker(s.cfg.Upkeep)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
		rules := s.cfg.retention()
		if !s.clock.trusts(s.cfg.Now(), time.Now()) {
			s.cfg.Log.Warn(retentionPaused)
			for i := range rules {
				rules[i].MaxAge = 0 // what counts records needs no clock
			}
		}
		removed, err := s.ledger.Retain(ctx, s.cfg.Now(), rules)
		if err != nil && ctx.Err() == nil {
			s.cfg.Log.Error("retention failed; it is tried again later", "error", err)
		} else if removed > 0 {
			s.cfg.Log.Info("old activity removed", "records", removed)
		}
	}
}

// audit reads the ledger once, gently, because an office that started from its
// checkpoint has not read it. The ledger remembers damage, and /readyz tells it.
func (s *Server) audit(ctx context.Context) error {
	if !s.ledger.Durable() {
		return nil
	}
	err := s.ledger.Audit(ctx)
	if err != nil && ctx.Err() == nil && !errors.Is(err, ledger.ErrCorrupt) {
		s.cfg.Log.Error("the ledger was not read to its end; the next start tries again", "error", err)
	}
	return nil
}
