package process

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
	"time"
)

// enterFlag tells a tender to start in the directory that the server has opened.
const enterFlag = "-C"

// tendGrace is how long a group may take to exit on its own.
const tendGrace = 3 * time.Second

// Tend runs a program. When the program or the server exits, Tend ends the program's process group
// and returns the program's exit code. It implements TendCommand; args are the arguments that
// follow TendCommand on the command line.
func Tend(args []string) int {
	if len(args) > 0 && args[0] == enterFlag {
		if err := enterHeld(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 126
		}
		args = args[1:]
	}
	if len(args) > 0 && args[0] == "--" {
		args = args[1:]
	}
	if len(args) == 0 {
		fmt.Fprintln(os.Stderr, "no program to supervise")
		return 2
	}
	// Catch the group's signal instead of ignoring it: children would inherit an ignored signal.
	signal.Notify(make(chan os.Signal, 1), groupSignal)
	serverPipe := inheritedPipe()
	reap, endAdopted := adopt()
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	if err := cmd.Start(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 127
	}
	os.Stdin.Close() // only the program reads standard input
	go reap(cmd.Process.Pid)
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	gone := make(chan struct{})
	go func() {
		_, _ = io.Copy(io.Discard, serverPipe)
		close(gone)
	}()
	select {
	case err := <-ended:
		endOwnGroup(groupSignal) // children that the program left behind
		endAdopted()
		return exitCode(err)
	case <-gone:
	}
	endOwnGroup(groupSignal)
	select {
	case <-ended:
	case <-time.After(tendGrace):
		_ = cmd.Process.Kill()
		<-ended
	}
	endAdopted()
	endOwnGroup(os.Kill) // the whole group, including this process, whose exit code no longer matters
	return 137
}

func exitCode(err error) int {
	var exit *exec.ExitError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &exit) && exit.ExitCode() >= 0:
		return exit.ExitCode()
	case exit != nil:
		if status, ok := exit.Sys().(syscall.WaitStatus); ok && status.Signaled() {
			return 128 + int(status.Signal()) // as a shell does
		}
	}
	return 1
}
