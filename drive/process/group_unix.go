//go:build unix

package process

import (
	"os"
	"os/exec"
	"syscall"
)

// groupSignal asks a group to end.
var groupSignal os.Signal = syscall.SIGTERM

// leashFile is the file descriptor of the pipe to the server.
const leashFile = 3

// tended is a program under a tender that leads a new process group.
func tended(self string, spec Spec, leash *os.File) *exec.Cmd {
	cmd := exec.Command(self, append([]string{TendCommand, "--", spec.Path}, spec.Args...)...)
	cmd.ExtraFiles = []*os.File{leash}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	return cmd
}

// heldLeash is the tender's end of the pipe; those that it tends do not get it.
func heldLeash() *os.File {
	syscall.CloseOnExec(leashFile)
	return os.NewFile(leashFile, "leash")
}

// endGroup kills a group that does not end by itself.
func endGroup(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }

// endOwnGroup sends a signal to everything in this process's group.
func endOwnGroup(s os.Signal) {
	if sig, ok := s.(syscall.Signal); ok {
		_ = syscall.Kill(0, sig)
	}
}
