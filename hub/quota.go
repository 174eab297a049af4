package hub

import (
	"time"

	"github.com/bullpen-office/bullpen/contracts"
)

// rates holds a session's rate limits. Each window is created on its first use, because most
// viewers never send a command.
type rates struct {
	inbound    bucket
	commands   *window
	requests   *window
	chats      *window
	positions  *window
	violations *window
}

func take(w **window, uses int, span time.Duration, now time.Time) (time.Duration, bool) {
	if *w == nil {
		*w = newWindow(uses, span)
	}
	return (*w).use(now)
}

// countCommand counts a command against the rate limits. It returns a refusal if a limit is
// exceeded, otherwise nil.
func (r *rates) countCommand(g *messageHead, now time.Time) *contracts.Refusal {
	name := g.name
	if g.kind == contracts.TypeChat {
		name = contracts.CmdChat
	}
	if name == contracts.CmdPlayerPos {
		if wait, ok := take(&r.positions, contracts.PlayerPosPerSecond, time.Second, now); !ok {
			return tooFast("positions", wait)
		}
		return nil
	}
	if wait, ok := take(&r.commands, contracts.CommandsPerWindow, contracts.CommandWindow, now); !ok {
		return tooFast("commands", wait)
	}
	switch name {
	case contracts.CmdSubmitRequest:
		if wait, ok := take(&r.requests, contracts.RequestsPerMinute, time.Minute, now); !ok {
			return tooFast("requests", wait)
		}
	case contracts.CmdChat:
		if wait, ok := take(&r.chats, contracts.RequestsPerMinute, time.Minute, now); !ok {
			return tooFast("chat messages", wait)
		}
	}
	return nil
}

func tooFast(what string, wait time.Duration) *contracts.Refusal {
	r := contracts.Refuse(contracts.CodeRateLimited, "too many %s; wait and try again", what)
	r.RetryAfterMS = max(1, (wait + time.Millisecond - 1).Milliseconds())
	return r
}

// countViolation counts a protocol violation. Too many violations close the connection.
func (s *session) countViolation() {
	if _, ok := take(&s.rates.violations, contracts.ViolationsPerMinute-1, time.Minute, time.Now()); !ok {
		s.fail(contracts.CloseViolations, "too many protocol violations")
	}
}
