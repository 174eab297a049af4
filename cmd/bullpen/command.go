package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/http"
	"strings"

	office "github.com/bullpen-office/bullpen/client"
	"github.com/bullpen-office/bullpen/client/socket"
	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/server"
)

// command sends a command and returns its ack. A refusal is an error with the matching exit code.
func (c *client) command(ctx context.Context, data contracts.CommandData) (contracts.Ack, error) {
	limited, cancel := context.WithTimeout(ctx, clientTimeout)
	defer cancel()
	ack, err := c.office.Do(limited, data)
	if err != nil {
		err = c.commandFailed(ctx, err)
	}
	return ack, err
}

// commandFailed converts a command's error to an error with a readable message and an exit code.
func (c *client) commandFailed(ctx context.Context, err error) error {
	var long *office.TooLongError
	var dial *office.DialError
	var hello *office.HelloError
	var strange *office.MessageError
	var refusal *contracts.Refusal
	var closed *socket.CloseError
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.As(err, &long):
		return tooLong("the message", "bytes", long.Limit, long.Size)
	case errors.Is(err, office.ErrUnanswered):
		return fmt.Errorf("no response from %s within %s: %w; check the office before you retry", c.base, clientTimeout, err)
	case errors.As(err, &dial):
		return c.dialFailed(ctx, dial)
	case errors.As(err, &hello):
		return c.denied(refusalError(hello.Refusal))
	case errors.As(err, &refusal):
		return c.denied(refusalError(*refusal))
	case errors.As(err, &closed):
		return c.denied(socketClosed(c.base, closed))
	case errors.As(err, &strange):
		return c.notAnOffice(fmt.Sprintf("it sent %q", excerpt(strange.Text)))
	}
	return fmt.Errorf("connection to %s lost: %w", c.base, err)
}

// dialFailed returns an error that explains why the WebSocket could not be opened.
func (c *client) dialFailed(ctx context.Context, err error) error {
	var status socket.StatusError
	switch {
	case errors.Is(err, socket.ErrNotSocket), errors.As(err, &status) && status < http.StatusBadRequest:
		if err := c.get(ctx, "/healthz", new(server.Health)); hasCode(err, exitTLS) {
			return err // plain HTTP sent to a TLS port, which the failed WebSocket handshake does not reveal
		}
		return c.notAnOffice("it does not accept WebSocket connections")
	case errors.As(err, &status):
		return c.denied(socketRefused(c.base, int(status)))
	}
	return c.unreachable(err)
}

// newSuffix returns a unique suffix for an id. It starts with a letter, like the suffixes of the
// ids that the office creates (rule W4 in PROTOCOL.md).
func newSuffix() string { return "c" + strings.ToLower(rand.Text()) }
