//go:build unix

package process

import (
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"time"
)

// groupSignal asks a group to exit.
var groupSignal os.Signal = syscall.SIGTERM

const (
	killWait = 250 * time.Millisecond
	killPoll = 2 * time.Millisecond
)

// The file descriptors that a tender inherits: the pipe to the server, and with enterFlag the
// directory to start in.
const (
	leashFile = 3
	dirFile   = 4
)

// tended returns the command that runs a program under a tender, which leads a new process group.
// It starts in dir if that is open, else in the directory of its spec.
func tended(self string, spec Spec, leash, dir *os.File) *exec.Cmd {
	args := []string{TendCommand, "--", spec.Path}
	files := []*os.File{leash}
	if dir != nil {
		args = []string{TendCommand, enterFlag, "--", spec.Path}
		files = append(files, dir)
		spec.Dir = ""
	}
	cmd := exec.Command(self, append(args, spec.Args...)...)
	cmd.Dir, cmd.ExtraFiles = spec.Dir, files
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	return cmd
}

// enterHeld changes to the directory that the server has opened.
func enterHeld() error {
	if err := syscall.Fchdir(dirFile); err != nil {
		return fmt.Errorf("enter the workspace: %w", err)
	}
	return syscall.Close(dirFile)
}

// heldLeash returns the tender's end of the pipe; the tended program does not inherit it.
func heldLeash() *os.File {
	syscall.CloseOnExec(leashFile)
	return os.NewFile(leashFile, "leash")
}

// endGroup kills the rest of a group and waits until it is gone, at most killWait: processes that
// init has not reaped yet still count as members.
func endGroup(cmd *exec.Cmd) {
	for deadline := time.Now().Add(killWait); syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) == nil && time.Now().Before(deadline); {
		time.Sleep(killPoll)
	}
}

// endOwnGroup sends a signal to everything in this process's group.
func endOwnGroup(s os.Signal) {
	if sig, ok := s.(syscall.Signal); ok {
		_ = syscall.Kill(0, sig)
	}
}
