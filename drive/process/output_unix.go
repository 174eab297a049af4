//go:build unix

package process

import (
	"os"
	"syscall"
	"time"
)

// readNow reads what is there of a file whose deadline has passed, and waits for
// nothing; 0 means that nothing is.
func readNow(f *os.File, p []byte) (n int) {
	raw, err := f.SyscallConn()
	if err != nil || len(p) == 0 {
		return 0
	}
	_ = f.SetReadDeadline(time.Time{})
	defer func() { _ = f.SetReadDeadline(time.Unix(1, 0)) }()
	_ = raw.Read(func(fd uintptr) bool {
		n, _ = syscall.Read(int(fd), p)
		return true
	})
	return max(n, 0)
}
