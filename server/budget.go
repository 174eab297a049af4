package server

import (
	"context"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/turn"
	"github.com/bullpen-office/bullpen/world"
)

// Spent returns the usage that the office has counted. The crew counts against the
// crew's daily budget, and so do programs that the office starts for bridge callers.
// Other guests do not: the office cannot stop them.
func (s *Server) Spent(_ context.Context, agentID, taskID string) (out turn.Spent) {
	now := s.office.Clock().MS()
	s.view.Look(func(w *world.World) {
		if t := w.Task(taskID); t != nil && t.Usage != nil {
			out.Task = *t.Usage
		}
		day := w.Usage(now).Day
		for _, u := range w.UsageAgents() {
			if a := w.Agent(u.AgentID); u.Last.Day != day || a == nil || a.Guest() && a.Source != contracts.SourceBridge {
				continue
			}
			if u.AgentID == agentID {
				out.AgentDay = u.Last.UsageTotal
			}
			add(&out.Day, u.Last.UsageTotal)
		}
	})
	return out
}

func add(sum *contracts.UsageTotal, t contracts.UsageTotal) {
	sum.TokensIn += t.TokensIn
	sum.TokensOut += t.TokensOut
	sum.CostUSD += t.CostUSD
	sum.Priced += t.Priced
	sum.Unpriced += t.Unpriced
	sum.Estimated += t.Estimated
	sum.Listed += t.Listed
}
