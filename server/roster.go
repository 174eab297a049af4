package server

import (
	"github.com/bullpen-office/bullpen/agents"
	"github.com/bullpen-office/bullpen/intake"
)

// openRoster creates the roster with the guests in the office. Evidence is stamped with the clock
// that the adapters use.
func (s *Server) openRoster() {
	s.roster = intake.NewRoster(intake.RosterConfig{Office: s.office, Sources: s.sources, State: s.view.State, Proves: agents.Prove(s.cfg.Adapters), Now: s.cfg.Now, Log: s.cfg.Log})
	registerCrowd(s.metrics, s.roster.Crowd)
}
