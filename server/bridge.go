package server

import (
	"net/http"

	"github.com/google/uuid"

	"github.com/bullpen-office/bullpen/bridge"
	"github.com/bullpen-office/bullpen/gate"
	"github.com/bullpen-office/bullpen/peers"
	"github.com/bullpen-office/bullpen/turn"
)

func (s *Server) openPeers() {
	s.peers = peers.New(peers.Config{
		Office: parts(s), Roster: s.roster, Agent: s.view.Profile, NewUUID: uuid.NewString, Loans: loans{s},
		TrustLocal: s.cfg.Staff.Bridge.TrustLoopback, Now: s.cfg.Now, Log: s.cfg.Log,
	})
}

func (s *Server) openEngine() {
	s.engine = turn.New(turn.Config{
		Office: parts(s), Directory: s.directory, NewUUID: uuid.NewString, Memory: s.conversations, Session: s.view.Sessions, Roots: s.directory.Roots,
		Idle: s.cfg.Staff.Bridge.Idle, Budgets: s.cfg.Staff.Budgets, Accounts: s.view, Now: s.cfg.Now, Log: s.cfg.Log,
	})
	s.bridge = bridge.New(bridge.Config{
		Engine: s.engine, Agents: s.directory.Agents, NewUUID: uuid.NewString, Heartbeat: s.cfg.Staff.Bridge.Heartbeat, Now: s.cfg.Now, Log: s.cfg.Log,
	})
}

const (
	oneModel    = gate.ModelsPath + "/{id...}"
	countTokens = gate.MessagesPath + "/count_tokens"
)

// bridgeRoutes returns the bridge's handlers by pattern, for operators and agents.
func (s *Server) bridgeRoutes() map[string]http.HandlerFunc {
	return map[string]http.HandlerFunc{
		"POST " + gate.CompletionsPath: s.bridge.ServeCompletions,
		"POST " + gate.ResponsesPath:   s.bridge.ServeResponses,
		"POST " + gate.MessagesPath:    s.bridge.ServeMessages,
		"POST " + countTokens:          s.bridge.ServeCountTokens,
		"POST /v1/agui/{agent}":        s.bridge.ServeRun,
		"GET " + gate.ModelsPath:       s.bridge.ServeModels,
		"GET " + oneModel:              s.bridge.ServeModel,
		gate.CompletionsPath:           bridge.RefuseMethod,
		gate.ResponsesPath:             bridge.RefuseMethod,
		gate.MessagesPath:              bridge.RefuseMessagesMethod,
		countTokens:                    bridge.RefuseMessagesMethod,
		gate.ModelsPath:                bridge.RefuseMethod,
		oneModel:                       bridge.RefuseMethod,
	}
}
