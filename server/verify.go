package server

import (
	"errors"
	"net/http"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/gate"
	"github.com/bullpen-office/bullpen/ledger"
)

// serveVerify is GET /v1/verify: it checks every record, its link in the chain and all
// content, while the office runs.
func (s *Server) serveVerify(w http.ResponseWriter, r *http.Request) {
	report, err := s.ledger.Inspect(r.Context())
	switch {
	case err == nil:
		gate.Answer(w, http.StatusOK, report)
	case errors.Is(err, ledger.ErrCorrupt):
		gate.Refuse(w, http.StatusInternalServerError, contracts.CodeInternal, "%v", err)
	default:
		gate.Refuse(w, http.StatusServiceUnavailable, contracts.CodeInternal, "the ledger cannot be verified now: %v", err)
	}
}
