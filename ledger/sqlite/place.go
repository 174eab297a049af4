package sqlite

import (
	"errors"
	"fmt"
	"os"
)

// errMoved says that the path holds another file than the one that is open, or none.
var errMoved = errors.New("the data directory was removed or replaced while the office was running: what is written now would be lost. Stop the office, put the directory back or restore a backup, and start again")

// place fails when the open file is not the one at its path any more. Everything
// that was acknowledged is in the open file, which ends with the process.
func (l *Ledger) place() error {
	if l.config.Path == "" {
		return nil
	}
	info, err := os.Stat(l.config.Path)
	if err != nil {
		return fmt.Errorf("%w (%w)", errMoved, err)
	}
	if !os.SameFile(info, l.opened) {
		return fmt.Errorf("%w (%s is another file)", errMoved, l.config.Path)
	}
	return nil
}
