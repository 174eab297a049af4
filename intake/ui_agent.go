package intake

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/bullpen-office/bullpen/contracts"
)

// eventAgent is the agent that an event is about.
type eventAgent struct {
	id      string // empty if the event names no agent
	name    string
	guest   bool   // its status is decided by evidence
	note    string // set when it joins under another name
	refusal *contracts.Refusal
}

// resolveAgent returns the agent that an event is about, and admits the agent if it is new.
func (p *post) resolveAgent(ctx context.Context, e *event) eventAgent {
	if who, ok := p.agents[e.agent]; ok {
		return who
	}
	who, joins := p.identify(e.agent), false
	if who.refusal == nil && who.id != "" {
		if known, ok := p.Agent(who.id); ok {
			who.guest = known.Guest()
		} else {
			joins, who.guest, who.refusal = true, true, p.admit(ctx, who, e.session)
		}
	}
	p.agents[e.agent] = who
	if known, ok := p.Agent(who.id); joins && who.refusal == nil && ok && strings.HasPrefix(known.Name, who.name+" ") {
		who.note = fmt.Sprintf("a new guest joined as %q, because the name %q is taken; to report for another agent, use its id", known.Name, who.name)
	}
	return who
}

// identify returns the agent that an event names, and a refusal if the sender may not send events
// for it.
func (p *post) identify(agent string) eventAgent {
	bound := p.principal.AgentID
	if strings.TrimSpace(agent) == "" {
		agent = bound
	}
	who := eventAgent{id: contracts.AgentIDOf(agent), name: AgentName(agent)}
	if bound != "" && who.id != bound {
		who.refusal = contracts.Refuse(contracts.CodeNotAllowed, "this token is for %s, not for %q; omit the agent, or use another token", bound, contracts.Clip(contracts.CleanLine(agent), contracts.LimitName))
	}
	return who
}

// admit admits an agent that is known only from its events, or returns a refusal.
func (p *post) admit(ctx context.Context, who eventAgent, session string) *contracts.Refusal {
	err := p.Guests.Join(ctx, contracts.AgentProfile{
		AgentID: who.id, Name: who.name, Role: contracts.RoleGuest, Source: contracts.SourceUI, Session: hudSession(who.id, session),
	}, Proof{Seen: p.principal.AgentID == who.id})
	if err == nil {
		return nil
	}
	p.Log.Debug("could not admit the sender of workflow events", "agent", who.id, "error", err)
	if refusal := new(contracts.Refusal); errors.As(err, &refusal) {
		return refusal
	}
	if ctx.Err() != nil {
		return contracts.Refuse(contracts.CodeInternal, "%s could not be admitted in time; try again", who.id)
	}
	return contracts.Refuse(contracts.CodeConflict, "%v", err)
}

// AgentName returns the display name for an agent admitted by name or id.
func AgentName(name string) string {
	shown := contracts.CleanLine(name)
	if contracts.HasPrefix(shown, contracts.PrefixAgent) {
		shown = strings.ReplaceAll(strings.TrimPrefix(shown, string(contracts.PrefixAgent)+"_"), "_", " ")
	}
	return contracts.Clip(shown, contracts.LimitName)
}

// hudSession returns the session that activity belongs to: the one that the sender named, or else a
// default for the agent.
func hudSession(agentID, session string) string {
	if session != "" {
		return session
	}
	if agentID == "" {
		return contracts.SourceUI
	}
	return contracts.SourceUI + ":" + agentID
}
