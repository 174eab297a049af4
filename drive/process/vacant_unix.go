//go:build unix

package process

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

const (
	vacantPoll = 20 * time.Millisecond
	vacantWait = time.Minute // tenders end their programs within a few seconds
)

// occupy locks an open directory. Processes that inherit the file descriptor also hold the lock, until
// the last one exits.
func occupy(dir *os.File) {
	_ = unix.Flock(int(dir.Fd()), unix.LOCK_SH|unix.LOCK_NB) // some file systems do not support locks
}

// AwaitVacant waits until no tender is working in a directory. A server that was killed leaves
// tenders behind, which need a moment to end their programs. Call AwaitVacant before this server
// starts a program in the directory.
func AwaitVacant(ctx context.Context, dir string) error {
	ctx, cancel := context.WithTimeoutCause(ctx, vacantWait, fmt.Errorf("programs that an earlier run of the office started in %s are still running: end them, and try again", dir))
	defer cancel()
	for occupied(dir) {
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(vacantPoll):
		}
	}
	return nil
}

func occupied(dir string) bool {
	fd, err := unix.Open(dir, unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return false // for example because the directory does not exist
	}
	defer func() { _ = unix.Close(fd) }()
	return errors.Is(unix.Flock(fd, unix.LOCK_EX|unix.LOCK_NB), unix.EWOULDBLOCK)
}
