package sqlite

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/windows"
)

// fileLock keeps a second process from opening the ledger. The system releases the lock when the
// process exits, so a crash leaves no stale lock.
type fileLock struct{ file *os.File }

func lockFile(path string) (*fileLock, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	const flags = windows.LOCKFILE_EXCLUSIVE_LOCK | windows.LOCKFILE_FAIL_IMMEDIATELY
	if err := windows.LockFileEx(windows.Handle(f.Fd()), flags, 0, 1, 0, new(windows.Overlapped)); err != nil {
		f.Close()
		if errors.Is(err, windows.ERROR_LOCK_VIOLATION) {
			return nil, fmt.Errorf("another process is using the ledger: %w", ErrInUse)
		}
		return nil, fmt.Errorf("lock %s: %w", path, err)
	}
	return &fileLock{f}, nil
}

func (l *fileLock) release() error { return l.file.Close() }
