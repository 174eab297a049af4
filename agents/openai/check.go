package openai

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"runtime"
	"slices"
	"strings"

	"github.com/bullpen-office/bullpen/agents"
	"github.com/bullpen-office/bullpen/staff"
)

// check validates a runner's model, endpoint and key.
func check(ctx context.Context, c agents.CheckConfig) []agents.Finding {
	r := c.Runner
	address, from := Endpoint(r, c.Getenv)
	if r.Model == "" {
		return []agents.Finding{agents.Problem("runner", "set runners."+c.Name+".model, --model or BULLPEN_MODEL", "%s: no model is configured", c.Name)}
	}
	if err := staff.CheckAddress(address, "http", "https"); err != nil {
		return []agents.Finding{agents.Problem("runner", "fix the address in "+from, "%s: invalid endpoint from %s: %v", c.Name, from, err)}
	}
	key, source, err := Key(r, c.Getenv, c.ReadFile)
	saw := fmt.Sprintf("%s: %s at %s (%s)", c.Name, r.Model, address, from)
	switch {
	case errors.Is(err, staff.ErrNoKey) && !onLoopback(address):
		return []agents.Finding{agents.Problem("runner", "set runners."+c.Name+".api_key_env or api_key_file", "%s, but no key is configured", saw)}
	case errors.Is(err, staff.ErrNoKey):
		saw += ", without a key"
	case err != nil:
		return []agents.Finding{agents.Problem("runner", "fix the key, then run `bullpen doctor` again", "%s: %v", saw, err)}
	default:
		saw += ", key from " + source
	}
	found := []agents.Finding{agents.OK("runner", "%s", saw)}
	if info, err := os.Stat(r.APIKeyFile); err == nil && r.APIKeyFile != "" && info.Mode().Perm()&0o077 != 0 && runtime.GOOS != "windows" {
		found = append(found, agents.Problem("runner", "run `chmod 600 "+r.APIKeyFile+"`", "%s: %s is open to other users (mode %04o)", c.Name, r.APIKeyFile, info.Mode().Perm()))
	}
	if c.Probe {
		found = append(found, probe(ctx, c, address, key))
	}
	return found
}

// probe checks that the endpoint answers and lists the runner's model.
func probe(ctx context.Context, c agents.CheckConfig, address, key string) agents.Finding {
	client := &http.Client{Transport: http.DefaultTransport.(*http.Transport).Clone()}
	defer client.CloseIdleConnections()
	names, err := Models(ctx, client, address, key)
	switch {
	case err != nil:
		return agents.Problem("probe", "start the endpoint, or fix base_url and the key", "%s: %v", c.Name, err)
	case !slices.Contains(names, c.Runner.Model):
		slices.Sort(names)
		return agents.Problem("probe", "use one of the listed models", "%s: %s answers, but its models do not include %s: it lists %s", c.Name, address, c.Runner.Model, strings.Join(names[:min(len(names), 8)], ", "))
	}
	return agents.OK("probe", "%s: %s answers and lists %s", c.Name, address, c.Runner.Model)
}
