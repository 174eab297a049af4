package server

import (
	"os"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/gate"
	"github.com/bullpen-office/bullpen/hud"
	"github.com/bullpen-office/bullpen/intake"
)

func (s *Server) openUI() {
	home, _ := os.UserHomeDir() // if it is unknown, paths are not shortened
	s.ui = intake.NewUI(intake.UIConfig{
		Office: s.office, Guests: s.roster, Blobs: s.ledger, Agent: s.view.Profile, Principal: gate.PrincipalFrom,
		Roots: hud.RootsAt("", home), Now: s.clock.Now, Log: s.cfg.Log,
	})
	s.ui.TakeOver(s.view.Opened(contracts.SourceUI))
}
