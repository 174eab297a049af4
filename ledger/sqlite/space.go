package sqlite

import (
	"fmt"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/ledger"
)

// checkSpace refuses to grow the file when the volume is nearly full: what is
// left must do for the log to be folded, for retention, and for the rest of the
// machine. When the volume cannot tell, it lets pass; SQLite then reports a full
// disk itself.
func (l *Ledger) checkSpace() error {
	if l.config.Path == "" || l.config.MinFree < 0 {
		return nil
	}
	free, total, err := l.config.FreeSpace(l.config.Path)
	if err != nil || free < 0 {
		return nil
	}
	least := l.config.MinFree
	if least == 0 {
		least = contracts.LimitFreeBytes
		if total > 0 {
			least = min(least, total/100*contracts.LimitFreePercent)
		}
	}
	if free >= least {
		return nil
	}
	return fmt.Errorf("%w: the volume of %s has %d bytes left and the ledger stops at %d: free some space, appends then work again", ledger.ErrFull, l.config.Path, free, least)
}
