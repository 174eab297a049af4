package process

import (
	"os"
	"os/exec"
	"strconv"
)

// groupSignal is the signal that ends a process; Windows has only Kill.
var groupSignal = os.Kill

// tended returns the command for the program itself, without a tender, because Go cannot pass extra
// pipes to a process on Windows. The program's children therefore survive if the server is killed.
// The program starts in spec.Dir, even if that path has been replaced in the meantime.
func tended(_ string, spec Spec, _, _ *os.File) *exec.Cmd {
	cmd := exec.Command(spec.Path, spec.Args...)
	cmd.Dir = spec.Dir
	return cmd
}

func enterHeld() error { return nil }

func inheritedPipe() *os.File { return os.Stdin }

func endGroup(cmd *exec.Cmd) { endTree(cmd.Process.Pid) }

func endOwnGroup(os.Signal) { endTree(os.Getpid()) }

// endTree kills a process and all its descendants.
func endTree(pid int) { _ = exec.Command("taskkill", "/T", "/F", "/PID", strconv.Itoa(pid)).Run() }
