package server

import (
	"context"
	"errors"

	"github.com/bullpen-office/bullpen/ledger"
	"github.com/bullpen-office/bullpen/ledger/door"
)

// store is a server's ledger.
type store interface {
	door.Ledger
	// Damage returns the error for the first damage that was found, or nil if there is none.
	Damage() error
	// Writable returns an error if it is known that an append would fail now.
	Writable() error
	// Scrub reads everything and returns an error for the first damaged item that it finds.
	Scrub(ctx context.Context) error
}

// scrubLedger reads the whole ledger once, because an office that starts from a checkpoint does not
// read all of it. The ledger remembers damage, and /readyz reports it.
func (s *Server) scrubLedger(ctx context.Context) error {
	if !s.ledger.Durable() {
		return nil
	}
	err := s.ledger.Scrub(ctx)
	if err != nil && ctx.Err() == nil && !errors.Is(err, ledger.ErrCorrupt) {
		s.cfg.Log.Error("ledger scrub did not finish; it will run again on the next start", "error", err)
	}
	return nil
}
