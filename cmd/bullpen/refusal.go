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

// errBusy marks the refusal of a request that may be retried.
var errBusy = errors.New("retry in a moment")

// wirePath precedes the names of a command's fields in refusals; it is not shown to people.
const wirePath = "payload.data."

// refusalError converts a refusal to an error with a readable message and an exit code. The refusal's
// code is shown only in JSON.
func refusalError(r contracts.Refusal) error {
	message := strings.ReplaceAll(printable(r.Message), wirePath, "")
	err := fmt.Errorf("the office refused: %s", message)
	switch r.Code {
	case contracts.CodeRateLimited:
		err = fmt.Errorf("%w; %w", err, errBusy)
	case contracts.CodeVersionUnsupported:
		err = fmt.Errorf("%w; %s", err, updateHint())
	}
	return &exitError{code: refusalCode(r.Code), reason: r.Code, err: err}
}

func updateHint() string {
	return fmt.Sprintf("this program is version %s; update it or the office, whichever is older", currentVersion().Version)
}

// tooLong returns the error for input that exceeds a limit.
func tooLong(what, unit string, most, has int) error {
	err := fmt.Errorf("%s is too long: %d %s (limit %d)", what, has, unit, most)
	return &exitError{code: exitRefused, reason: contracts.CodeValidationFailed, err: err}
}

// httpRefusal returns the error for a refused request. It sets the exit code for a missing or wrong
// token, and for an office that is too old to have the endpoint.
func httpRefusal(base, path string, status int, r contracts.Refusal) error {
	err := refusalError(r)
	var coded *exitError
	switch errors.As(err, &coded); {
	case status == http.StatusUnauthorized, status == http.StatusForbidden:
		coded.code = exitDenied
	case status == http.StatusNotFound && r.Field == contracts.FieldPath:
		coded.code = exitVersion
		coded.err = fmt.Errorf("the office at %s has no endpoint %s: it is older than this program (%s); update the office", base, path, currentVersion().Version)
	}
	return err
}

// socketRefused returns an error that explains the HTTP status of a failed WebSocket handshake.
func socketRefused(base string, status int) error {
	switch status {
	case http.StatusUnauthorized:
		return &exitError{code: exitDenied, err: fmt.Errorf("%s rejects commands: the token is missing or wrong; create one with `bullpen token create --role operator` and set BULLPEN_TOKEN", base)}
	case http.StatusForbidden:
		return &exitError{code: exitDenied, err: fmt.Errorf("%s rejects commands: this needs an operator token; create one with `bullpen token create --role operator` and set BULLPEN_TOKEN", base)}
	case http.StatusTooManyRequests:
		return &exitError{code: exitRefused, reason: contracts.CodeRateLimited, err: fmt.Errorf("%s rejects commands for now: too many requests, or too many wrong tokens (HTTP %d); %w", base, status, errBusy)}
	case http.StatusNotFound:
		return &exitError{code: exitVersion, err: fmt.Errorf("%s does not accept WebSocket connections: it is not Bullpen, or it is older than this program (%s)", base, currentVersion().Version)}
	}
	return fmt.Errorf("%s did not accept a WebSocket connection (HTTP %d); run `bullpen doctor`", base, status)
}

func socketClosed(base string, closed *socket.CloseError) error {
	err := fmt.Errorf("%s closed the connection: %s (%d)", base, cmp.Or(printable(closed.Reason), "no reason given"), closed.Code)
	switch closed.Code {
	case contracts.CloseVersion:
		return &exitError{code: exitVersion, reason: contracts.CodeVersionUnsupported, err: fmt.Errorf("%w; %s", err, updateHint())}
	case contracts.CloseRevoked:
		return &exitError{code: exitDenied, reason: contracts.CodeNotAllowed, err: err}
	case contracts.CloseTooBig:
		return &exitError{code: exitRefused, reason: contracts.CodeValidationFailed, err: err}
	}
	return err
}

// final reports whether a retry would fail in the same way, because the office refused the request
// or the connection cannot be secured. Any other error may mean that the office is busy, down or
// restarting.
func final(err error) bool {
	return !errors.Is(err, errBusy) && (hasCode(err, exitDenied) || hasCode(err, exitRefused) || hasCode(err, exitVersion) || hasCode(err, exitTLS))
}

func hasCode(err error, code int) bool {
	var coded *exitError
	return errors.As(err, &coded) && coded.code == code
}
