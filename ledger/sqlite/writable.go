package sqlite

import "errors"

// Writable says whether an append would be refused for want of space, before
// anybody tries.
func (l *Ledger) Writable() error {
	if err := l.use(); err != nil {
		return err
	}
	defer l.using.RUnlock()
	return errors.Join(l.checkPath(), l.checkSpace())
}
