//go:build unix

package sqlite_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/bullpen-office/bullpen/ledger/sqlite"
)

// Open waits for the lock if the process named in the lock file has exited, because a child may share
// the lock for a moment. If that process is still running, Open fails.
func TestLockOfAKilledProcess(t *testing.T) {
	dead := exec.Command("true")
	if err := dead.Run(); err != nil {
		t.Fatal(err)
	}
	for pid, want := range map[int]error{dead.Process.Pid: nil, os.Getppid(): sqlite.ErrInUse} {
		path := filepath.Join(t.TempDir(), "ledger.db")
		held, err := os.OpenFile(path+".lock", os.O_RDWR|os.O_CREATE, 0o600)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := held.WriteString(strconv.Itoa(pid)); err != nil {
			t.Fatal(err)
		}
		if err := unix.Flock(int(held.Fd()), unix.LOCK_EX); err != nil {
			t.Fatal(err)
		}
		if want == nil {
			time.AfterFunc(50*time.Millisecond, func() { held.Close() })
		}
		l, err := sqlite.Open(t.Context(), sqlite.Config{Path: path})
		if !errors.Is(err, want) {
			t.Errorf("process %d: %v, want %v", pid, err, want)
		}
		if err == nil {
			_ = l.Close()
		}
		held.Close()
	}
}
