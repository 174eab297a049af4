package main

import "fmt"

// Exit codes that scripts may rely on.
const (
	exitOK         = 0   // done
	exitFailed     = 1   // it did not work; the message says what to do
	exitUsage      = 2   // wrong flags or configuration; nothing was started
	exitNotRunning = 3   // no server answers
	exitProblems   = 4   // a check found problems
	exitForced     = 130 // a second signal ended the server at once
)

// exitError is an error with the code that the process ends with. An empty err
// means that everything has been said already.
type exitError struct {
	code int
	err  error
}

func (e *exitError) Error() string {
	if e.err == nil {
		return ""
	}
	return e.err.Error()
}

func (e *exitError) Unwrap() error { return e.err }

func usageError(format string, args ...any) error {
	return &exitError{code: exitUsage, err: fmt.Errorf(format, args...)}
}
