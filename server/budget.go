package server

import (
	"context"

	"github.com/bullpen-office/bullpen/turn"
)

// Spent returns the usage that the office has counted.
func (s *Server) Spent(_ context.Context, agentID, taskID string) (out turn.Spent) {
	out.Task, out.AgentDay, out.Day = s.view.Spent(agentID, taskID)
	return out
}
