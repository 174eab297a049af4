package server

import (
	"context"
	"net/http"

	"github.com/google/uuid"

	"github.com/bullpen-office/bullpen/bridge"
	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/gate"
	"github.com/bullpen-office/bullpen/hud"
	"github.com/bullpen-office/bullpen/hud/status"
	"github.com/bullpen-office/bullpen/intake"
	"github.com/bullpen-office/bullpen/turn"
)

// openBridge creates the engine and the bridge. Agents of the crew answer through their
// runner; agents that connected to the bridge answer themselves.
func (s *Server) openBridge() {
	s.engine = turn.New(turn.Config{
		Office: turns{s}, Directory: turns{s}, NewUUID: uuid.NewString, Memory: s.conversations, Roots: func(id string) hud.Roots { return s.directory.Roots(id) }, Idle: s.cfg.Staff.Bridge.Idle, Now: s.cfg.Now, Log: s.cfg.Log,
		Budgets: s.cfg.Staff.Budgets, Accounts: s,
	})
	s.bridge = bridge.New(bridge.Config{
		Office: s, Engine: s.engine, NewUUID: uuid.NewString, Program: func(k turn.Key) (turn.Route, bool) { return s.directory.Program(k) }, Confine: func(dir string) (string, string, error) { return s.directory.Confine(dir) }, ID: contracts.AgentIDOf, Loans: s, TrustLocal: s.cfg.Staff.Bridge.TrustLoopback,
		Heartbeat: s.cfg.Staff.Bridge.Heartbeat, Now: s.cfg.Now, Log: s.cfg.Log,
	})
}

const oneModel = gate.ModelsPath + "/{id...}"

// openBridgeDoors serves the bridge to agents and operators, not to viewers.
func (s *Server) openBridgeDoors(mux *http.ServeMux) {
	for pattern, h := range map[string]http.HandlerFunc{
		"POST " + gate.CompletionsPath: s.bridge.ServeCompletions,
		"POST /v1/agui/{agent}":        s.bridge.ServeRun,
		"GET " + gate.ModelsPath:       s.bridge.ServeModels,
		"GET " + oneModel:              s.bridge.ServeModel,
		gate.CompletionsPath:           bridge.RefuseMethod,
		gate.ModelsPath:                bridge.RefuseMethod,
		oneModel:                       bridge.RefuseMethod,
	} {
		mux.HandleFunc(pattern, gate.Needs(h, contracts.AccessOperator, contracts.AccessAgent))
	}
	mux.HandleFunc("GET "+gate.BridgePath, s.bridge.ServeSocket) // a hello can be a credential
}

// Agents are the people of the crew, by whom callers of the bridge are answered.
func (s *Server) Agents() []string { return s.view.Crew() }

// Present lets an agent in that dialled in, and says of one that hung up that it is
// gone. Who belongs to the crew is here anyway.
func (s *Server) Present(agent string, here bool) {
	id := contracts.AgentIDOf(agent)
	if s.view.OfCrew(id) {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), contracts.RecordTimeout)
	defer cancel()
	seen := status.Evidence{Source: contracts.FromStream, Claim: status.Gone, Says: "it hung up", At: s.cfg.Now().UnixMilli()}
	switch {
	case here:
		seen.Claim, seen.Says = status.Present, "it dialled in"
		if err := s.roster.Join(ctx, contracts.AgentProfile{AgentID: id, Name: agent, Source: contracts.SourceBridge}, intake.Proof{Seen: true}); err != nil {
			s.cfg.Log.Warn("an agent dialled in and cannot be let into the office", "agent", agent, "error", err)
			return
		}
	case !s.dialledIn(id): // it took the name of somebody else and was not let in
		return
	}
	s.roster.Witness(ctx, id, seen)
}

// Reconnected records that an agent's program has reconnected.
func (s *Server) Reconnected(agent, session string) {
	ctx, cancel := context.WithTimeout(context.Background(), contracts.RecordTimeout)
	defer cancel()
	source := hud.Source{AgentID: contracts.AgentIDOf(agent), Session: contracts.SourceBridge + ":" + session}
	if err := s.office.Record(ctx, contracts.HUDSeen{HUD: hud.ReceivedReconnect(source, uuid.NewString(), session)}); err != nil {
		s.cfg.Log.Warn("reconnect not recorded", "agent", agent, "error", err)
	}
}
