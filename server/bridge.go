package server

import (
	"github.com/google/uuid"

	"github.com/bullpen-office/bullpen/bridge"
	"github.com/bullpen-office/bullpen/peers"
	"github.com/bullpen-office/bullpen/turn"
)

func (s *Server) openPeers() {
	s.peers = peers.New(peers.Config{
		Office: parts(s), Roster: s.roster, Agent: s.view.Profile, NewUUID: uuid.NewString, Processes: processes{s},
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
