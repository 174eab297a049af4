package server

import (
	"net/http"
	"os"

	"github.com/bullpen-office/bullpen/agents/claude/watch"
	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/gate"
)

// openClaude lets sessions of Claude Code in: the hook door is always there, and
// their transcripts are read when Config.ClaudeDir names where they are.
func (s *Server) openClaude() {
	home, _ := os.UserHomeDir() // without one, paths are shown whole
	s.claude = watch.New(watch.Config{
		Office: s.office, Roster: s.roster, Blobs: s.ledger, Answers: s.view, Streams: s.hub, Open: s.watched(contracts.SourceClaude),
		Ignore: s.conversations.Ours, State: s.state, Principal: gate.PrincipalFrom, Dir: s.cfg.ClaudeDir, Home: home, Keep: s.cfg.KeepThinking, Price: s.cfg.Staff.Estimate,
		Now: s.cfg.Now, Log: s.cfg.Log, Metrics: s.metrics,
	})
}

// openHookDoor lets agents and operators bring hooks; who only looks may not.
func (s *Server) openHookDoor(mux *http.ServeMux) {
	mux.HandleFunc("POST /hooks/claude", gate.Needs(s.claude.ServeHook, contracts.AccessOperator, contracts.AccessAgent))
}
