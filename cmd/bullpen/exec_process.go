package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os/exec"

	"github.com/bullpen-office/bullpen/contracts"
)

// process runs the command and returns its exit code. An error means that the command could not be
// started or waited for.
func (x *execution) process() (code int, err error) {
	cmd := exec.Command(x.argv[0], x.argv[1:]...)
	cmd.Env = x.environment()
	s, err := x.connect(cmd)
	if err != nil {
		return exitFailed, fmt.Errorf("set up the output of %s: %w", x.argv[0], err)
	}
	defer s.close()
	signals := catchSignals()
	if err := cmd.Start(); err != nil {
		signals.stop()
		s.end()
		return notStarted(x.argv[0], err)
	}
	s.begin(cmd.Process, func() { signals.suspend(cmd.Process, s, 0) })
	go signals.relay(cmd.Process, s)
	err = cmd.Wait()
	signals.stop() // from here on, a signal ends this process even if the reader of its output is slow
	s.drain(contracts.ExecDrain)
	s.end()
	if failed := new(exec.ExitError); err != nil && !errors.As(err, &failed) {
		return exitFailed, fmt.Errorf("wait for %s: %w", x.argv[0], err)
	}
	return exitCode(cmd.ProcessState), nil
}

// notStarted returns the error for a command that could not be started, with the exit code that
// shells use.
func notStarted(name string, err error) (int, error) {
	code := exitNotExecutable
	if errors.Is(err, exec.ErrNotFound) || errors.Is(err, fs.ErrNotExist) {
		code = exitNotFound
	}
	if inner := errors.Unwrap(err); inner != nil {
		err = inner
	}
	return code, fmt.Errorf("cannot run %s: %w", printable(name), err)
}
