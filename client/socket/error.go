package socket

import (
	"errors"
	"fmt"
	"net"

	"github.com/bullpen-office/bullpen/contracts"
)

// ErrNotSocket means that the response was not a WebSocket handshake.
var ErrNotSocket = errors.New("not a WebSocket server")

// ErrProtocol means that the other side violated the WebSocket protocol.
var ErrProtocol = errors.New("invalid WebSocket frame")

// StatusError is the HTTP status of a refused handshake.
type StatusError int

func (e StatusError) Error() string {
	return fmt.Sprintf("WebSocket handshake failed: HTTP status %d", int(e))
}

// CloseError is the close frame that ended a connection.
type CloseError struct {
	Code   contracts.CloseCode
	Reason string // exactly as the other side sent it; clean it before you show it
}

func (e *CloseError) Error() string {
	if e.Reason == "" {
		return fmt.Sprintf("connection closed (%d)", e.Code)
	}
	return fmt.Sprintf("connection closed (%d: %s)", e.Code, contracts.CleanLine(e.Reason))
}

// TooLargeError means that a message exceeds the limit. The message was read and discarded.
type TooLargeError struct{ Size, Limit int64 }

func (e *TooLargeError) Error() string {
	return fmt.Sprintf("message too large: %d bytes (limit %d)", e.Size, e.Limit)
}

// CloseAbnormal is the code of a connection that ended without a close frame.
const CloseAbnormal contracts.CloseCode = 1006

// CodeOf returns the close code for an error that Read returned: the code of the close frame,
// contracts.CloseHeartbeat after a timeout, and CloseAbnormal otherwise.
func CodeOf(err error) contracts.CloseCode {
	var closed *CloseError
	if errors.As(err, &closed) {
		return closed.Code
	}
	var silent net.Error
	if errors.As(err, &silent) && silent.Timeout() {
		return contracts.CloseHeartbeat
	}
	return CloseAbnormal
}
