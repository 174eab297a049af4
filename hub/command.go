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
	s.held = true
	s.mu.Unlock()
	ctx, cancel := context.WithTimeout(s.hub.life, contracts.CommandTimeout)
	reply := s.hub.office.Do(ctx, contracts.Command{ID: id, Caller: s.caller, Data: data})
	cancel()
	frame := s.replyFrame(id, &reply)
	s.mu.Lock()
	s.queue(frame)
	s.held = false
	s.mu.Unlock()
	s.flush()
	s.hub.metrics.commands.Observe(time.Since(start).Seconds())
}

func (s *session) replyFrame(id string, r *contracts.Reply) []byte {
	if r.Refusal != nil {
		s.hub.metrics.refused(r.Refusal.Code)
		return s.privateFrame(contracts.TypeError, contracts.ErrorPayload{InReplyTo: id, Duplicate: r.Duplicate, Refusal: *r.Refusal})
	}
	return s.privateFrame(contracts.TypeAck, contracts.Ack{InReplyTo: id, Status: "ok", Seq: r.Seq, Duplicate: r.Duplicate, Result: r.Result})
}
