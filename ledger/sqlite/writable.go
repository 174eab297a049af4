package sqlite

import "errors"

// Writable returns the error with which an append would fail because of too little space or a moved
// file; nil if it would not. It appends nothing.
func (l *Ledger) Writable() error {
	if err := l.use(); err != nil {
		return err
	}
	defer l.using.RUnlock()
	return errors.Join(l.checkPath(), l.checkSpace())
}
