package sqlite

import (
	"fmt"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/ledger"
)

// checkSpace returns an error when the volume is nearly full: the remaining space is needed for
// checkpointing the log, for retention and for the rest of the machine. If the free space is
// unknown, it returns nil; SQLite then reports a full disk itself.
func (l *Ledger) checkSpace() error {
	if free, least, ok := l.space(l.config.Path, 0); !ok {
		return fmt.Errorf("%w: the volume that holds %s has %d bytes left, and the ledger stops writing below %d; writing resumes once space has been freed", ledger.ErrFull, l.config.Path, free, least)
	}
	return nil
}

// checkCopySpace returns an error if a copy of the ledger would leave too little space for appends.
func (l *Ledger) checkCopySpace(path string) error {
	size := l.fileBytes()
	if free, least, ok := l.space(path, size); !ok {
		return fmt.Errorf("%w: the volume that holds %s has %d bytes left, but the copy needs %d and another %d must remain free; delete something and try again", ledger.ErrFull, path, free, size, least)
	}
	return nil
}

// space returns the free bytes on path's volume and the minimum that must stay free; ok reports
// whether the given number of bytes can be added.
func (l *Ledger) space(path string, bytes int64) (free, least int64, ok bool) {
	if l.config.Path == "" || l.config.MinFree < 0 {
		return 0, 0, true
	}
	free, total, err := l.config.FreeSpace(path)
	if err != nil || free < 0 {
		return 0, 0, true
	}
	least = l.config.MinFree
	if least == 0 {
		least = contracts.LimitFreeBytes
		if total > 0 {
			least = min(least, total/100*contracts.LimitFreePercent)
		}
	}
	return free, least, free-bytes >= least
}
