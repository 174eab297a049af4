package sqlite

import "errors"

// Writable returns an error if an append would fail because there is too little space or the file
// was moved. It appends nothing.
func (l *Ledger) Writable() error {
	if err := l.beginRead(); err != nil {
		return err
	}
	defer l.using.RUnlock()
	return errors.Join(l.checkPath(), l.checkSpace())
}
