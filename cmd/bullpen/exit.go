package main

import (
	"fmt"
	"strings"

	"github.com/bullpen-office/bullpen/contracts"
)

// Exit codes that scripts may rely on; exitCodes says them to people.
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
	exitSignal        = 128 // plus the number of the signal
	exitForced        = 130
	exitPipe          = 141
)

// exitCodes is the table of `bullpen help exit-codes` and of the man page.
var exitCodes = []struct {
	code  int
	means string
}{
	{exitOK, "done"},
	{exitFailed, "failed; the message says what to do"},
	{exitUsage, "wrong flags, arguments or configuration; nothing was done"},
	{exitNotRunning, "no office answers"},
	{exitProblems, "a check found problems, or the office is not ready"},
	{exitRefused, "the office refused it: not found, the world moved on, or not valid"},
	{exitDenied, "not allowed: the credential is missing, wrong or may not do this"},
	{exitTimeout, "the time given with --timeout or --wait is over; what was asked stays open unless the message says otherwise"},
	{exitCancelled, "the question was withdrawn or expired: nobody will answer it"},
	{exitVersion, "the office and this program are of versions that do not understand each other"},
	{exitTLS, "no secure connection: the certificate of the office is not trusted, or one side does not speak TLS"},
	{exitNotExecutable, "bullpen exec: the command cannot be run"},
	{exitNotFound, "bullpen exec: there is no such command"},
	{exitForced, "interrupted by Ctrl-C"},
	{exitPipe, "output pipe closed"},
}

// exitHelp is the table in lines.
func exitHelp() string {
	var b strings.Builder
	b.WriteString("Scripts may rely on these exit codes:\n\n")
	for _, c := range exitCodes {
		fmt.Fprintf(&b, "  %3d  %s\n", c.code, c.means)
	}
	b.WriteString("\nbullpen exec ends with the exit code of its command, or with 128 and the number\nof the signal that ended it. bullpen hook ends with 0 whatever happens.")
	return b.String()
}

// exitError is an error with the code that the process ends with. An empty err
// means that everything has been said already.
type exitError struct {
	code   int
	reason contracts.ErrorCode // of the office, where it refused
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
