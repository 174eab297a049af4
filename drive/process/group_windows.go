package process

import (
	"os"
	"os/exec"
	"strconv"
)

// groupSignal asks a group to exit; Windows can only kill.
var groupSignal = os.Kill

// tended returns the program itself: a Windows process inherits no pipe, so its children survive if
// the server is killed. Its directory is entered by name.
func tended(_ string, spec Spec, _, _ *os.File) *exec.Cmd {
	cmd := exec.Command(spec.Path, spec.Args...)
	cmd.Dir = spec.Dir
	return cmd
}

func enterHeld() error { return nil }

func heldLeash() *os.File { return os.Stdin }

func endGroup(cmd *exec.Cmd) { endTree(cmd.Process.Pid) }

func endOwnGroup(os.Signal) { endTree(os.Getpid()) }

// endTree kills a process and everything that it started.
func endTree(pid int) { _ = exec.Command("taskkill", "/T", "/F", "/PID", strconv.Itoa(pid)).Run() }
