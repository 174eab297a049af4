// Package staff is the validated configuration of the crew: its agents, their runners and their
// budgets.
//
// It is pure: it does not read files, the environment or the clock. Validation finds all problems
// and names each by its path in the configuration. The configuration never contains a secret, only
// the place where it is stored.
package staff

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/policy"
)

// None, as the name of the default runner, means that no crew is started, which is useful for
// inspecting a ledger.
const None = "none"

// Staff is the configuration of the crew. Its zero value is the rehearsal crew.
type Staff struct {
	Kinds   []*Spec              // supported kinds; see agents.RunnerSpecs
	Default string               // runner for agents that do not name one; default rehearsal
	Model   string               // model for runners that support models but do not name one
	Agents  []Agent              // additional agents, or overrides for built-in agents
	Runners map[string]Runner    // by name
	Review  contracts.ReviewMode // when an agent reviews another agent's patch; default contracts.ReviewAuto

	AcceptHosts []string // hosts other than this machine that acceptance checks may reach
	Budgets     Budgets
	Bridge      Bridge
	Policy      []contracts.Rule // the operator's rules
	Repos       []contracts.Repo // repositories that the crew works in
	Prices      map[string]Price // by model, for sessions that report no cost; default: the public price
}

// Agent is an additional agent, or an override for a built-in agent.
type Agent struct {
	ID        string
	Name      string
	Role      contracts.Role
	Runner    string // default: the staff's default runner
	Workspace string // working directory of its program; default: the runner's
	Home      string // place in the scene; default: any
}

// Bridge configures the agent bridge.
type Bridge struct {
	Roots     []string      // directories that callers may choose as a workspace; empty allows none
	Heartbeat time.Duration // interval between heartbeats to a waiting caller; default contracts.BridgeHeartbeat
	Idle      time.Duration // time after which an idle program is closed; default contracts.SessionIdle
	Runner    string        // runner that starts a process per conversation for agents that are neither in the crew nor connected
	Spawn     []string      // program and arguments to start instead of Runner; the program connects to the bridge
	Env       []string      // credentials to pass to the program in Spawn, as in Runner.Env

	// TrustLoopback lets any program on this machine claim any session without a token. By
	// default, only programs that the office started can do this.
	TrustLoopback bool
}

// Permissions returns the permission policy: the built-in rules and those in the configuration.
func (s Staff) Permissions() policy.Policy { return policy.New(s.Policy) }

// DefaultRunner returns the name of the runner for agents that do not name one.
func (s Staff) DefaultRunner() string {
	if s.Default == "" {
		return contracts.RunnerRehearsal
	}
	return s.Default
}

// Provider returns OpenTelemetry's name for the vendor that runs an agent's model. It returns "" if
// the adapter for the agent's source or runner names no vendor. If there is no such adapter, it
// returns the name of the source or runner.
func (s Staff) Provider(sources contracts.Sources, p contracts.AgentProfile) string {
	name := cmp.Or(p.Source, p.Runner)
	described := name
	if r, ok := s.Runner(p.Runner); ok && !p.Guest() {
		described = string(r.Kind)
	}
	if source := sources.Of(described); source.Label != "" {
		return source.Provider
	}
	return name
}

// RunsOn returns what a crew member runs on: its runner's kind, with the program if one is
// configured, and the model, which is empty if the program chooses it.
func (s Staff) RunsOn(p contracts.AgentProfile) (vendor, model string) {
	r, ok := s.Runner(cmp.Or(p.Runner, s.DefaultRunner()))
	if !ok {
		return p.Runner, p.Model
	}
	return strings.TrimSpace(string(r.Kind) + " " + r.Command), r.Model
}

// Runner returns the runner with this name, or false if there is none. A configured runner comes
// first, then the kind of that name with default settings, then a preset of that name.
func (s Staff) Runner(name string) (Runner, bool) {
	r, ok := s.Runners[name]
	if !ok {
		if _, ok = s.Spec(Kind(name)); ok {
			r = Runner{Kind: Kind(name)}
		} else {
			r, ok = s.preset(name)
		}
	}
	if spec, _ := s.Spec(r.Kind); r.Model == "" && spec.Supports("model") {
		r.Model = s.Model
	}
	return r, ok
}

// Spawned returns the runner for agents that are named by a bridge caller and are neither in the
// crew nor connected, or false if no runner is configured. The runner's workspace has one directory
// per agent.
func (s Staff) Spawned() (Runner, bool) {
	if command := s.Bridge.Spawn; len(command) > 0 {
		return Runner{Kind: s.dialer(), Command: command[0], Args: command[1:], Env: s.Bridge.Env}, true
	}
	if s.Bridge.Runner == "" {
		return Runner{}, false
	}
	return s.Runner(s.Bridge.Runner)
}

// dialer returns the kind of runner whose programs connect to the bridge; empty if there is none.
func (s Staff) dialer() Kind {
	for _, spec := range s.Kinds {
		if spec.Dials {
			return spec.Kind
		}
	}
	return ""
}

// ReservedVariables lists patterns for environment variables of the office, which programs never
// inherit.
var ReservedVariables = []string{"BULLPEN_*", "SYNTHESIS_*"}

// SecretVariables returns the names of the variables that contain the runners' keys and tokens.
func (s Staff) SecretVariables() (names []string) {
	for _, r := range s.Runners {
		for _, name := range []string{r.APIKeyEnv, r.TokenEnv} {
			if name != "" {
				names = append(names, name)
			}
		}
	}
	return names
}

// Used returns the names of the runners that agents use, sorted, or nil if the default runner is None.
func (s Staff) Used() []string {
	if s.DefaultRunner() == None {
		return nil
	}
	names := map[string]bool{s.DefaultRunner(): true}
	for _, a := range s.Agents {
		if a.Runner != "" && a.Runner != None {
			names[a.Runner] = true
		}
	}
	return slices.Sorted(maps.Keys(names))
}

// Workspace returns the working directory that is configured for an agent's program; "" if
// there is none.
func (s Staff) Workspace(agentID string) string {
	for _, a := range s.Agents {
		if a.ID == agentID && a.Workspace != "" {
			return a.Workspace
		}
	}
	return ""
}

// People returns the built-in agents with their overrides, and the additional agents. If the
// default runner is None, it returns no agents.
func (s Staff) People(builtIn []contracts.AgentProfile) []contracts.AgentProfile {
	if s.DefaultRunner() == None {
		return nil
	}
	people := slices.Clone(builtIn)
	for i := range people {
		people[i].Runner = s.DefaultRunner()
	}
	for _, a := range s.Agents {
		i := slices.IndexFunc(people, func(p contracts.AgentProfile) bool { return p.AgentID == a.ID })
		if i < 0 {
			people = append(people, contracts.AgentProfile{AgentID: a.ID, Runner: s.DefaultRunner()})
			i = len(people) - 1
		}
		a.apply(&people[i])
	}
	for i := range people {
		if r, ok := s.Runner(people[i].Runner); ok {
			people[i].Model = r.Model
		}
	}
	return people
}

// apply overrides the fields of the profile that are set in a.
func (a Agent) apply(p *contracts.AgentProfile) {
	if a.Name != "" {
		p.Name = a.Name
	}
	if a.Role != "" {
		p.Role = a.Role
	}
	if a.Runner != "" {
		p.Runner = a.Runner
	}
	if a.Home != "" {
		p.Home = a.Home
	}
}
