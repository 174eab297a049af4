package server

import (
	"github.com/bullpen-office/bullpen/gate"
	outposts "github.com/bullpen-office/bullpen/outpost/door"
)

// openOutposts creates the endpoints of outposts.
func (s *Server) openOutposts() {
	s.outposts = outposts.New(outposts.Config{
		Office: s.office, View: s.view, Roster: s.roster, PutBlob: s.ledger.PutBlob, Publish: s.hub.PublishStream, Principal: gate.PrincipalFrom,
		Closing: s.shutdownCtx, Version: s.cfg.Version, Now: s.cfg.Now, Log: s.cfg.Log,
	})
}
