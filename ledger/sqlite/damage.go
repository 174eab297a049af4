package sqlite

import (
	"errors"

	"github.com/bullpen-office/bullpen/ledger"
)

// Damage is the first damage that any read met, nil while none did. It stays
// until the process ends: a file does not heal.
func (l *Ledger) Damage() error {
	if err := l.damage.Load(); err != nil {
		return *err
	}
	return nil
}

// notice passes a read's error on, and remembers it when it means damage.
func (l *Ledger) notice(err error) error {
	if errors.Is(err, ledger.ErrCorrupt) && l.damage.CompareAndSwap(nil, &err) {
		l.config.Logger.Error("the ledger is damaged", "ledger", l.name(), "error", err)
	}
	return err
}
