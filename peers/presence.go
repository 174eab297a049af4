package peers

import (
	"context"
	"slices"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/hud"
	"github.com/bullpen-office/bullpen/hud/status"
	"github.com/bullpen-office/bullpen/intake"
)

// reportPresence reports to the office whether an agent is connected. An agent that connects becomes
// a guest; crew members are in the office already.
func (p *Peers) reportPresence(agent string) {
	p.reportMu.Lock()
	defer p.reportMu.Unlock()
	here, id := slices.Contains(p.Agents(), agent), contracts.AgentIDOf(agent)
	known, inside := p.cfg.Agent(id)
	if inside && !known.Guest() {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), contracts.RecordTimeout)
	defer cancel()
	seen := status.Evidence{Source: contracts.FromStream, Claim: status.Gone, Says: "disconnected", At: p.cfg.Now().UnixMilli()}
	switch {
	case here:
		seen.Claim, seen.Says = status.Present, "connected"
		if err := p.cfg.Roster.Join(ctx, contracts.AgentProfile{AgentID: id, Name: agent, Source: contracts.SourceBridge}, intake.Proof{Seen: true}); err != nil {
			p.cfg.Log.Warn("agent connected but could not join the office", "agent", agent, "error", err)
			return
		}
	case known.Source != contracts.SourceBridge: // the agent used the name of another guest and was rejected
		return
	}
	p.cfg.Roster.AddEvidence(ctx, id, seen)
}

// recordReconnect records that a session's program has reconnected.
func (p *Peers) recordReconnect(agent, session string) {
	ctx, cancel := context.WithTimeout(context.Background(), contracts.RecordTimeout)
	defer cancel()
	source := hud.Source{AgentID: contracts.AgentIDOf(agent), Session: contracts.SourceBridge + ":" + session}
	if err := p.cfg.Office.Record(ctx, contracts.HUDSeen{HUD: hud.ReceivedReconnect(source, p.cfg.NewUUID(), session)}); err != nil {
		p.cfg.Log.Warn("could not record a reconnect", "agent", agent, "error", err)
	}
}
