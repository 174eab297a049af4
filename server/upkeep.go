package server

import (
	"context"
	"time"
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
		removed, err := s.ledger.Retain(ctx, s.cfg.Now(), s.cfg.retention())
		if err != nil && ctx.Err() == nil {
			s.cfg.Log.Error("retention failed; it is tried again later", "error", err)
		} else if removed > 0 {
			s.cfg.Log.Info("old activity removed", "records", removed)
		}
	}
}
