package server

import (
	"context"
	"errors"

	"github.com/bullpen-office/bullpen/ledger"
)

// audit reads the whole ledger once, because an office that starts from a checkpoint does not read
// all of it. The ledger remembers damage, and /readyz reports it.
func (s *Server) audit(ctx context.Context) error {
	if !s.ledger.Durable() {
		return nil
	}
	err := s.ledger.Audit(ctx)
	if err != nil && ctx.Err() == nil && !errors.Is(err, ledger.ErrCorrupt) {
		s.cfg.Log.Error("ledger audit did not finish; it runs again on the next start", "error", err)
	}
	return nil
}
