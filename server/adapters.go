package server

import (
	"fmt"
	"os"

	"github.com/bullpen-office/bullpen/agents"
	"github.com/bullpen-office/bullpen/gate"
)

// openWatchers creates a watcher for every adapter that has one.
func (s *Server) openWatchers() error {
	home, _ := os.UserHomeDir() // if it is unknown, paths are not shortened
	s.watchers = map[string]agents.Watcher{}
	for _, a := range s.cfg.Adapters {
		if a.Watch == nil {
			continue
		}
		source := a.Source.Source
		w, err := a.Watch(agents.WatchConfig{
			Office: watcherOffice{parts(s)}, Roster: s.roster, Options: s.cfg.Options[source], DataDir: s.cfg.DataDir, Durable: s.cfg.durable(), Home: home, Version: s.cfg.Version,
			Ours: s.conversations.Ours, Principal: gate.PrincipalFrom, KeepThinking: s.cfg.KeepThinking, Price: s.cfg.Staff.Estimate,
			Now: s.cfg.Now, Log: s.cfg.Log, Metrics: s.metrics,
		})
		if err != nil {
			return fmt.Errorf("watch %s: %w", a.Label, err)
		}
		s.watchers[source] = w
	}
	return nil
}

// links returns the watchers' gateway connections, in adapter order.
func (s *Server) links() (list []agents.Link) {
	for _, a := range s.cfg.Adapters {
		if w := s.watchers[a.Source.Source]; w != nil {
			list = append(list, w.Links()...)
		}
	}
	return list
}

// workdir returns the proven working directory of a guest, or "" if there is none.
func (s *Server) workdir(source, agentID string) string {
	if w := s.watchers[source]; w != nil {
		return w.Workdir(agentID)
	}
	return ""
}
