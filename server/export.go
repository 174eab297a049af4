package server

import (
	"cmp"
	"context"
	"net/http"
	"path/filepath"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/export/agui"
	"github.com/bullpen-office/bullpen/export/otlp"
	"github.com/bullpen-office/bullpen/gate"
)

// TracesConfig says where activity goes as OpenTelemetry traces.
type TracesConfig struct {
	URL     string      // with its path
	Header  http.Header // may hold a secret
	Content bool        // arguments, results and labels too
}

// openExports makes what shows the ledger in other protocols.
func (s *Server) openExports() (err error) {
	s.agui = agui.New(agui.Config{
		Ledger: s.ledger, Open: s.view.Begun, State: s.aguiState, Principal: gate.PrincipalFrom, Now: s.office.Clock().Now, Log: s.cfg.Log,
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
		Profile: s.who, Provider: s.provider, Version: s.cfg.Version, Now: s.office.Clock().Now, Log: s.cfg.Log,
	})
	return err
}

// exportTraces runs the export. An export that cannot go on is no reason to close
// the office.
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

// who is an agent, as far as it is known now.
func (s *Server) who(id string) contracts.AgentProfile {
	p, _ := s.view.Profile(id)
	p.AgentID = id
	return p
}

// provider names who runs an agent's model. What no adapter describes has the name that
// its profile gives.
func (s *Server) provider(p contracts.AgentProfile) string {
	name := cmp.Or(p.Source, p.Runner)
	if r, ok := s.cfg.Staff.Runner(p.Runner); ok && !p.Guest() {
		name = string(r.Kind)
	}
	if source := s.sources.Of(name); source.Label != "" {
		return source.Provider
	}
	return cmp.Or(p.Source, p.Runner)
}

// aguiState is what an AG-UI client starts from: the office, or one person of it.
func (s *Server) aguiState(scope agui.Scope) any {
	snap := s.view.State()
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

// closeSockets closes what a credential that ended has open.
func (s *Server) closeSockets(principalID string) {
	s.hub.CloseRevoked(principalID)
	s.agui.CloseRevoked(principalID)
	s.peers.CloseRevoked(principalID)
}

func (s *Server) revoked(principalID string) {
	s.audited(contracts.Audited{Kind: contracts.AuditRevocation, By: principalID, Says: "The token " + principalID + " was revoked or expired"})
}
