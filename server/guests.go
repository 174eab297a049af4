package server

import (
	"os"

	"github.com/bullpen-office/bullpen/agents"
	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/gate"
	"github.com/bullpen-office/bullpen/hud"
	"github.com/bullpen-office/bullpen/intake"
	outposts "github.com/bullpen-office/bullpen/outpost/door"
)

// openRoster creates the roster of the guests in the office, and the endpoints for outposts, which
// have their own rosters. Evidence is stamped with the clock that the adapters use.
func (s *Server) openRoster() {
	s.roster = intake.NewRoster(intake.RosterConfig{Office: s.office, Sources: s.sources, Node: s.node.Name(), State: s.view.State, Head: s.ledger.Head, IsAgentProcess: agents.ProcessMatcher(s.cfg.Adapters), Now: s.cfg.Now, Log: s.cfg.Log})
	s.roster.Register(s.metrics)
	cfg := outposts.Config{
		Office: s.office, View: s.view, Roster: s.roster, PutBlob: s.ledger.PutBlob, Publish: parts(s).PublishStream, Principal: gate.PrincipalFrom,
		ShutdownCtx: s.shutdownCtx, Version: s.cfg.Version, Metrics: s.metrics, Now: s.cfg.Now, Log: s.cfg.Log,
	}
	if s.node != nil {
		cfg.Announce, cfg.Writes = s.node.PublishOutpost, func() bool { return s.node.Status().Writes }
	}
	s.outposts = outposts.New(cfg)
}

// openUI creates the endpoints for workflow events.
func (s *Server) openUI() {
	home, _ := os.UserHomeDir() // if it is unknown, paths are not shortened
	s.ui = intake.NewUI(intake.UIConfig{
		Office: s.office, Guests: s.roster, Blobs: s.ledger, Agent: s.view.Profile, Principal: gate.PrincipalFrom,
		Roots: hud.RootsAt("", home), Now: s.clock.Now, Log: s.cfg.Log,
	})
	s.ui.TakeOver(s.view.Opened(contracts.SourceUI))
}
