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

// command has the office carry something out, and returns its one answer. A
// refusal is an error with the exit code of its reason.
func (c *client) command(ctx context.Context, data contracts.CommandData) (contracts.Ack, error) {
	limited, cancel := context.WithTimeout(ctx, clientTimeout)
	defer cancel()
	ack, err := c.office.Do(limited, data)
	if err != nil {
		err = c.commandFailed(ctx, string(data.CommandName()), err)
	}
	return ack, err
}

// commandFailed is the error of a command as people read it, with its exit code.
func (c *client) commandFailed(ctx context.Context, what string, err error) error {
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
		return tooLong("one message", "bytes", long.Limit, long.Size)
	case errors.Is(err, office.ErrUnanswered):
		return fmt.Errorf("no answer to %s from %s within %s: %w; check the office before you try again", what, c.base, clientTimeout, err)
	case errors.As(err, &dial):
		return c.dialFailed(ctx, dial.Err)
	case errors.As(err, &hello):
		return c.denied(refusalError(c.base, "hello", hello.Refusal))
	case errors.As(err, &refusal):
		return c.denied(refusalError(c.base, what, *refusal))
	case errors.As(err, &closed):
		return c.denied(socketClosed(c.base, closed))
	case errors.As(err, &strange):
		return c.stranger(fmt.Sprintf("it said %q", excerpt(strange.Text)))
	}
	return fmt.Errorf("the connection to %s broke: %w", c.base, err)
}

// dialFailed says why there is no socket.
func (c *client) dialFailed(ctx context.Context, err error) error {
	var status socket.StatusError
	switch {
	case errors.Is(err, socket.ErrNotSocket), errors.As(err, &status) && status < http.StatusBadRequest:
		if err := c.get(ctx, "/healthz", new(server.Health)); hasCode(err, exitTLS) {
			return err // plain HTTP to a TLS port: the handshake does not show what the answer said
		}
		return c.stranger("it has no socket for commands")
	case errors.As(err, &status):
		return c.denied(socketRefused(c.base, int(status)))
	}
	return c.unreachable(err)
}

// newSuffix ends an id that nobody else has; ids have a letter first (W4).
func newSuffix() string { return "c" + strings.ToLower(rand.Text()) }
