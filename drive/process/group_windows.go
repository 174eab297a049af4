package process

import (
	"os"
	"os/exec"
	"strconv"
)

// groupSignal asks a group to end; Windows knows only the hard way.
var groupSignal = os.Kill

// tended is the program itself: Windows hands no pipe down, so what it leaves
// behind when the server is killed stays. Its directory is entered by name.
func tended(_ string, spec Spec, _, _ *os.File) *exec.Cmd {
	cmd := exec.Command(spec.Path, spec.Args...)
	cmd.Dir = spec.Dir
	return cmd
}

func enterHeld() error { return nil }

func heldLeash() *os.File { return os.Stdin }

func endGroup(cmd *exec.Cmd) { endTree(cmd.Process.Pid) }

func endOwnGroup(os.Signal) { endTree(os.Getpid()) }

// endTree ends a process and everything that it started.
func endTree(pid int) { _ = exec.Command("taskkill", "/T", "/F", "/PID", strconv.Itoa(pid)).Run() }
