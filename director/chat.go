package director

import (
	"strings"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/world"
)

// say records a person's message; the agent's answer follows as a separate chat record.
func (a *act) say(c contracts.Say) (contracts.Result, *contracts.Refusal) {
	thread := c.ThreadID
	if thread == "" {
		thread = contracts.ThreadBD
		if c.To != "" && c.To != contracts.AgentBD {
			thread = contracts.AgentThreadPx + c.To
		}
	}
	to := contracts.AgentBD
	if thread != contracts.ThreadBD {
		id, isAgent := strings.CutPrefix(thread, contracts.AgentThreadPx)
		if !isAgent || a.w.Agent(id) == nil {
			return contracts.Result{}, contracts.Refuse(contracts.CodeNotFound, "no thread %q; use %q, or agent:<agent_id> for an agent in the office", thread, contracts.ThreadBD)
		}
		to = id
	}
	if a.w.Agent(to) == nil {
		return contracts.Result{}, contracts.Refuse(contracts.CodeNotFound, "no reader for thread %q: %s is not in the office", thread, to)
	}
	if ag := a.w.Agent(to); !a.cfg.Sources.Obeys(&ag.AgentProfile, contracts.CmdChat) {
		return contracts.Result{}, contracts.Refuse(contracts.CodeNotAllowed, "%s is a guest and does not receive messages from the office; write to it where it runs", ag.Name)
	}
	if c.To != "" && c.To != to {
		return contracts.Result{}, contracts.Refuse(contracts.CodeNotFound, "%q does not read thread %q", c.To, thread)
	}
	if n := a.w.Unanswered(); n >= contracts.LimitUnreadChats {
		return contracts.Result{}, contracts.Refuse(contracts.CodeConflict, "too many unanswered messages (%d); wait for some answers", n)
	}
	a.emit(&contracts.Chat{ThreadID: thread, From: contracts.UserID, To: to, Text: c.Text})
	return contracts.Result{}, nil
}

// bdSays records a chat message from BD in BD's thread. If the office has no BD, it does nothing.
func (a *act) bdSays(p *world.Project, text string, actions ...contracts.SuggestedAction) {
	bd := a.w.Agent(contracts.AgentBD)
	if bd == nil {
		return
	}
	a.emit(&contracts.Chat{
		ThreadID: contracts.ThreadBD, From: bd.AgentID, To: contracts.UserID, Text: text,
		SuggestedActions: actions, ProjectID: p.ProjectID, Rehearsal: a.cfg.Sources.Of(bd.Runner).Scripted,
	})
}
