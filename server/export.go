package server

import (
	"context"
	"net/http"
	"path/filepath"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/export/agui"
	"github.com/bullpen-office/bullpen/export/otlp"
	"github.com/bullpen-office/bullpen/gate"
)

// TracesConfig configures the export of activity as OpenTelemetry traces.
type TracesConfig struct {
	URL     string      // including the path
	Header  http.Header // may contain a secret
	Content bool        // include arguments, results and labels
}

// openExports creates the exporters that publish the ledger's records over other protocols.
func (s *Server) openExports() (err error) {
	s.agui = agui.New(agui.Config{
		Ledger: s.ledger, Open: s.view.OpenStarts, State: s.view.State, Principal: gate.PrincipalFrom, Now: s.clock.Now, Log: s.cfg.Log,
	})
	if s.cfg.Traces == nil {
		return nil
	}
	cursor := ""
	if s.ledger.Durable() {
		cursor = filepath.Join(s.cfg.DataDir, "otlp.json")
	}
	s.traces, err = otlp.New(otlp.Config{
		Ledger: s.ledger, URL: s.cfg.Traces.URL, Header: s.cfg.Traces.Header, Content: s.cfg.Traces.Content, Cursor: cursor,
		Profile: func(id string) contracts.AgentProfile {
			p, _ := s.view.Profile(id)
			p.AgentID = id
			return p
		},
		Provider: func(p contracts.AgentProfile) string { return s.cfg.Staff.Provider(s.sources, p) }, Version: s.cfg.Version, Now: s.clock.Now, Log: s.cfg.Log,
	})
	return err
}

// exportTraces runs the export. It logs a failure and returns nil, because the office works without
// the export.
func (s *Server) exportTraces(ctx context.Context) error {
	if s.traces == nil {
		return nil
	}
	s.cfg.Log.Info("trace export started", "url", s.cfg.Traces.URL, "content", s.cfg.Traces.Content)
	if err := s.traces.Run(ctx); err != nil {
		s.cfg.Log.Error("trace export stopped; restart the office to resume it", "error", err)
	}
	return nil
}

// closeSockets closes the connections of a principal whose credential is no longer valid.
func (s *Server) closeSockets(principalID string) {
	s.hub.CloseRevoked(principalID)
	s.agui.CloseRevoked(principalID)
	s.peers.CloseRevoked(principalID)
}

func (s *Server) revoked(principalID, says string) {
	f := contracts.Audited{Kind: contracts.AuditRevocation, By: principalID, Says: says}
	if principalID != gate.OwnerID { // every node detects that a shared token is no longer valid
		f.Key = principalID
	}
	s.recordAudit(f)
}
