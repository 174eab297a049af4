package server

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/drive"
	"github.com/bullpen-office/bullpen/intake"
	"github.com/bullpen-office/bullpen/staff"
	"github.com/bullpen-office/bullpen/turn"
)

// spawned are the programs that run for agents that are neither on the staff nor
// connected, at most contracts.LimitSpawned.
type spawned struct {
	runner  staff.Runner
	driver  drive.Driver // nil when none is configured
	running atomic.Int64
}

// openSpawner prepares the program for agents that are neither on the staff nor connected.
func (s *Server) openSpawner() error {
	r, ok := s.cfg.Staff.Spawned()
	if !ok {
		return nil
	}
	d, err := s.programDriver(r)
	if err != nil {
		return fmt.Errorf("bridge.runner: %w", err)
	}
	s.spawned.runner, s.spawned.driver = r, d
	return nil
}

// spawner starts a program for callers of agents that nobody dialled in for and that do
// not belong to the crew, each in its agent's own directory; false when none is
// configured.
func (s *Server) spawner(route turn.Route, agent string) (turn.Route, bool) {
	if s.spawned.driver == nil {
		return turn.Route{}, false
	}
	route.Driver, route.Runner = s.spawned.driver, "bridge:"
	route.Place = func(workspace string) (root, dir string, err error) {
		if workspace != "" {
			return s.cfg.confine(workspace)
		}
		return s.spawnPlace(agent, s.spawned.runner)
	}
	route.Acquire = func(spec *drive.Spec) (func(), error) {
		if n := s.spawned.running.Add(1); n > contracts.LimitSpawned {
			s.spawned.running.Add(-1)
			return nil, fmt.Errorf("%w: %d programs run for guests already; try again when one has ended", drive.ErrAbsent, contracts.LimitSpawned)
		}
		release := func() {}
		if lend := s.lending(s.spawned.runner); lend != nil {
			var err error
			if release, err = lend(spec); err != nil {
				s.spawned.running.Add(-1)
				return nil, err
			}
		}
		return func() { release(); s.spawned.running.Add(-1) }, nil
	}
	return route, true
}

var plainName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[a-z0-9]+([_-][a-z0-9]+)*$`) })

// spawnPlace is the directory that a program of an agent is started in, and its parent. Two
// agents never share one, even where file names ignore case: names that are not plain
// end with a dot and their hash, and plain names have no dot.
func (s *Server) spawnPlace(agent string, r staff.Runner) (root, dir string, err error) {
	if root = r.Workspace; root == "" {
		if root, err = s.workplaces(); err != nil {
			return "", "", err
		}
	}
	name := string(contracts.PrefixAgent) + "_" + agent
	if !plainName().MatchString(agent) || strings.HasPrefix(agent, string(contracts.PrefixAgent)+"_") {
		name = fmt.Sprintf("%s.%.8x", intake.AgentID(agent), sha256.Sum256([]byte(agent)))
	}
	dir = filepath.Join(root, name)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", "", fmt.Errorf("create the workspace: %w", err)
	}
	if info, err := os.Lstat(dir); err != nil || !info.IsDir() { // a link could lead to another agent's directory
		return "", "", fmt.Errorf("the workspace %s is not a directory: move it away", dir)
	}
	return root, dir, nil
}
