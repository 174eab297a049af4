//go:build unix

package sqlite

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// fileLock keeps a second process from opening the ledger. The kernel releases the lock when the
// process exits, so a crash leaves no stale lock.
type fileLock struct{ file *os.File }

func lockFile(path string) (*fileLock, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		holder, _ := os.ReadFile(path)
		f.Close()
		if errors.Is(err, unix.EWOULDBLOCK) {
			return nil, fmt.Errorf("process %s is using the ledger: %w", strings.TrimSpace(string(holder)), ErrInUse)
		}
		return nil, fmt.Errorf("lock %s: %w", path, err)
	}
	if err := f.Truncate(0); err != nil {
		f.Close()
		return nil, err
	}
	if _, err := f.WriteAt(strconv.AppendInt(nil, int64(os.Getpid()), 10), 0); err != nil {
		f.Close()
		return nil, err
	}
	return &fileLock{f}, nil
}

// release unlocks the lock file but does not remove it: otherwise a third process could lock a new
// file while a second one holds the old file.
func (l *fileLock) release() error { return l.file.Close() }
