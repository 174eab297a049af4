package bridge

import (
	"cmp"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"sync"

	"github.com/bullpen-office/bullpen/bridge/completion"
	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/turn"
)

// headerAgent, headerChat and headerWorkspace belong to the bridge protocol. headerSession is
// OpenClaw's own header; the other headers take precedence over it.
const (
	headerAgent     = "X-Openclaw-Agent-Id"
	headerChat      = "X-Openclaw-Chat-Id"
	headerSession   = "X-Openclaw-Session-Key"
	headerWorkspace = "X-Openclaw-Workspace"
)

// keySeparator separates the agent and the chat in a session key.
const keySeparator = contracts.SessionSeparator

// address is the conversation and workspace that a request is for.
type address struct {
	agent     string
	chat      string
	workspace string
	confined  bool // the program that the office runs for the agent may work only in this workspace
	byModel   bool // the agent was named only by the model parameter
	byHeader  bool // the chat was named by a header
}

func (a address) key() turn.Key { return turn.Key{Agent: a.agent, Chat: a.chat} }

// named reports whether the caller named its conversation.
func (a address) named() bool { return !strings.HasPrefix(a.chat, unnamedMark) }

// addressOf determines the address of a request from the headers, then the user field, then the
// model (bullpen/<agent> or <agent>), then the defaults. A caller that names no chat gets a new
// one.
func addressOf(h http.Header, req *completion.Request, defaultAgent string, newChat func() string) (address, *problem) {
	a := address{agent: h.Get(headerAgent), chat: h.Get(headerChat), workspace: h.Get(headerWorkspace)}
	a.parseSession(h.Get(headerSession))
	a.byHeader = a.chat != ""
	a.parseSession(req.User)
	if a.agent == "" {
		if a.agent = agentOfModel(req.Model); a.agent != "" {
			a.byModel = true
		} else {
			a.agent = defaultAgent
		}
	}
	if strings.HasPrefix(a.chat, unnamedMark) {
		return a, badRequest("user", "Conversation names must not start with %q.", unnamedMark)
	}
	if a.chat == "" {
		a.chat = newChat()
	}
	agent, ok := contracts.SessionAgent(a.key().String())
	switch {
	case !ok:
		return a, badRequest("user", "An agent id and a chat id must be plain text, at most %d bytes in total.", contracts.LimitSessionKey)
	case agent != a.agent: // the key would equal that of another agent
		return a, badRequest("user", "An agent id must not contain %q or end with a colon.", keySeparator)
	case a.chat == turn.AnyChat: // a program started for this chat would serve every chat
		return a, badRequest("user", "%q matches every chat; name a single chat.", turn.AnyChat)
	case a.chat == turn.CrewChat:
		return a, badRequest("user", "The chat %q is reserved for the office; use another name.", turn.CrewChat)
	}
	return a, nil
}

// parseSession parses <chat> or <agent>::<chat> and sets the fields that are still empty.
func (a *address) parseSession(session string) {
	agent, chat, both := strings.Cut(session, keySeparator)
	if !both {
		agent, chat = "", session
	}
	a.agent, a.chat = cmp.Or(a.agent, agent), cmp.Or(a.chat, chat)
}

var agentPattern = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[\p{L}\p{N}]([\p{L}\p{M}\p{N} ._-]*[\p{L}\p{M}\p{N}])?$`)
})

// callable reports whether callers may use this name for an agent that is not connected. Names are
// restricted, because a program may be started for the agent in a directory of that name.
func callable(agent string) bool {
	return len(agent) <= contracts.LimitName && agentPattern().MatchString(agent)
}

// allows reports whether a token may be used for this agent. bound is the agent that the token is
// bound to; empty if there is none.
func allows(bound, agent string) bool {
	return bound == "" || contracts.AgentIDOf(bound) == contracts.AgentIDOf(agent)
}

// notAllowed returns the error for a token that is bound to another agent.
func notAllowed(bound string) *problem {
	return &problem{status: http.StatusForbidden, Type: typeInvalid, Code: "permission_denied",
		Message: fmt.Sprintf("This token is for %s only. Use the model %s%s, or another token.", bound, modelPrefix, bound)}
}

// agentOfModel returns the agent that a model name refers to, or "" if the name leaves the choice
// to the office.
func agentOfModel(model string) string {
	name := strings.TrimPrefix(model, modelPrefix)
	if name == "bullpen" || name == "default" {
		return ""
	}
	return name
}
