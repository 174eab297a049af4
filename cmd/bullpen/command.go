package main

import (
	"context"
	"crypto/rand"
	"errors"
	"strings"

	"github.com/bullpen-office/bullpen/contracts"
)

// command has the office carry something out, and returns its one answer. A
// refusal is an error with the exit code of its reason.
func (c *client) command(ctx context.Context, data contracts.CommandData) (contracts.Ack, error) {
	d, err := c.sit(ctx)
	if err != nil {
		return contracts.Ack{}, err
	}
	defer d.leave()
	ack, err := d.command(data)
	var no *contracts.Refusal
	if errors.As(err, &no) {
		err = refusalError(c.base, string(data.CommandName()), *no)
	}
	return ack, err
}

// newSuffix ends an id that nobody else has; ids have a letter first (W4).
func newSuffix() string { return "c" + strings.ToLower(rand.Text()) }
