package openclaw

import (
	"context"
	"errors"

	"github.com/bullpen-office/bullpen/agents"
	"github.com/bullpen-office/bullpen/staff"
)

// check looks for the token of a runner's gateway.
func check(_ context.Context, c agents.Checking) []agents.Finding {
	_, source, err := c.Runner.Token(c.Getenv, c.ReadFile)
	switch {
	case errors.Is(err, staff.ErrNoKey):
		return []agents.Finding{agents.Fine("runner", "%s: openclaw, with what is stored for this device", c.Name)}
	case err != nil:
		return []agents.Finding{agents.Wrong("runner", "correct it, then run the doctor again", "%s: %v", c.Name, err)}
	}
	return []agents.Finding{agents.Fine("runner", "%s: openclaw, token from %s", c.Name, source)}
}
