package main

import (
	"fmt"
	"strings"

	"github.com/bullpen-office/bullpen/contracts"
)

// Exit codes that scripts may rely on; exitCodes describes them.
const (
	exitOK         = 0
	exitFailed     = 1
	exitUsage      = 2
	exitNotRunning = 3
	exitProblems   = 4
	exitRefused    = 5
	exitDenied     = 6
	exitTimeout    = 7
	exitCancelled  = 8
	exitVersion    = 9
	exitTLS        = 10

	exitNotExecutable = 126
	exitNotFound      = 127
	exitSignal        = 128 // plus the signal number
	exitForced        = 130
	exitPipe          = 141
)

// exitCodes is the table in `bullpen help exit-codes` and in the man page.
var exitCodes = []struct {
	code  int
	means string
}{
	{exitOK, "success"},
	{exitFailed, "failed; see the message"},
	{exitUsage, "invalid flags, arguments or configuration; nothing was done"},
	{exitNotRunning, "no office is running, or it does not respond"},
	{exitProblems, "a check found problems, or the office is not ready"},
	{exitRefused, "the office refused the command: not found, in conflict with the current state, or invalid"},
	{exitDenied, "not allowed: the token is missing or wrong, its role may not do this, or no role may do it"},
	{exitTimeout, "timeout (--timeout or --wait); the request stays open unless the message says otherwise"},
	{exitCancelled, "the question was withdrawn or has expired"},
	{exitVersion, "the office and this program have incompatible versions"},
	{exitTLS, "no secure connection: the certificate is not trusted, or one side does not use TLS"},
	{exitNotExecutable, "bullpen exec: the command cannot be run"},
	{exitNotFound, "bullpen exec: command not found"},
	{exitForced, "interrupted by Ctrl-C"},
	{exitPipe, "output pipe closed"},
}

func exitHelp() string {
	var b strings.Builder
	b.WriteString("Scripts may rely on these exit codes:\n\n")
	for _, c := range exitCodes {
		fmt.Fprintf(&b, "  %3d  %s\n", c.code, c.means)
	}
	b.WriteString("\nbullpen exec exits with its command's exit code, or with 128 plus the number of\nthe signal that ended it. bullpen hook always exits with 0.")
	return b.String()
}

// exitError is an error with an exit code. A nil err prints nothing.
type exitError struct {
	code   int
	reason contracts.ErrorCode // error code of the office's refusal, if any
	err    error
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
