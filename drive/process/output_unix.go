//go:build unix

package process

import (
	"os"
	"syscall"
	"time"
)

// readNow reads the available bytes of a file whose deadline has passed, without waiting. It returns
// 0 if there are none.
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
