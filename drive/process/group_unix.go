//go:build unix

package process

import (
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"time"
)

// groupSignal is the signal that asks a process group to exit.
var groupSignal os.Signal = syscall.SIGTERM

const (
	killWait = 250 * time.Millisecond
	killPoll = 2 * time.Millisecond
)

// The file descriptors that a tender inherits: the pipe to the server and, with enterFlag, the
// directory to start in.
const (
	serverPipeFile = 3
	dirFile        = 4
)

// tended returns the command that runs a program under a tender, which leads a new process group.
// The program starts in dir, or in the server's directory if dir is nil.
func tended(self string, spec Spec, serverPipe, dir *os.File) *exec.Cmd {
	args := []string{TendCommand}
	files := []*os.File{serverPipe}
	if dir != nil {
		args = append(args, enterFlag)
		files = append(files, dir)
	}
	args = append(args, "--", spec.Path)
	cmd := exec.Command(self, append(args, spec.Args...)...)
	cmd.ExtraFiles = files
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	return cmd
}

// enterHeld changes the working directory to the one that the server has opened and locked. The
// tended program does not inherit the directory's file descriptor, so the lock ends with this
// process.
func enterHeld() error {
	syscall.CloseOnExec(dirFile)
	if err := syscall.Fchdir(dirFile); err != nil {
		return fmt.Errorf("enter the workspace: %w", err)
	}
	return nil
}

// inheritedPipe returns the tender's end of the pipe to the server. The tended program does not
// inherit the pipe.
func inheritedPipe() *os.File {
	syscall.CloseOnExec(serverPipeFile)
	return os.NewFile(serverPipeFile, "server pipe")
}

// endGroup kills the remaining processes of a group and waits until they are gone. It waits for at
// most killWait, because dead processes that init has not reaped yet still count as running.
func endGroup(cmd *exec.Cmd) {
	for deadline := time.Now().Add(killWait); syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) == nil && time.Now().Before(deadline); {
		time.Sleep(killPoll)
	}
}

// endOwnGroup sends a signal to every process in this process's group.
func endOwnGroup(s os.Signal) {
	if sig, ok := s.(syscall.Signal); ok {
		_ = syscall.Kill(0, sig)
	}
}
