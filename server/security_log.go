package server

import (
	"cmp"
	"context"
	"fmt"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/gate"
)

// recordAudit records a security-relevant event. If recording fails, it logs the event and the
// request continues.
func (s *Server) recordAudit(f contracts.Audited) {
	ctx, cancel := context.WithTimeout(s.shutdownCtx, contracts.RecordTimeout)
	defer cancel()
	if err := s.office.Record(ctx, f); err != nil {
		s.cfg.Log.Warn("audit record not written", "kind", f.Kind, "principal", f.By, "says", f.Says, "error", err)
	}
}

func (s *Server) signedIn(t gate.Token) {
	says := fmt.Sprintf("A browser signed in as %s (token: %s)", t.Role, cmp.Or(t.From, gate.OwnerID))
	s.recordAudit(contracts.Audited{Kind: contracts.AuditLogin, By: t.ID, Says: says})
}
