package main

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/bullpen-office/bullpen/client/socket"
	"github.com/bullpen-office/bullpen/contracts"
)

// refusalCode is the exit code of a refusal's reason.
func refusalCode(code contracts.ErrorCode) int {
	switch code {
	case contracts.CodeNotAllowed:
		return exitDenied
	case contracts.CodeVersionUnsupported:
		return exitVersion
	case contracts.CodeInternal:
		return exitFailed
	}
	return exitRefused
}

// errBusy says that the same thing may be taken a moment later.
var errBusy = errors.New("try again in a moment")

// wirePath is where the fields of a command lie in its message; people know them
// by their names alone.
const wirePath = "payload.data."

// refusalError is a refusal as people read it, with the exit code of its reason.
func refusalError(base, what string, r contracts.Refusal) error {
	message := strings.ReplaceAll(printable(r.Message), wirePath, "")
	err := fmt.Errorf("%s refused %s: %s (%s)", base, what, message, r.Code)
	switch r.Code {
	case contracts.CodeRateLimited:
		err = fmt.Errorf("%w; %w", err, errBusy)
	case contracts.CodeVersionUnsupported:
		err = fmt.Errorf("%w; %s", err, updateOne())
	}
	return &exitError{code: refusalCode(r.Code), reason: r.Code, err: err}
}

func updateOne() string {
	return fmt.Sprintf("this program is %s: update it or the office, whichever is older", currentVersion().Version)
}

// tooLong says that something has more than the office takes.
func tooLong(what, unit string, most, has int) error {
	err := fmt.Errorf("%s can have at most %d %s; this has %d", what, most, unit, has)
	return &exitError{code: exitRefused, reason: contracts.CodeValidationFailed, err: err}
}

// noSuchDoor is how an office speaks of a path that it does not know.
const noSuchDoor = "there is nothing at this path"

// httpRefusal tells a credential that is missing or wrong, and an office that is
// too old to have the door, from other refusals.
func httpRefusal(base, path string, status int, r contracts.Refusal) error {
	err := refusalError(base, path, r)
	var coded *exitError
	switch errors.As(err, &coded); {
	case status == http.StatusUnauthorized, status == http.StatusForbidden:
		coded.code = exitDenied
	case status == http.StatusNotFound && strings.HasPrefix(r.Message, noSuchDoor):
		coded.code = exitVersion
		coded.err = fmt.Errorf("the office at %s has no endpoint %s: it is older than this program (%s); update it", base, path, currentVersion().Version)
	}
	return err
}

// socketRefused says why no socket was opened.
func socketRefused(base string, status int) error {
	switch status {
	case http.StatusUnauthorized, http.StatusForbidden:
		return &exitError{code: exitDenied, err: fmt.Errorf("%s rejects commands: the token is missing, wrong or not an operator's (HTTP %d); create one with `bullpen token create --role operator` and set BULLPEN_TOKEN", base, status)}
	case http.StatusTooManyRequests:
		return &exitError{code: exitRefused, reason: contracts.CodeRateLimited, err: fmt.Errorf("%s rejects commands for now: too many requests, or too many wrong tokens (HTTP %d); %w", base, status, errBusy)}
	case http.StatusNotFound:
		return &exitError{code: exitVersion, err: fmt.Errorf("%s has no socket for commands: it is not Bullpen, or older than this program (%s)", base, currentVersion().Version)}
	}
	return fmt.Errorf("%s does not open a socket for commands (HTTP %d); run `bullpen doctor`", base, status)
}

// socketClosed says why the office ended a connection.
func socketClosed(base string, closed *socket.CloseError) error {
	err := fmt.Errorf("%s closed the connection: %s (%d)", base, cmp.Or(printable(closed.Reason), "no reason given"), closed.Code)
	switch closed.Code {
	case contracts.CloseVersion:
		return &exitError{code: exitVersion, reason: contracts.CodeVersionUnsupported, err: fmt.Errorf("%w; %s", err, updateOne())}
	case contracts.CloseRevoked:
		return &exitError{code: exitDenied, reason: contracts.CodeNotAllowed, err: err}
	case contracts.CloseTooBig:
		return &exitError{code: exitRefused, reason: contracts.CodeValidationFailed, err: err}
	}
	return err
}

// final reports whether asking again would bring the same error: the office itself
// said no. Everything else may be an office that is away, or that leaves.
func final(err error) bool {
	return !errors.Is(err, errBusy) && (hasCode(err, exitDenied) || hasCode(err, exitRefused) || hasCode(err, exitVersion) || hasCode(err, exitTLS))
}

// hasCode reports whether an error ends the process with a code.
func hasCode(err error, code int) bool {
	var coded *exitError
	return errors.As(err, &coded) && coded.code == code
}
