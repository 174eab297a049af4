//go:build unix

package sqlite

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

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
	if err := acquire(f); err != nil {
		f.Close()
		return nil, err
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

const (
	lockWait = 10 * time.Second
	lockPoll = 5 * time.Millisecond
)

// acquire locks f. A process that is killed while it is starting a program shares its lock with the
// child for a moment, so acquire waits if the process named in the file has exited.
func acquire(f *os.File) error {
	for deadline := time.Now().Add(lockWait); ; time.Sleep(lockPoll) {
		err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		switch {
		case err == nil:
			return nil
		case !errors.Is(err, unix.EWOULDBLOCK):
			return fmt.Errorf("lock %s: %w", f.Name(), err)
		}
		content, _ := os.ReadFile(f.Name())
		holder := strings.TrimSpace(string(content))
		pid, _ := strconv.Atoi(holder)
		if pid <= 0 || !errors.Is(unix.Kill(pid, 0), unix.ESRCH) || time.Now().After(deadline) {
			return fmt.Errorf("process %s is using the ledger: %w", holder, ErrInUse)
		}
	}
}

// release unlocks the lock file but does not remove it: otherwise a third process could lock a new
// file while a second one holds the old file.
func (l *fileLock) release() error { return l.file.Close() }
