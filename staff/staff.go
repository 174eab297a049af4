// Package staff says who works in the office, on which models or programs, and
// for how much: the words of the configuration, checked.
//
// It is pure: it reads no file, no environment and no clock. A problem names the
// place in the configuration by its path, and all problems are found at once. No
// secret is ever a part of it: it only says where one lies.
package staff

import (
	"maps"
	"slices"
	"time"

	"github.com/bullpen-office/bullpen/contracts"
)

// None as the default runner means that nobody works; to look at a ledger.
const None = "none"

// Staff is the whole configuration of who works. Its zero value is the rehearsal
// crew.
type Staff struct {
	Kinds   []*Spec           // that there are; see agents.Kinds
	Default string            // runner of everybody who names none; default rehearsal
	Model   string            // of runners that name none and need one
	Agents  []Agent           // people beside the built-in ones, or other words about these
	Runners map[string]Runner // by name
	Budgets Budgets
	Bridge  Bridge
	Prices  map[string]Price // by model, of sessions that name no price; default: ListPrice
}

// Agent is a person: a new one, or what is different about a built-in one.
type Agent struct {
	ID        string
	Name      string
	Role      contracts.Role
	Runner    string // default: the staff's
	Workspace string // directory of its agent program; default: the runner's
	Home      string // place in the scene; default: any
}

// Bridge says what agents that come in through the bridge may do.
type Bridge struct {
	Roots     []string      // directories in which they may be told to work; none allows none
	Heartbeat time.Duration // to a caller that waits; default contracts.BridgeHeartbeat
	Idle      time.Duration // after which a started program is let go; default contracts.SessionIdle
	Runner    string        // starts a process per conversation for agents that are neither on the staff nor connected; the office must be able to start its program
	Spawn     []string      // instead of Runner: program and arguments of such a peer
	Env       []string      // of that program, as a runner's

	// TrustLoopback lets any program on this machine claim any session without a token, as
	// in seed 002. Default: only programs that the office started.
	TrustLoopback bool
}

// DefaultRunner is the name of the runner of everybody who names none.
func (s Staff) DefaultRunner() string {
	if s.Default == "" {
		return contracts.RunnerRehearsal
	}
	return s.Default
}

// Runner finds a runner by its name. The name of a kind is always a runner of that
// kind, with its defaults where the configuration does not say more.
func (s Staff) Runner(name string) (Runner, bool) {
	r, ok := s.Runners[name]
	if !ok {
		if _, ok = s.Spec(Kind(name)); ok {
			r = Runner{Kind: Kind(name)}
		}
	}
	if spec, _ := s.Spec(r.Kind); r.Model == "" && spec.Takes("model") {
		r.Model = s.Model
	}
	return r, ok
}

// Spawned is the runner for agents that are neither on the staff nor connected when a
// bridge caller names them; false when there is none. Its workspace holds one directory
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

// dialer is the kind of programs that dial in to the bridge.
func (s Staff) dialer() Kind {
	for _, spec := range s.Kinds {
		if spec.Dials {
			return spec.Kind
		}
	}
	return ""
}

// OwnVariables are the office's own, which no program gets.
var OwnVariables = []string{"BULLPEN_*", "SYNTHESIS_*"}

// SecretVariables are the variables that hold the keys and tokens of runners.
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

// Used are the names of the runners that somebody works on, in order.
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

// Workspace is where an agent's program works; empty leaves it to the program.
func (s Staff) Workspace(agentID string) string {
	for _, a := range s.Agents {
		if a.ID == agentID && a.Workspace != "" {
			return a.Workspace
		}
	}
	return ""
}

// People are the built-in people, as the configuration changes them, and the new
// ones. Nobody comes in when nobody works.
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

// apply changes what the configuration says about a person.
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
