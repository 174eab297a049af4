package turn

import (
	"context"

	"github.com/bullpen-office/bullpen/contracts"
)

// recordContext returns the context for recording, limited to contracts.RecordTimeout if a caller
// is waiting.
func (r *recorder) recordContext() (context.Context, context.CancelFunc) {
	if r.own {
		return r.recording, func() {}
	}
	return context.WithTimeout(r.recording, contracts.RecordTimeout)
}

// record passes activity facts to recordFacts. If the start of the turn cannot be recorded, record
// keeps the error in notBegun.
func (r *recorder) record(hs ...contracts.HUD) {
	facts := make([]contracts.Fact, len(hs))
	for i, h := range hs {
		facts[i] = contracts.HUDSeen{HUD: h, Once: true} // a repeated fact is recorded once
	}
	last := hs[len(hs)-1].Event
	if err := r.recordFacts(string(last), facts...); err != nil && last == contracts.HUDTurnStart {
		r.notBegun = err
	}
}

// recordFacts keeps trying to record facts until they are durable or refused. It continues for a
// while after the turn is stopped, because a recorded start needs a matching end. Facts that cannot
// be recorded while a caller is waiting are recorded later, in order. Waiting for the office does
// not count as a stall. The returned error is the last fact's error.
func (r *recorder) recordFacts(what string, facts ...contracts.Fact) error {
	r.mu.Lock()
	late := len(r.pending) > 0
	if late {
		r.pending = append(r.pending, facts...)
	}
	r.mu.Unlock()
	if late {
		return nil
	}
	ctx, done := r.recordContext()
	defer done()
	left, err := r.recordWithRetry(ctx, what, facts...)
	if err == nil {
		return nil
	}
	r.log.Warn("could not record activity", "what", what, "error", err)
	r.mu.Lock()
	r.pending = append(r.pending, left...)
	r.mu.Unlock()
	return err
}

// flushLater records pending facts in the background, in order. If the office closes first, the rest
// is not recorded, and the next run of the office ends the open turn.
func (r *recorder) flushLater() {
	r.mu.Lock()
	pending := r.pending
	r.mu.Unlock()
	if len(pending) == 0 {
		return
	}
	r.engine.start(func() {
		for _, f := range pending {
			_, err := r.recordWithRetry(r.engine.runCtx, "activity of a turn that has ended", f)
			if err == nil {
				continue
			}
			r.log.Warn("could not record activity", "error", err)
			if Refused(err) == nil || startsTurn(f) { // without this fact, the rest is meaningless
				return
			}
		}
	})
}

func startsTurn(f contracts.Fact) bool {
	h, ok := f.(contracts.HUDSeen)
	return ok && h.HUD.Event == contracts.HUDTurnStart
}

// recordWithRetry records facts in one append where possible, and retries those that were not
// recorded. It returns the facts that are still not recorded, and the error of the last fact.
func (r *recorder) recordWithRetry(
	ctx context.Context, what string, facts ...contracts.Fact,
) (left []contracts.Fact, err error) {
	var refused error
	left = facts
	err = RetryUntilRefused(ctx, r.log, what, func(ctx context.Context) error {
		r.stall.touch()
		var failed error
		batch := left
		left = nil
		for i, reply := range r.engine.cfg.Office.Tell(ctx, batch...) {
			switch refusal := reply.Refusal; {
			case refusal == nil:
			case Refused(refusal) == nil:
				left, failed = append(left, batch[i]), refusal
			case i < len(batch)-1:
				r.log.Warn("could not record activity", "what", what, "error", refusal)
			default:
				refused = refusal
			}
		}
		return failed
	})
	if err == nil {
		err = refused
	}
	return left, err
}

// keep stores a large result in full. It is called before the record that refers to the result is
// written.
func (r *recorder) keep(whole []byte) {
	ctx, done := r.recordContext()
	defer done()
	err := RetryUntilRefused(ctx, r.log, "tool result", func(ctx context.Context) error {
		r.stall.touch()
		_, err := r.engine.cfg.Office.PutBlob(ctx, whole)
		return err
	})
	if err != nil {
		r.log.Warn("tool result not stored in full", "bytes", len(whole), "error", err)
	}
}
