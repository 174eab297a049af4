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
	turnRequests    = 128 // inputs per append; groups of up to this many facts are not split
	appendTimeout   = 30 * time.Second
	retryAfter      = time.Second // before retrying due steps after a failed append
	checkpointEvery = 2000        // records
)

// request is a command or a fact in the loop.
type request struct {
	cmd     *contracts.Command
	fact    contracts.Fact
	key     string // makes the input count once; may be empty
	reply   chan contracts.Reply
	outcome contracts.Reply
}

func newRequest(cmd *contracts.Command, fact contracts.Fact) *request {
	return &request{cmd: cmd, fact: fact, reply: make(chan contracts.Reply, 1)}
}

func (r *request) keyOf() string {
	if r.fact != nil {
		return contracts.FactKey(r.fact)
	}
	return director.ReceiptKey(*r.cmd)
}

// Run processes inputs until ctx ends: in order, with one append per turn.
func (o *Office) Run(ctx context.Context) error {
	defer close(o.done)
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		var batch []*request
		select {
		case <-ctx.Done():
			return o.end(context.WithoutCancel(ctx))
		case work := <-o.between:
			work()
			continue
		case list := <-o.inbox:
			batch = o.drain(list)
		case r := <-o.redactions:
			r.ended <- o.redact(r)
		case <-timer.C:
		}
		err := o.turn(batch)
		timer.Reset(o.untilDeadline(err != nil))
	}
}

// end records the end of this life of the office and saves a checkpoint. If the end cannot be
// written, the next life records it.
func (o *Office) end(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, appendTimeout)
	defer cancel()
	if o.life != "" && !o.dirty {
		after := o.world.Seq()
		recs, err := o.director.End(o.world, o.moment())
		if err == nil {
			err = o.ledger.Append(ctx, after, recs)
		}
		if err != nil {
			o.dirty = true
			o.log.Warn("shutdown not recorded; the next start records it", "error", err)
		}
	}
	return o.saveCheckpoint(ctx)
}

// drain adds waiting inputs to the batch, so that they share the append.
func (o *Office) drain(first []*request) []*request {
	batch := slices.Clip(first) // the slice belongs to the sender
	for len(batch) < turnRequests {
		select {
		case list := <-o.inbox:
			batch = append(batch, list...)
		default:
			return batch
		}
	}
	return batch
}

// turn decides a batch of inputs and their consequences, appends the result, then replies.
func (o *Office) turn(batch []*request) error {
	ctx, cancel := context.WithTimeout(context.Background(), appendTimeout)
	defer cancel()
	t := &turn{o: o, ctx: ctx, receipts: map[string]*contracts.Receipt{}, facts: map[string]contracts.Reply{}}
	err := t.run(batch)
	if err == nil {
		t.rememberRefusals()
	} else {
		if t.begins {
			o.life = "" // recorded with the next input
		}
		err = o.afterFailure(batch, err)
	}
	o.setFailure(err)
	o.metrics.turns.Set(float64(len(o.world.Turns())))
	if slices.ContainsFunc(t.recs, changesWork) && err == nil {
		o.publishWork()
	}
	for _, r := range batch {
		o.metrics.answered(r)
		r.reply <- r.outcome
	}
	if err == nil && o.world.Seq()-o.checkpoint >= checkpointEvery {
		if err := o.saveCheckpoint(ctx); err != nil {
			o.log.Warn("checkpoint not saved; the next start reads more records", "error", err)
		}
	}
	return err
}

// afterFailure rebuilds the world and finds out the outcome of the inputs: an append whose answer
// was lost may have happened.
func (o *Office) afterFailure(batch []*request, cause error) error {
	ctx, cancel := context.WithTimeout(context.Background(), appendTimeout)
	defer cancel()
	o.dirty = true
	err := errors.Join(cause, o.refold(ctx))
	o.log.Error("batch failed; rebuilding the world from the ledger", "dirty", o.dirty, "error", err)
	t := &turn{o: o, ctx: ctx}
	for _, r := range batch {
		r.outcome = contracts.Reply{Refusal: refuseUnwritten(cause)}
		if o.dirty {
			r.outcome.Refusal = refuseUnknown(err)
			continue
		}
		if r.cmd == nil {
			continue
		}
		if again, ok, err := t.written(*r.cmd); err != nil {
			r.outcome.Refusal = refuseUnknown(err)
		} else if ok {
			r.outcome = again
		}
	}
	return err
}

// refuseUnwritten returns a refusal that says that nothing was executed and when to retry.
func refuseUnwritten(err error) *contracts.Refusal {
	r := contracts.Refuse(contracts.CodeInternal, "not executed: the ledger rejected it (%v); send it again with the same id", err)
	r.RetryAfterMS = retryAfter.Milliseconds()
	return r
}

// refuseUnknown returns a refusal that says that the outcome is unknown; the id makes a retry safe.
func refuseUnknown(err error) *contracts.Refusal {
	r := contracts.Refuse(contracts.CodeInternal, "outcome unknown: %v; send it again with the same id, it counts once", err)
	r.RetryAfterMS = retryAfter.Milliseconds()
	return r
}

// refold replaces a dirty world with one folded from the ledger.
func (o *Office) refold(ctx context.Context) error {
	w, err := Load(ctx, o.ledger, o.scene)
	if err != nil {
		return err
	}
	o.world, o.dirty = w, false
	return nil
}

// changesWork reports whether a record can change the result of Work.
func changesWork(r contracts.Record) bool {
	return r.Kind != contracts.KindHUD && r.Kind != contracts.KindUI && r.Kind != contracts.KindReceipt && r.Kind != contracts.KindGoal
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
	default: // already signalled
	}
}

func (o *Office) saveCheckpoint(ctx context.Context) error {
	if o.dirty || o.world.Seq() == o.checkpoint {
		return nil
	}
	state, err := o.world.Encode()
	if err != nil {
		return err
	}
	c := ledger.Checkpoint{Seq: o.world.Seq(), Version: world.StateVersion, State: state}
	if err := o.ledger.SaveCheckpoint(ctx, c); err != nil {
		return fmt.Errorf("save checkpoint at %d: %w", c.Seq, err)
	}
	o.checkpoint = c.Seq
	return nil
}

// untilDeadline returns how long the office may wait for input before something is due.
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

// moment returns the director's input about the present: time, players, node and life.
func (o *Office) moment() director.Now {
	return director.Now{MS: max(o.clock.MS(), o.world.TS()), Players: o.Players(), Node: o.node, Life: o.life}
}
