package bridge

import (
	"context"
	"net/http"
	"time"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/drive"
	"github.com/bullpen-office/bullpen/turn"
)

// sender sends a turn to one caller.
type sender struct {
	bridge *Bridge
	turn   *turn.Turn
	w      http.ResponseWriter
	model  string // the model name in the answer

	unsent bool // frames were written since the last flush
}

// format encodes a turn as the server-sent events of one protocol. Each method returns any number
// of events, which are valid until the next call.
type format interface {
	Begin() []byte // sent immediately
	Text(text string) []byte
	Alive() []byte // sent after each heartbeat interval without text
	End(a drive.Answer) []byte
	Fail(p *problem) []byte
}

// stream sends the turn as events. The stream ends with the events that End or Fail returns, unless
// the caller disconnects first.
func (s *sender) stream(ctx context.Context, f format) {
	h := s.w.Header()
	h.Set("Content-Type", "text/event-stream; charset=utf-8")
	h.Set("X-Accel-Buffering", "no")
	s.w.WriteHeader(http.StatusOK)
	if s.frame(f.Begin()) != nil {
		return
	}
	onText := func(text string) error { return s.frame(f.Text(text)) }
	alive := func() error { return s.frame(f.Alive()) }
	if s.follow(ctx, onText, alive) != nil {
		return
	}
	answer, err := s.turn.Result()
	if err != nil {
		_ = s.frame(f.Fail(asProblem(err)))
		return
	}
	_ = s.frame(f.End(answer))
}

// whole waits for the whole answer and sends it as JSON. If the turn failed, it calls refuse with
// the error instead.
func (s *sender) whole(ctx context.Context, encode func(drive.Answer) ([]byte, error), refuse func(*problem, http.ResponseWriter)) {
	if s.follow(ctx, func(string) error { return nil }, func() error { return nil }) != nil {
		return // the caller disconnected
	}
	var body []byte
	answer, err := s.turn.Result()
	if err == nil {
		body, err = encode(answer)
	}
	if err != nil {
		refuse(asProblem(err), s.w)
		return
	}
	s.w.Header().Set("Content-Type", "application/json; charset=utf-8")
	_, _ = s.w.Write(append(body, '\n'))
}

// frame writes events to the response. They are sent with the next flush, or when the response
// ends.
func (s *sender) frame(frame []byte) error {
	if len(frame) == 0 {
		return nil
	}
	s.unsent = true
	_ = http.NewResponseController(s.w).SetWriteDeadline(time.Now().Add(contracts.WriteTimeout))
	_, err := s.w.Write(frame)
	return err
}

// flush sends the frames written since the last flush.
func (s *sender) flush() error {
	if !s.unsent {
		return nil
	}
	s.unsent = false
	return http.NewResponseController(s.w).Flush()
}

// follow calls onText with each new piece of text and returns nil when the turn is done. alive is
// called after each heartbeat without text. Pieces that arrive together are sent together.
func (s *sender) follow(ctx context.Context, onText func(text string) error, alive func() error) error {
	beat := s.bridge.cfg.Heartbeat
	ticker := time.NewTicker(beat)
	defer ticker.Stop()
	for seen := 0; ; {
		text, done, changed := s.turn.Follow(seen)
		if text != "" {
			if err := onText(text); err != nil {
				return err
			}
			seen += len(text)
			ticker.Reset(beat)
		}
		if done {
			return nil
		}
		if err := s.flush(); err != nil {
			return err
		}
		select {
		case <-changed:
		case <-ticker.C:
			if err := alive(); err != nil {
				return err
			}
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
