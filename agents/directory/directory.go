// Package directory decides which program answers for an agent. For a program that the office
// starts, it also decides the working directory, the environment and the credential.
//
// It guarantees:
//   - A program receives only its own vendor's credentials and those that the configuration names.
//   - A program's token is valid only for the program's agent and expires with the conversation.
//   - A program works in a configured directory or in its agent's directory.
//   - A workspace that a caller names is inside a configured root after symbolic links are resolved.
//
// Package directory starts no programs: a driver starts its program on the first turn.
package directory

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/bullpen-office/bullpen/agents"
	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/crew"
	"github.com/bullpen-office/bullpen/drive"
	"github.com/bullpen-office/bullpen/gate"
	"github.com/bullpen-office/bullpen/hud"
	"github.com/bullpen-office/bullpen/policy"
	"github.com/bullpen-office/bullpen/repo/repofile"
	"github.com/bullpen-office/bullpen/staff"
	"github.com/bullpen-office/bullpen/turn"
)

// Config configures a Directory. Adapters, Staff, Agent and Crew are required.
type Config struct {
	Adapters []agents.Adapter
	Staff    staff.Staff
	Options  map[string]agents.Options // vendors' options, by source
	Drive    agents.DriveConfig        // for all vendors' drivers; Options, Peers, Began and Restricted are set by New
	Memory   *turn.Memory              // the office's own conversations

	Roots []string // callers may choose workspaces inside these directories
	// Agent returns the profile of an agent, or false if the agent is not in the office.
	Agent func(agentID string) (contracts.AgentProfile, bool)
	// Crew returns the ids of the crew members.
	Crew func() []string
	// Peers are the connected agents; nil means none.
	Peers Peers
	// Workdir returns the verified working directory of a source's guest, or "" if it is unknown. If
	// Workdir is nil, all directories are unknown.
	Workdir func(source, agentID string) string
	// Issue creates a credential for an agent's program.
	Issue func(agentID string, processes ...gate.Process) (Credential, error)
}

// Peers are the agents connected to the office.
type Peers interface {
	agents.Peers
	// Route returns the route to the peer that serves a conversation; ok is false if no peer does.
	Route(k turn.Key) (r turn.Route, ok bool)
	// Agents returns the names of the connected agents.
	Agents() []string
}

// Credential lets a program connect to the office until Revoke is called.
type Credential struct {
	Token   string
	Address string // the bridge's address
	Revoke  func()
}

// Directory creates an office's workers and finds the program that answers for an agent.
type Directory struct {
	cfg        Config
	workers    map[string]crew.Worker // by runner
	newDrivers map[staff.Kind]agents.NewDriver
	closers    []io.Closer   // drivers that must be closed
	rules      policy.Policy // from the configuration
	repos      repofile.Reader
	spawn      struct {
		runner  staff.Runner
		driver  drive.Driver // nil if none is configured
		running atomic.Int64
	}

	mu      sync.Mutex
	scratch string // parent of temporary workspaces, removed by Close; empty if none was needed
}

// New creates workers for all runners in use. It also creates workers for the built-in runners,
// because agents from an earlier configuration may still use them.
func New(cfg Config) (*Directory, error) {
	d := &Directory{cfg: cfg, rules: cfg.Staff.Permissions(), workers: map[string]crew.Worker{}, newDrivers: map[staff.Kind]agents.NewDriver{}}
	d.cfg.Drive.Began, d.cfg.Drive.Peers, d.cfg.Drive.Restricted = d.began, cfg.Peers, d.restricted
	if r, ok := cfg.Staff.Spawned(); ok {
		driver, err := d.newDriver("bridge", r)
		if err != nil {
			return d, fmt.Errorf("bridge.runner: %w", err)
		}
		d.spawn.runner, d.spawn.driver = r, driver
	}
	if cfg.Staff.DefaultRunner() == staff.None {
		return d, nil
	}
	var names []string
	for _, spec := range cfg.Staff.Kinds {
		if spec.BuiltIn {
			names = append(names, string(spec.Kind))
		}
	}
	for _, name := range append(names, cfg.Staff.Used()...) {
		if err := d.addWorker(name); err != nil {
			return d, err
		}
	}
	return d, nil
}

// addWorker creates a runner's worker unless it already exists.
func (d *Directory) addWorker(name string) error {
	if d.workers[name].Driver != nil {
		return nil
	}
	r, ok := d.cfg.Staff.Runner(name)
	if !ok {
		return fmt.Errorf("no runner %q; add it to the configuration", name)
	}
	driver, err := d.newDriver(name, r)
	if err != nil {
		return fmt.Errorf("runners.%s: %w", name, err)
	}
	w := crew.Worker{Driver: driver, Lenient: r.Lenient, Acquire: d.preparer(r)}
	if drive.CapabilitiesOf(driver).Workspace {
		w.Acquire = func(spec *drive.Spec) (func(), error) {
			spec.Env = commandEnvironment(d.cfg.Staff, r, os.Environ())
			return func() {}, nil
		}
	}
	if d.cfg.Staff.Starts(r) || drive.CapabilitiesOf(driver).Workspace {
		w.Workspace = func(agentID string) (string, error) { return d.workspaceFor(agentID, r) }
	}
	d.workers[name] = w
	return nil
}

// newDriver creates a runner's driver. It returns an error if no adapter drives runners of that
// kind.
func (d *Directory) newDriver(name string, r staff.Runner) (drive.Driver, error) {
	create, ok := d.newDrivers[r.Kind]
	for _, a := range d.cfg.Adapters {
		if !ok && a.Kind() == r.Kind && a.Drive != nil {
			cfg := d.cfg.Drive
			cfg.Options = d.cfg.Options[a.Source.Source]
			create, ok = a.Drive(cfg), true
			d.newDrivers[r.Kind] = create
		}
	}
	if !ok {
		return nil, fmt.Errorf("no adapter supports runners of kind %q", r.Kind)
	}
	driver, err := create(name, r)
	if c, closes := driver.(io.Closer); closes && err == nil {
		d.closers = append(d.closers, c)
	}
	return driver, err
}

// began marks a conversation as the office's own before its first prompt.
func (d *Directory) began(id string) {
	if err := d.cfg.Memory.MarkOwned(id); err != nil && d.cfg.Drive.Log != nil {
		d.cfg.Drive.Log.Warn("conversation id not saved; the conversation may appear twice after a restart", "error", err)
	}
}

// Workers returns the crew's workers, by runner.
func (d *Directory) Workers() map[string]crew.Worker { return d.workers }

// Pulls reports whether an agent is a crew member that fetches its own tasks and messages.
func (d *Directory) Pulls(agentID string) bool {
	p, inside := d.cfg.Agent(agentID)
	worker := d.workers[cmp.Or(p.Runner, d.cfg.Staff.DefaultRunner())]
	return inside && !p.Guest() && drive.CapabilitiesOf(worker.Driver).Pulls
}

// Close closes drivers and removes temporary workspaces. Call it after the last turn.
func (d *Directory) Close() error {
	var errs []error
	for _, c := range d.closers {
		errs = append(errs, c.Close())
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.scratch != "" {
		errs = append(errs, os.RemoveAll(d.scratch))
	}
	return errors.Join(errs...)
}

// Find returns the route to the program that answers in a conversation: a peer that is connected
// for the conversation, or else one of the office's programs. It returns drive.ErrUnreachable
// if there is neither.
func (d *Directory) Find(_ context.Context, k turn.Key) (turn.Route, error) {
	id := contracts.AgentIDOf(k.Agent)
	profile, inside := d.cfg.Agent(id)
	crew := inside && !profile.Guest()
	if d.cfg.Peers != nil {
		if route, ok := d.cfg.Peers.Route(k); ok {
			route.Crew, route.Confine = crew, func(workspace string) (string, bool, error) {
				if _, ours := d.program(k.Agent, profile, crew); !ours {
					return workspace, false, nil
				}
				return d.confined(workspace)
			}
			return route, nil
		}
	}
	route, ok := d.program(k.Agent, profile, crew)
	switch {
	case ok:
		route.AgentID, route.Crew, route.Confine = id, crew, d.confined
		return route, nil
	case d.cfg.Peers != nil && slices.Contains(d.cfg.Peers.Agents(), k.Agent):
		return turn.Route{}, fmt.Errorf("%w: %w", drive.ErrUnreachable, turn.ErrUnclaimed)
	}
	return turn.Route{}, drive.ErrUnreachable
}

// Agents returns the agent names that callers may use: the crew and the connected agents.
func (d *Directory) Agents() []string {
	names := d.cfg.Crew()
	if d.cfg.Peers != nil {
		names = append(names, d.cfg.Peers.Agents()...)
	}
	return names
}

// program returns the route to an agent's program, or false if the agent has none. A crew member's
// program opens a separate conversation for the caller. An agent outside the crew gets a program
// that is started on demand, and so does a crew member if there are no workers.
func (d *Directory) program(agent string, p contracts.AgentProfile, crew bool) (turn.Route, bool) {
	if !crew || len(d.workers) == 0 {
		return d.spawnRoute(agent)
	}
	name := p.Runner
	w, ok := d.workers[name]
	if !ok {
		name = d.cfg.Staff.DefaultRunner()
		w, ok = d.workers[name]
	}
	if !ok {
		return turn.Route{}, false
	}
	if drive.CapabilitiesOf(w.Driver).Work {
		return turn.Route{Driver: w.Driver}, true
	}
	return d.crewRoute(p.AgentID, name, w)
}

// crewRoute returns the route that callers use to reach a crew member's program. ok is false for
// programs that connect to the office instead of being started by it: Find has already looked for
// these.
func (d *Directory) crewRoute(agentID, name string, w crew.Worker) (route turn.Route, ok bool) {
	r, ok := d.cfg.Staff.Runner(name)
	if spec, _ := d.cfg.Staff.Spec(r.Kind); !ok || spec.Dials && !d.cfg.Staff.Starts(r) {
		return turn.Route{}, false
	}
	route.Runner, route.Driver, route.Acquire = name, w.Driver, w.Acquire
	route.Workspace = func(workspace string) (root, dir string, err error) {
		switch {
		case workspace != "":
			return d.Confine(workspace)
		case w.Workspace != nil:
			dir, err = w.Workspace(agentID)
		}
		return "", dir, err
	}
	return route, true
}

// spawnRoute returns the route for an agent that is neither connected nor a crew member: a program
// is started for the agent, in the agent's own directory. At most contracts.LimitSpawned of these
// programs run at the same time. ok is false if no such program is configured.
func (d *Directory) spawnRoute(agent string) (route turn.Route, ok bool) {
	if d.spawn.driver == nil {
		return turn.Route{}, false
	}
	route.Driver, route.Runner = d.spawn.driver, "bridge:"
	route.Workspace = func(workspace string) (root, dir string, err error) {
		if workspace != "" {
			return d.Confine(workspace)
		}
		return d.spawnWorkspace(agent, d.spawn.runner)
	}
	route.Acquire = func(spec *drive.Spec) (func(), error) {
		if n := d.spawn.running.Add(1); n > contracts.LimitSpawned {
			d.spawn.running.Add(-1)
			return nil, fmt.Errorf("%w: %d agent processes are already running for callers (the limit); try again later", drive.ErrUnreachable, contracts.LimitSpawned)
		}
		release := func() {}
		if prepare := d.preparer(d.spawn.runner); prepare != nil {
			var err error
			if release, err = prepare(spec); err != nil {
				d.spawn.running.Add(-1)
				return nil, err
			}
		}
		return func() { release(); d.spawn.running.Add(-1) }, nil
	}
	return route, true
}

// Roots returns the directories that an agent's paths are shown relative to: the agent's working
// directory and the home directory.
func (d *Directory) Roots(agentID string) hud.Roots {
	p, _ := d.cfg.Agent(agentID)
	dir, program := d.crewWorkspace(p.Runner, agentID)
	switch {
	case program:
	case d.builtIn(p.Runner):
		dir = d.cfg.Drive.Folder
	default:
		dir = p.Place // the directory in the guest's profile
	}
	return hud.RootsAt(dir, d.cfg.Drive.Home)
}

func (d *Directory) builtIn(runner string) bool {
	r, ok := d.cfg.Staff.Runner(cmp.Or(runner, staff.None))
	spec, _ := d.cfg.Staff.Spec(r.Kind)
	return ok && spec.BuiltIn
}
