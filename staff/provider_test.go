package staff

import (
	"testing"

	"github.com/bullpen-office/bullpen/contracts"
)

// The provider of an agent is the provider of its source or, for the crew, of its runner's kind. If
// no adapter describes the source or the kind, the provider is the name of the source or runner.
func TestProvider(t *testing.T) {
	sources := contracts.Sources{{Source: "claude", Label: "Claude Code", Provider: "anthropic"}, {Source: "openai", Label: "OpenAI", Provider: "openai"}, {Source: "bridge", Label: "Bridge"}}
	s := Staff{Runners: map[string]Runner{"writer": {Kind: "openai"}}}
	for _, c := range []struct {
		profile contracts.AgentProfile
		want    string
	}{
		{contracts.AgentProfile{Source: "claude"}, "anthropic"},
		{contracts.AgentProfile{Runner: "writer"}, "openai"},
		{contracts.AgentProfile{Source: "bridge"}, ""},
		{contracts.AgentProfile{Source: "robot"}, "robot"},
		{contracts.AgentProfile{Runner: "robot"}, "robot"},
	} {
		if got := s.Provider(sources, c.profile); got != c.want {
			t.Errorf("%+v: %q, want %q", c.profile, got, c.want)
		}
	}
}
