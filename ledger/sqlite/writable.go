package sqlite

import "errors"

// Writable returns the error that an append would fail with for lack of space or a moved file,
// without appending; nil if there is none.
func (l *Ledger) Writable() error {
	if err := l.use(); err != nil {
		return err
	}
	defer l.using.RUnlock()
	return errors.Join(l.checkPath(), l.checkSpace())
}
