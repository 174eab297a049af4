package server

import (
	"github.com/bullpen-office/bullpen/export/agui"
	"github.com/bullpen-office/bullpen/gate"
)

// openExports makes the doors that show the ledger in other protocols.
func (s *Server) openExports() {
	s.agui = agui.New(agui.Config{
		Ledger: s.ledger, State: s.aguiState, Principal: gate.PrincipalFrom, Now: s.office.Clock().Now, Log: s.cfg.Log,
	})
}

// aguiState is what an AG-UI client starts from: the office, or one person of it.
func (s *Server) aguiState(scope agui.Scope) any {
	snap := s.state()
	for _, a := range snap.Agents {
		if a.AgentID == scope.AgentID || scope.AgentID == "" && scope.Session != "" && a.Session == scope.Session {
			return map[string]any{"agent": a}
		}
	}
	if scope != (agui.Scope{}) {
		return map[string]any{"agent": nil} // not here yet, or gone
	}
	return snap
}

// revoked ends what a credential has open.
func (s *Server) revoked(principalID string) {
	s.hub.CloseRevoked(principalID)
	s.agui.CloseRevoked(principalID)
}
