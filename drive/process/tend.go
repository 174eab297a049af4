package process

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"time"
)

// enterFlag has a tender begin in the directory that the server has opened.
const enterFlag = "-C"

// tendGrace is how long a group may take to end in good order.
const tendGrace = 3 * time.Second

// Tend runs a program until it ends or the server does, and returns its exit
// code. It is what the hidden command does; args are those after the command.
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
	// The group's signal is for those that are tended. It is caught, not ignored:
	// they would inherit that.
	signal.Notify(make(chan os.Signal, 1), groupSignal)
	leash := heldLeash()
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	if err := cmd.Start(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 127
	}
	os.Stdin.Close() // the program alone reads it
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	gone := make(chan struct{})
	go func() {
		_, _ = io.Copy(io.Discard, leash)
		close(gone)
	}()
	select {
	case err := <-ended:
		endOwnGroup(groupSignal) // what it left behind
		return exitCode(err)
	case <-gone:
	}
	endOwnGroup(groupSignal)
	select {
	case <-ended:
	case <-time.After(tendGrace):
	}
	endOwnGroup(os.Kill) // what is left of it, and this process: nobody asks how it ended
	return 137
}

func exitCode(err error) int {
	var exit *exec.ExitError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &exit) && exit.ExitCode() >= 0:
		return exit.ExitCode()
	}
	return 1
}
