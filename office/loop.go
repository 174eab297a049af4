package office

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/director"
	"github.com/bullpen-office/bullpen/invariant"
	"github.com/bullpen-office/bullpen/ledger"
	"github.com/bullpen-office/bullpen/world"
)

const (
	batchSize       = 128  // once an append has this many inputs, no more are added; a group of up to this many facts is not split
	largeBatch      = 1024 // like batchSize, for a ledger with large appends
	appendTimeout   = 30 * time.Second
	endTimeout      = 5 * time.Second // time for appends to finish after Run's context is done
	retryAfter      = time.Second     // wait before due steps are retried after a failed append
	checkpointEvery = 2000            // records between two checkpoints
)

// request is a command or fact that is waiting for the loop.
type request struct {
	cmd     *contracts.Command
	fact    contracts.Fact
	teller  contracts.Teller // the node that reports the fact; zero means this node
	key     string           // keeps the input from being recorded twice; may be empty
	reply   chan contracts.Reply
	outcome contracts.Reply
}

func newRequest(cmd *contracts.Command, fact contracts.Fact) *request {
	return &request{cmd: cmd, fact: fact, reply: make(chan contracts.Reply, 1)}
}

func (r *request) keyOf() string {
	if r.fact != nil {
		return cmp.Or(contracts.FactKey(r.fact), r.teller.Key)
	}
	return director.ReceiptKey(*r.cmd)
}

// ErrReplaced is the cancellation cause of Run's context when another node takes over as the
// writer. The node continues to run, but this Office writes nothing more.
var ErrReplaced = errors.New("another node has taken over as the office's writer")

// Run processes inputs in order until ctx is done, with one append per batch.
func (o *Office) Run(ctx context.Context) error {
	defer close(o.done)
	var cancel context.CancelFunc
	o.appendCtx, cancel = outlive(ctx, endTimeout)
	defer cancel()
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		var inputs []*request
		select {
		case <-ctx.Done():
			if errors.Is(context.Cause(ctx), ErrReplaced) {
				return nil
			}
			return o.end(context.WithoutCancel(ctx))
		case work := <-o.betweenBatches:
			work()
			continue
		case list := <-o.inbox:
			inputs = o.drain(list)
		case r := <-o.redactions:
			r.ended <- o.redact(r)
		case <-timer.C:
		}
		err := o.process(inputs)
		timer.Reset(o.untilDeadline(err != nil))
	}
}

// outlive returns a context that outlives ctx by the given duration, unless cancel ends it earlier.
func outlive(ctx context.Context, by time.Duration) (longer context.Context, cancel context.CancelFunc) {
	longer, end := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() {
		select {
		case <-time.After(by):
			end()
		case <-longer.Done():
		}
	})
	return longer, func() { stop(); end() }
}

// end records that this life of the office has ended, and saves a checkpoint. If the end cannot be
// written, the next life records it.
func (o *Office) end(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, endTimeout)
	defer cancel()
	if o.life != "" && !o.dirty {
		after := o.world.Seq()
		recs, err := o.director.End(o.world, o.moment())
		if err == nil {
			err = o.ledger.Append(ctx, after, recs)
		}
		if err != nil {
			o.dirty = true
			o.log.Warn("shutdown not recorded; the next start will record it", "error", err)
		}
	}
	return o.saveCheckpoint(ctx)
}

// drain returns the inputs in first and those that are waiting, so that they share one append.
func (o *Office) drain(first []*request) []*request {
	inputs := slices.Clip(first) // the slice belongs to its sender
	for len(inputs) < o.perBatch {
		select {
		case list := <-o.inbox:
			inputs = append(inputs, list...)
		default:
			return inputs
		}
	}
	return inputs
}

// process decides on a batch of inputs and their consequences, appends the result, then replies.
func (o *Office) process(inputs []*request) error {
	if err := o.resolve(); err != nil {
		o.refuseMeanwhile(inputs, err)
		return err
	}
	ctx, cancel := context.WithTimeout(o.appendCtx, appendTimeout)
	defer cancel()
	b := &batch{o: o, ctx: ctx, inputs: inputs, receipts: map[string]*contracts.Receipt{}, facts: map[string]contracts.Reply{}}
	err := b.run()
	if errors.Is(err, errUnknown) {
		o.leaveUnresolved(b, err)
		return err
	}
	err = o.conclude(b, err)
	if err == nil && o.world.Seq()-o.checkpoint >= checkpointEvery {
		if err := o.saveCheckpoint(ctx); err != nil {
			o.log.Warn("checkpoint not saved; the next start will read more records", "error", err)
		}
	}
	return err
}

// conclude answers the inputs of a batch whose outcome is known: err is nil if the batch was
// appended.
func (o *Office) conclude(b *batch, err error) error {
	if err == nil {
		b.rememberRefusals()
	} else {
		if b.begins {
			o.setLife("") // the life is recorded with the next input
		}
		err = o.recoverBatch(b.inputs, err)
	}
	o.setFailure(err)
	o.metrics.turns.Set(float64(len(o.world.Turns())))
	if (o.workDeferred || slices.ContainsFunc(b.recs, changesWork)) && err == nil {
		o.publishWork()
	}
	for _, r := range b.inputs {
		o.answer(r)
	}
	return err
}

// answer sends the outcome of an input to its sender.
func (o *Office) answer(r *request) {
	if invariant.On && r.cmd != nil && r.outcome.Refusal == nil {
		invariant.Acknowledged(r.outcome.Seq, o.ledger.Head())
	}
	o.metrics.answered(r)
	r.reply <- r.outcome
}

// recoverBatch rebuilds the world from the ledger and sets the reply to each input. A command may
// have been recorded despite the failure; its reply then comes from the ledger.
func (o *Office) recoverBatch(inputs []*request, cause error) error {
	ctx, cancel := context.WithTimeout(o.appendCtx, appendTimeout)
	defer cancel()
	o.dirty = true
	err := errors.Join(cause, o.refold(ctx))
	o.log.Error("batch failed; rebuilding the world from the ledger", "dirty", o.dirty, "error", err)
	b := &batch{o: o, ctx: ctx}
	for _, r := range inputs {
		r.outcome = contracts.Reply{Refusal: refuseNotExecuted(cause)}
		if o.dirty {
			r.outcome.Refusal = refuseUnknown(err)
			continue
		}
		if r.cmd == nil {
			continue
		}
		if again, ok, err := b.recordedReply(*r.cmd); err != nil {
			r.outcome.Refusal = refuseUnknown(err)
		} else if ok {
			r.outcome = again
		}
	}
	return err
}

// refuseNotExecuted returns a refusal, with a retry delay, for a request that was not executed.
func refuseNotExecuted(err error) *contracts.Refusal {
	r := contracts.Refuse(contracts.CodeInternal, "not executed: %v; retry with the same id", err)
	r.RetryAfterMS = retryAfter.Milliseconds()
	return r
}

// refuseUnknown returns a refusal for a request with an unknown outcome. Retrying with the same id is
// safe.
func refuseUnknown(err error) *contracts.Refusal {
	r := contracts.Refuse(contracts.CodeInternal, "outcome unknown: %v; retry with the same id, so that the request is executed only once", err)
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

// changesWork reports whether a record can change what Work returns.
func changesWork(r contracts.Record) bool {
	return r.Kind != contracts.KindHUD && r.Kind != contracts.KindUI && r.Kind != contracts.KindReceipt && r.Kind != contracts.KindGoal
}

func (o *Office) publishWork() {
	all := o.world.Work()
	work := slices.DeleteFunc(all, func(w contracts.Work) bool { return o.busyElsewhere(w.AgentID) })
	o.workDeferred = len(work) < len(all)
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

// busyElsewhere reports whether another node is running one of an agent's turns.
func (o *Office) busyElsewhere(agentID string) bool {
	return slices.ContainsFunc(o.world.Turns(), func(t *world.Turn) bool {
		if t.AgentID != agentID || t.Owner == o.life || !contracts.IsLife(t.Owner) {
			return false
		}
		owner := o.world.Owner(t.Owner)
		return owner != nil && owner.Up
	})
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
		return fmt.Errorf("save the checkpoint at record %d: %w", c.Seq, err)
	}
	o.checkpoint = c.Seq
	return nil
}

// untilDeadline returns how long the office may wait for input before a step is due.
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

// moment returns the current values that the director needs: time, players, node and life.
func (o *Office) moment() director.Now {
	return director.Now{MS: max(o.clock.MS(), o.world.TS()), Players: o.Players(), Node: o.node, Life: o.life}
}

// beginning returns the moment for Begin, with the life to continue. If that life is empty, Begin
// starts a new life.
func (o *Office) beginning() director.Now {
	now := o.moment()
	now.Life = o.earlierLife
	return now
}
