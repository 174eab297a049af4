package bridge

import (
	"net/http"
	"strings"

	"github.com/bullpen-office/bullpen/contracts"
)

// The headers of seed 002, read first.
const (
	headerAgent     = "X-Openclaw-Agent-Id"
	headerChat      = "X-Openclaw-Chat-Id"
	headerWorkspace = "X-Openclaw-Workspace"
)

// defaultChat is the chat of callers that name none.
const defaultChat = "default"

// keySeparator stands between agent and chat in a session key.
const keySeparator = contracts.SessionSeparator

// address is whom a request is for.
type address struct {
	agent     string
	chat      string
	workspace string
	confined  bool // a program of ours may work there, and nowhere else
	byModel   bool // the agent was named by the model alone
}

func (a address) key() string { return a.agent + keySeparator + a.chat }

// addressOf reads headers first, then the user field, then the model's name
// (bullpen/<agent> or <agent>), then the defaults.
func addressOf(h http.Header, req *request, defaultAgent string) (address, *problem) {
	a := address{agent: h.Get(headerAgent), chat: h.Get(headerChat), workspace: h.Get(headerWorkspace)}
	if req.User != "" {
		agent, chat, both := strings.Cut(req.User, keySeparator)
		if !both {
			agent, chat = "", req.User
		}
		if a.agent == "" {
			a.agent = agent
		}
		if a.chat == "" {
			a.chat = chat
		}
	}
	if a.agent == "" {
		if a.agent = agentOfModel(req.Model); a.agent != "" {
			a.byModel = true
		} else {
			a.agent = defaultAgent
		}
	}
	if a.chat == "" {
		a.chat = defaultChat
	}
	agent, ok := contracts.SessionAgent(a.key())
	switch {
	case !ok:
		return a, badRequest("user", "The agent and chat ids together have at most %d bytes of plain text.", contracts.LimitSessionKey)
	case agent != a.agent: // another agent's key would be the same
		return a, badRequest("user", "An agent's id neither contains %q nor ends with a colon.", keySeparator)
	case a.chat == anyChat: // a program started for it would take every chat
		return a, badRequest("user", "%q stands for every chat; name one.", anyChat)
	}
	return a, nil
}

// agentOfSession is whom the session of a hello belongs to.
func agentOfSession(key string) (string, *contracts.Refusal) {
	agent, ok := contracts.SessionAgent(key)
	if !ok {
		return "", contracts.RefuseField("openclaw_session", "The session is <agent>%s<chat>, at most %d bytes of plain text.", keySeparator, contracts.LimitSessionKey)
	}
	return agent, nil
}

// agentOfModel is the agent that a model's name stands for; empty for a name that
// leaves the choice to the office.
func agentOfModel(model string) string {
	name := strings.TrimPrefix(model, modelPrefix)
	if name == "bullpen" || name == "default" {
		return ""
	}
	return name
}
