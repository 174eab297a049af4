package openclaw

import (
	"context"
	"errors"

	"github.com/bullpen-office/bullpen/agents"
	"github.com/bullpen-office/bullpen/staff"
)

// check reports where a runner's gateway token comes from, or why it cannot be read.
func check(_ context.Context, c agents.CheckConfig) []agents.Finding {
	_, source, err := c.Runner.Token(c.Getenv, c.ReadFile)
	switch {
	case errors.Is(err, staff.ErrNoKey):
		return []agents.Finding{agents.OK("runner", "%s: openclaw, with the token stored for this device", c.Name)}
	case err != nil:
		return []agents.Finding{agents.Problem("runner", "fix the token, then run `bullpen doctor` again", "%s: %v", c.Name, err)}
	}
	return []agents.Finding{agents.OK("runner", "%s: openclaw, token from %s", c.Name, source)}
}
