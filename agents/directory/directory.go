// Package directory decides who answers for an agent, and what a program that the office
// starts is given: a directory to work in, an environment and a credential.
//
// It guarantees: a program gets the credentials of its own vendor and those that the
// configuration names, no others; its token speaks for its own agent and ends with the
// conversation; it works in a directory that is configured, or in one of its agent's own;
// a workspace that a caller names lies under a configured root, links resolved. It starts
// nothing itself: drivers do, with the first turn.
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
	"github.com/bullpen-office/bullpen/staff"
	"github.com/bullpen-office/bullpen/turn"
)

// Config says who works in the office. Adapters, Staff, Agent and Crew are required.
type Config struct {
	Adapters []agents.Adapter
	Staff    staff.Staff
	Options  map[string]agents.Options // of vendors, by source
	Driving  agents.DriveConfig        // what every vendor's drivers get, without Options, Peers and Began
	Memory   *turn.Memory              // the office's own conversations

	Roots []string // under which callers may have agents work
	// Agent is somebody who is in the office.
	Agent func(agentID string) (contracts.AgentProfile, bool)
	// Crew are the ids of the members of the crew.
	Crew func() []string
	// Peers are the agents that dialled in; nil means that there are none.
	Peers Peers
	// Workdir is where a guest of a source is proven to work; nil knows nobody's.
	Workdir func(source, agentID string) string
	// Lend makes a credential for an agent's program and says where the bridge is.
	Lend func(agentID string, claims ...gate.Claim) (Loan, error)
}

// Peers are the agents that dialled in to the office.
type Peers interface {
	agents.Peers
	// Route is the way to the peer that takes a conversation; ok is false when none does.
	Route(k turn.Key) (r turn.Route, ok bool)
	// Agents are the names of the agents that are connected.
	Agents() []string
}

// Loan is a credential that ends with Revoke.
type Loan struct {
	Token   string
	Address string // of the bridge
	Revoke  func()
}

// Directory knows the workers of an office.
type Directory struct {
	cfg     Config
	workers map[string]crew.Worker // by runner
	hires   map[staff.Kind]agents.Hire
	closers []io.Closer // drivers that hold something
	spawn   struct {
		runner  staff.Runner
		driver  drive.Driver // nil when none is configured
		running atomic.Int64
	}

	mu      sync.Mutex
	scratch string // directory of workspaces that goes with the office; empty: none was needed
}

// New makes every worker that an agent needs. The office's own people are always among
// them: agents of an earlier configuration may still be on their runner.
func New(cfg Config) (*Directory, error) {
	d := &Directory{cfg: cfg, workers: map[string]crew.Worker{}, hires: map[staff.Kind]agents.Hire{}}
	d.cfg.Driving.Began, d.cfg.Driving.Peers = d.began, cfg.Peers
	if r, ok := cfg.Staff.Spawned(); ok {
		driver, err := d.hire("bridge", r)
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
		if err := d.employ(name); err != nil {
			return d, err
		}
	}
	return d, nil
}

// employ makes the worker of a runner, once.
func (d *Directory) employ(name string) error {
	if d.workers[name].Driver != nil {
		return nil
	}
	r, ok := d.cfg.Staff.Runner(name)
	if !ok {
		return fmt.Errorf("there is no runner named %q that this office can run", name)
	}
	driver, err := d.hire(name, r)
	if err != nil {
		return fmt.Errorf("runners.%s: %w", name, err)
	}
	w := crew.Worker{Driver: driver, Lenient: r.Lenient, Acquire: d.lending(r)}
	if d.cfg.Staff.Starts(r) {
		w.Place = func(agentID string) (string, error) { return d.workplace(agentID, r) }
	}
	d.workers[name] = w
	return nil
}

// hire makes the driver of a runner.
func (d *Directory) hire(name string, r staff.Runner) (drive.Driver, error) {
	make, ok := d.hires[r.Kind]
	for _, a := range d.cfg.Adapters {
		if !ok && a.Kind() == r.Kind && a.Drive != nil {
			driving := d.cfg.Driving
			driving.Options = d.cfg.Options[a.Source.Source]
			make, ok = a.Drive(driving), true
			d.hires[r.Kind] = make
		}
	}
	if !ok {
		return nil, fmt.Errorf("the kind %q cannot be hired", r.Kind)
	}
	driver, err := make(name, r)
	if c, closes := driver.(io.Closer); closes && err == nil {
		d.closers = append(d.closers, c)
	}
	return driver, err
}

// began marks a conversation as the office's own before it begins.
func (d *Directory) began(id string) {
	if err := d.cfg.Memory.Began(id); err != nil && d.cfg.Driving.Log != nil {
		d.cfg.Driving.Log.Warn("a conversation of the office may be shown twice after a restart", "error", err)
	}
}

// Workers are who does the crew's work, by the names of runners.
func (d *Directory) Workers() map[string]crew.Worker { return d.workers }

// Close closes what drivers hold, and removes workspaces of an office in memory. It is
// called after the last turn.
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

// Find says who answers in a conversation: a peer that dialled in for it, else a program of
// the office. It fails with drive.ErrAbsent when there is neither.
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
		return turn.Route{}, fmt.Errorf("%w: %w", drive.ErrAbsent, turn.ErrUnclaimed)
	}
	return turn.Route{}, drive.ErrAbsent
}

// Agents are the names that callers may use: the crew and the agents that dialled in.
func (d *Directory) Agents() []string {
	names := d.cfg.Crew()
	if d.cfg.Peers != nil {
		names = append(names, d.cfg.Peers.Agents()...)
	}
	return names
}

// program finds the program of an agent: that of a member of the crew in a conversation of
// the caller's own, or one that is started for an agent that nobody knows.
func (d *Directory) program(agent string, p contracts.AgentProfile, crew bool) (turn.Route, bool) {
	if !crew || len(d.workers) == 0 {
		return d.spawner(agent)
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
	if drive.TakesOf(w.Driver).Work {
		return turn.Route{Driver: w.Driver}, true
	}
	return d.visitor(p.AgentID, name, w)
}

// visitor lets callers talk to the program of a member of the crew. It is false for one
// that only dials in by itself: the bridge would have found it.
func (d *Directory) visitor(agentID, name string, w crew.Worker) (route turn.Route, ok bool) {
	r, ok := d.cfg.Staff.Runner(name)
	if spec, _ := d.cfg.Staff.Spec(r.Kind); !ok || spec.Dials && !d.cfg.Staff.Starts(r) {
		return turn.Route{}, false
	}
	route.Runner, route.Driver, route.Acquire = name, w.Driver, w.Acquire
	route.Place = func(workspace string) (root, dir string, err error) {
		switch {
		case workspace != "":
			return d.Confine(workspace)
		case w.Place != nil:
			dir, err = w.Place(agentID)
		}
		return "", dir, err
	}
	return route, true
}

// spawner starts a program for callers of agents that nobody dialled in for and that do
// not belong to the crew, each in its agent's own directory, at most
// contracts.LimitSpawned; false when none is configured.
func (d *Directory) spawner(agent string) (route turn.Route, ok bool) {
	if d.spawn.driver == nil {
		return turn.Route{}, false
	}
	route.Driver, route.Runner = d.spawn.driver, "bridge:"
	route.Place = func(workspace string) (root, dir string, err error) {
		if workspace != "" {
			return d.Confine(workspace)
		}
		return d.spawnPlace(agent, d.spawn.runner)
	}
	route.Acquire = func(spec *drive.Spec) (func(), error) {
		if n := d.spawn.running.Add(1); n > contracts.LimitSpawned {
			d.spawn.running.Add(-1)
			return nil, fmt.Errorf("%w: %d programs run for guests already; try again when one has ended", drive.ErrAbsent, contracts.LimitSpawned)
		}
		release := func() {}
		if lend := d.lending(d.spawn.runner); lend != nil {
			var err error
			if release, err = lend(spec); err != nil {
				d.spawn.running.Add(-1)
				return nil, err
			}
		}
		return func() { release(); d.spawn.running.Add(-1) }, nil
	}
	return route, true
}

// Roots say how the paths of somebody are shown: from where it works, and from home.
func (d *Directory) Roots(agentID string) hud.Roots {
	p, _ := d.cfg.Agent(agentID)
	dir, program := d.place(p.Runner, agentID)
	switch {
	case program:
	case d.own(p.Runner):
		dir = d.cfg.Driving.Folder
	default:
		dir = p.Place // of a guest
	}
	return hud.RootsAt(dir, d.cfg.Driving.Home)
}

// own reports whether the people of a runner are the office's own.
func (d *Directory) own(runner string) bool {
	r, ok := d.cfg.Staff.Runner(cmp.Or(runner, staff.None))
	spec, _ := d.cfg.Staff.Spec(r.Kind)
	return ok && spec.BuiltIn
}
