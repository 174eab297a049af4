package sqlite

import (
	"errors"

	"github.com/bullpen-office/bullpen/ledger"
)

// Damage returns the error for the first damage that any read found, or nil. The error is kept
// until the process ends.
func (l *Ledger) Damage() error {
	if err := l.damage.Load(); err != nil {
		return *err
	}
	return nil
}

// notice returns err unchanged. If err means damage, Damage returns it from now on.
func (l *Ledger) notice(err error) error {
	if errors.Is(err, ledger.ErrCorrupt) && l.damage.CompareAndSwap(nil, &err) {
		l.config.Logger.Error("the ledger is damaged", "ledger", l.name(), "error", err)
	}
	return err
}
