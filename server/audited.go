package server

import (
	"context"
	"fmt"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/gate"
)

// audited records a security-relevant event. If that fails, the event is logged and the
// request goes on.
func (s *Server) audited(kind, by, says string) {
	ctx, cancel := context.WithTimeout(s.parting, contracts.RecordTimeout)
	defer cancel()
	if err := s.office.Record(ctx, contracts.Audited{Kind: kind, By: by, Says: says}); err != nil {
		s.cfg.Log.Warn("audit record not written", "kind", kind, "principal", by, "says", says, "error", err)
	}
}

func (s *Server) signedIn(t gate.Token) {
	from := t.From
	if from == "" {
		from = gate.OwnerID
	}
	s.audited(contracts.AuditLogin, t.ID, fmt.Sprintf("A browser signed in as %s with the credential of %s", t.Role, from))
}
