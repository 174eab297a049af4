package openai

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/bullpen-office/bullpen/agents"
	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/drive"
	"github.com/bullpen-office/bullpen/staff"
)

// Adapter provides the crew with runners that use models behind OpenAI-compatible endpoints.
var Adapter = agents.Adapter{
	Source: contracts.Source{Source: kind, Label: "Model", Color: "#8a6b5c", Provider: "openai"},
	Support: &agents.Support{
		Agents: "OpenAI, Ollama, LM Studio, llama.cpp, vLLM and other models", Page: "models.md#a-model-as-the-crew", Drive: "yes", Approve: "yes", Cost: "if you set prices", Tested: "a stub, not a model",
	},
	Runner: &staff.Spec{
		Kind:       kind,
		Fields:     []string{"model", "base_url", "api_key_env", "api_key_file", "format", "max_tokens", "temperature", "stall", "retries", "prices", "mode", "workspace", "env"},
		NeedsModel: true,
		Priced:     func(r staff.Runner) bool { _, ok := r.Prices[r.Model]; return ok },
		Check: func(r staff.Runner, wrong func(field, format string, args ...any)) {
			if r.Mode != "" && !slices.Contains(modes, r.Mode) {
				wrong("mode", "unknown mode %q: use one of %s", r.Mode, strings.Join(modes, ", "))
			}
		},
	},
	Drive: func(d agents.DriveConfig) agents.NewDriver {
		endpoints := NewEndpoints(d.Metrics)
		return func(name string, r staff.Runner) (drive.Driver, error) { return newDriver(d, endpoints, name, r) }
	},
	Check: check,
	Find:  find,
}

// kind is both the runners' kind and the source's name.
const kind = "openai"

// newDriver creates a runner's driver. It returns an error if the endpoint's address is invalid, if
// a required key is missing, or if the key cannot be read.
func newDriver(d agents.DriveConfig, endpoints *Endpoints, name string, r staff.Runner) (drive.Driver, error) {
	address, from := Endpoint(r, d.Getenv)
	if err := staff.CheckAddress(address, "http", "https"); err != nil {
		return nil, fmt.Errorf("invalid endpoint from %s: %w", from, err)
	}
	key, _, err := Key(r, d.Getenv, d.ReadFile)
	switch {
	case errors.Is(err, staff.ErrNoKey) && NeedsKey(address):
		return nil, fmt.Errorf("%s needs a key: set %s in the office's environment, or set api_key_env or api_key_file", address, keyEnv)
	case err != nil && !errors.Is(err, staff.ErrNoKey):
		return nil, err
	}
	return New(Config{
		Name: name, Runner: r, BaseURL: address, Key: key, Endpoints: endpoints, Profile: d.Profile, Summary: d.Summary, Restricted: d.Restricted, Now: d.Now, Log: d.Log,
	}), nil
}
