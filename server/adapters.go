package server

import (
	"github.com/bullpen-office/bullpen/agents"
	"github.com/bullpen-office/bullpen/gate"
)

// openWatchers creates a watcher for every adapter that provides one.
func (s *Server) openWatchers() (err error) {
	s.watchers, err = agents.OpenWatchers(s.cfg.Adapters, agents.WatchConfig{
		Office: watcherOffice{parts(s)}, Roster: s.roster, DataDir: s.cfg.DataDir, Durable: s.cfg.durable(), Version: s.cfg.Version,
		Ours: s.conversations.Owns, Principal: gate.PrincipalFrom, KeepThinking: s.cfg.KeepThinking, Price: s.cfg.Staff.Estimate,
		Now: s.cfg.Now, Log: s.cfg.Log, Metrics: s.metrics,
	}, s.cfg.Options)
	return err
}

// gateways returns the watchers' connections to gateways, in adapter order.
func (s *Server) gateways() (list []agents.Link) {
	for _, a := range s.cfg.Adapters {
		if w := s.watchers[a.Source.Source]; w != nil {
			list = append(list, w.Links()...)
		}
	}
	return list
}

// workdir returns the verified working directory of a guest, or "" if there is none.
func (s *Server) workdir(source, agentID string) string {
	if w := s.watchers[source]; w != nil {
		return w.Workdir(agentID)
	}
	return ""
}
