package main

import (
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/bullpen-office/bullpen/contracts"
)

// refusalError is a refusal as people read it, with the exit code of its reason.
func refusalError(base, what string, no contracts.Refusal) error {
	code := exitRefused
	switch no.Code {
	case contracts.CodeNotAllowed:
		code = exitDenied
	case contracts.CodeVersionUnsupported:
		code = exitVersion
	case contracts.CodeInternal:
		code = exitFailed
	}
	return &exitError{code: code, err: fmt.Errorf("%s refused %s: %s (%s)", base, what, printable(no.Message), no.Code)}
}

// noSuchDoor is how an office speaks of a path that it does not know.
const noSuchDoor = "there is nothing at this path"

// httpRefusal tells a credential that is missing or wrong, and an office that is
// too old to have the door, from every other no.
func httpRefusal(base, path string, status int, no contracts.Refusal) error {
	err := refusalError(base, path, no)
	var coded *exitError
	switch errors.As(err, &coded); {
	case status == http.StatusUnauthorized, status == http.StatusForbidden:
		coded.code = exitDenied
	case status == http.StatusNotFound && strings.HasPrefix(no.Message, noSuchDoor):
		coded.code = exitVersion
		coded.err = fmt.Errorf("the office at %s has no door %s: it is older than this program (%s); update it", base, path, currentVersion().Version)
	}
	return err
}

// hasCode reports whether an error ends the process with a code.
func hasCode(err error, code int) bool {
	var coded *exitError
	return errors.As(err, &coded) && coded.code == code
}
