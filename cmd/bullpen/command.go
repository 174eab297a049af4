package main

import (
	"context"
	"crypto/rand"
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
	return d.command(data)
}

// newSuffix ends an id that nobody else has; ids have a letter first (W4).
func newSuffix() string { return "c" + strings.ToLower(rand.Text()) }
