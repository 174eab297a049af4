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

// noteDamage logs and stores the first error that reports damage, for Damage. It returns err.
func (l *Ledger) noteDamage(err error) error {
	if errors.Is(err, ledger.ErrCorrupt) && l.damage.CompareAndSwap(nil, &err) {
		l.config.Logger.Error("the ledger is damaged", "ledger", l.name(), "error", err)
	}
	return err
}
