package session

import (
	"time"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/drive"
	"github.com/bullpen-office/bullpen/drive/process"
)

// goneError means that a program exited or stopped answering. It wraps drive.ErrGone.
type goneError struct {
	name, reason string
	exit         error // the process's exit error; nil if unknown
}

func (e *goneError) Error() string   { return e.name + " ended: " + e.reason }
func (e *goneError) Unwrap() []error { return []error{drive.ErrGone, e.exit} }

// Gone returns a drive.ErrGone that says why the program with this name can no longer be used.
func Gone(name, reason string) error { return &goneError{name: name, reason: reason} }

// AwaitExit waits for a process to exit after its output has ended, and returns a drive.ErrGone
// with the exit status, or with why as the reason if the process does not exit within
// contracts.ProcessGrace.
func AwaitExit(p *process.Process, name, why string) error {
	select {
	case <-p.Done():
	case <-time.After(contracts.ProcessGrace):
		return Gone(name, why)
	}
	if err := p.Err(); err != nil {
		return &goneError{name, err.Error(), err}
	}
	return Gone(name, "exit status 0 without an answer")
}
