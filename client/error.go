package client

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"syscall"

	"github.com/bullpen-office/bullpen/client/socket"
	"github.com/bullpen-office/bullpen/contracts"
)

var (
	// ErrUnanswered means that ctx was done before the final response to a command arrived: it is
	// unknown whether the office executed the command. The error is an *UnansweredError.
	ErrUnanswered = errors.New("the outcome of the command is unknown")
	// ErrBusy means that contracts.LimitOpenCommands commands are waiting for a response.
	ErrBusy = errors.New("too many commands are waiting for a response")
	// ErrHistory means that the office has a different ledger now, so a command was not
	// retried.
	ErrHistory = errors.New("the office has a different ledger now")
	// ErrRedacted is the reason in State.Err when Follow reloads everything because a record was
	// redacted.
	ErrRedacted = errors.New("a record was redacted")
	// ErrFollowing means that Follow is already running on this client.
	ErrFollowing = errors.New("Follow is already running")
)

// DialError means that the connection failed. It wraps the error of the WebSocket handshake or of
// the HTTP request.
type DialError struct{ Err error }

// Error returns the reason that the connection failed, for example "connection refused", without
// the address.
func (e *DialError) Error() string {
	var lookup *net.DNSError
	var system syscall.Errno
	var wait net.Error
	switch {
	case errors.As(e.Err, &lookup):
		return "cannot find the host " + lookup.Name
	case errors.As(e.Err, &system):
		return system.Error()
	case errors.As(e.Err, &wait) && wait.Timeout():
		return "timeout"
	case errors.Is(e.Err, io.EOF):
		return "connection closed without a response"
	}
	var request *url.Error
	if errors.As(e.Err, &request) {
		return request.Err.Error()
	}
	return e.Err.Error()
}

func (e *DialError) Unwrap() error { return e.Err }

// UnansweredError explains why the outcome of a command is unknown. It wraps ErrUnanswered and Err,
// but not the refusal in Last, because the command was sent again after that refusal.
type UnansweredError struct {
	Last *contracts.Refusal // the last refusal, after which the command was retried; nil if there was none
	Err  error              // why there was no response
}

func (e *UnansweredError) Error() string {
	if e.Last == nil {
		return fmt.Sprintf("%v: %v", ErrUnanswered, e.Err)
	}
	return fmt.Sprintf("%v: %v; the office's last answer was: %s", ErrUnanswered, e.Err, e.Last.Message)
}

func (e *UnansweredError) Unwrap() []error { return []error{ErrUnanswered, e.Err} }

// HelloError means that the office refused the hello. It wraps a *contracts.Refusal.
type HelloError struct {
	Refusal           contracts.Refusal
	SupportedVersions []int
}

func (e *HelloError) Error() string { return "the office refused the connection: " + e.Refusal.Error() }
func (e *HelloError) Unwrap() error { return &e.Refusal }

// MessageError means that a message is invalid.
type MessageError struct {
	Text []byte
	Err  error
}

func (e *MessageError) Error() string { return fmt.Sprintf("invalid message: %v", e.Err) }
func (e *MessageError) Unwrap() error { return e.Err }

// TooLongError means that a command does not fit in one message.
type TooLongError struct{ Size, Limit int }

func (e *TooLongError) Error() string {
	return fmt.Sprintf("command too large: %d bytes (limit %d)", e.Size, e.Limit)
}

// Final reports whether another attempt would fail the same way (W18). This is the case after a
// problem with the credential, after a version mismatch, and after the office closed the connection
// because of invalid messages from this client.
func Final(err error) bool {
	var status socket.StatusError
	var hello *HelloError
	switch {
	case errors.As(err, &status):
		return status == http.StatusUnauthorized || status == http.StatusForbidden
	case errors.As(err, &hello):
		return hello.Refusal.Code == contracts.CodeVersionUnsupported
	}
	switch socket.CodeOf(err) {
	case contracts.CloseVersion, contracts.CloseRevoked, contracts.CloseViolations:
		return true
	}
	return false
}
