package sqlite

import (
	"errors"

	"github.com/bullpen-office/bullpen/ledger"
)

// Damage returns the error for the first damage that any read found, or nil. Later damage does not
// replace the error.
func (l *Ledger) Damage() error {
	if err := l.damage.Load(); err != nil {
		return *err
	}
	return nil
}

// noteDamage returns err. If err is the first error that reports damage, noteDamage logs it, and
// stores it for Damage.
func (l *Ledger) noteDamage(err error) error {
	if errors.Is(err, ledger.ErrCorrupt) && l.damage.CompareAndSwap(nil, &err) {
		l.config.Logger.Error("the ledger is damaged", "ledger", l.name(), "error", err)
	}
	return err
}
