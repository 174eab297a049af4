package hub

import (
	"context"
	"time"

	"github.com/bullpen-office/bullpen/contracts"
)

// onCommand executes a command. The session's position in the log does not move until the reply is
// queued, so the reply precedes everything that the command causes.
func (s *session) onCommand(id string, data contracts.CommandData) {
	start := time.Now()
	s.mu.Lock()
	s.awaitingReply = true
	s.mu.Unlock()
	ctx, cancel := context.WithTimeout(s.hub.runCtx, contracts.CommandTimeout)
	reply := s.hub.do(ctx, contracts.Command{ID: id, Caller: s.caller, Data: data})
	cancel()
	frame := s.replyFrame(id, &reply)
	s.mu.Lock()
	s.queue(frame)
	s.awaitingReply = false
	s.mu.Unlock()
	s.flush()
	s.hub.metrics.commands.Observe(time.Since(start).Seconds())
}

// do checks and executes a command.
func (h *Hub) do(ctx context.Context, cmd contracts.Command) contracts.Reply {
	if h.check != nil {
		checked, refusal := h.check(ctx, cmd)
		if refusal != nil {
			return contracts.Reply{Refusal: refusal}
		}
		cmd = checked
	}
	return h.office.Do(ctx, cmd)
}

func (s *session) replyFrame(id string, r *contracts.Reply) []byte {
	if r.Refusal != nil {
		s.hub.metrics.refused(r.Refusal.Code)
		return s.privateFrame(contracts.TypeError, contracts.ErrorPayload{InReplyTo: id, Duplicate: r.Duplicate, Refusal: *r.Refusal})
	}
	return s.privateFrame(contracts.TypeAck, contracts.Ack{InReplyTo: id, Status: "ok", Seq: r.Seq, Duplicate: r.Duplicate, Result: r.Result})
}
