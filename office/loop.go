package office

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/director"
	"github.com/bullpen-office/bullpen/ledger"
	"github.com/bullpen-office/bullpen/world"
)

const (
	turnRequests    = 128 // inputs that share one append
	appendTimeout   = 30 * time.Second
	retryAfter      = time.Second // the next try of what is due when an append failed
	checkpointEvery = 2000        // records
)

// request is a command or a fact on its way through the loop.
type request struct {
	cmd     *contracts.Command
	fact    contracts.Fact
	reply   chan contracts.Reply
	outcome contracts.Reply
}

// Run works until ctx ends: one input after the other, one append per turn.
func (o *Office) Run(ctx context.Context) error {
	defer close(o.done)
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		var batch []*request
		select {
		case <-ctx.Done():
			return o.saveCheckpoint(context.WithoutCancel(ctx))
		case r := <-o.inbox:
			batch = o.drain(r)
		case <-timer.C:
		}
		err := o.turn(batch)
		timer.Reset(o.untilDeadline(err != nil))
	}
}

// drain takes what else waits, so that it shares the append.
func (o *Office) drain(first *request) []*request {
	batch := []*request{first}
	for len(batch) < turnRequests {
		select {
		case r := <-o.inbox:
			batch = append(batch, r)
		default:
			return batch
		}
	}
	return batch
}

// turn decides a batch of inputs and what follows, appends it, then replies.
func (o *Office) turn(batch []*request) error {
	ctx, cancel := context.WithTimeout(context.Background(), appendTimeout)
	defer cancel()
	t := &turn{o: o, ctx: ctx, after: o.world.Seq(), receipts: map[string]*contracts.Receipt{}}
	err := t.play(batch)
	if err == nil && len(t.recs) > 0 {
		began := o.clock.elapsed()
		err = o.ledger.Append(ctx, t.after, t.recs)
		o.metrics.appended(t.recs, o.clock.elapsed()-began, err)
	}
	if err != nil {
		err = errors.Join(err, o.refold(ctx))
		o.log.Error("a turn failed; the world was folded anew", "after", t.after, "records", len(t.recs), "error", err)
	}
	o.setFailure(err)
	if err == nil && slices.ContainsFunc(t.recs, changesWork) {
		o.publishWork()
	}
	for _, r := range batch {
		if err != nil && r.outcome.Refusal == nil && !r.outcome.Duplicate {
			r.outcome = contracts.Reply{Refusal: refuseUnwritten(err)}
		}
		o.metrics.answered(r)
		r.reply <- r.outcome
	}
	if o.world.Seq()-o.checkpoint >= checkpointEvery {
		if err := o.saveCheckpoint(ctx); err != nil {
			o.log.Warn("the checkpoint was not saved; the next start folds more records", "error", err)
		}
	}
	return err
}

// refuseUnwritten says that nothing was carried out and when to try again.
func refuseUnwritten(err error) *contracts.Refusal {
	r := contracts.Refuse(contracts.CodeInternal, "The ledger did not take it, so nothing happened: %v. Try again with the same id.", err)
	r.RetryAfterMS = retryAfter.Milliseconds()
	return r
}

// refold throws the spoilt world away.
func (o *Office) refold(ctx context.Context) error {
	w, err := Load(ctx, o.ledger, o.scene)
	if err != nil {
		return err
	}
	o.world = w
	return nil
}

// changesWork reports whether a record can change what runners should be doing.
func changesWork(r contracts.Record) bool {
	return r.Kind != contracts.KindHUD && r.Kind != contracts.KindReceipt && r.Kind != contracts.KindGoal
}

func (o *Office) publishWork() {
	work := o.world.Work()
	o.mu.Lock()
	same := slices.EqualFunc(o.work, work, func(a, b contracts.Work) bool { return a.Key == b.Key })
	o.work = work
	o.mu.Unlock()
	if same {
		return
	}
	select {
	case o.workChanged <- struct{}{}:
	default: // a signal waits already
	}
}

func (o *Office) saveCheckpoint(ctx context.Context) error {
	if o.world.Seq() == o.checkpoint {
		return nil
	}
	state, err := o.world.Encode()
	if err != nil {
		return err
	}
	c := ledger.Checkpoint{Seq: o.world.Seq(), Version: world.StateVersion, State: state}
	if err := o.ledger.SaveCheckpoint(ctx, c); err != nil {
		return fmt.Errorf("save the checkpoint at %d: %w", c.Seq, err)
	}
	o.checkpoint = c.Seq
	return nil
}

// untilDeadline is how long the office may rest.
func (o *Office) untilDeadline(failed bool) time.Duration {
	if failed {
		return retryAfter
	}
	at, ok := o.director.Deadline(o.world)
	if !ok {
		return time.Hour
	}
	return max(0, time.Duration(at-o.clock.MS())*time.Millisecond)
}

func (o *Office) setFailure(err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.failure = err
}

// moment is what the director may know of now.
func (o *Office) moment() director.Now {
	return director.Now{MS: max(o.clock.MS(), o.world.TS()), Players: o.Players()}
}
