package office

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/invariant"
)

// errUnknown means that an append may or may not have happened, or may still happen.
var errUnknown = errors.New("the append is unresolved")

// append appends the batch's records to the ledger.
func (b *batch) append(ctx context.Context) error {
	began := b.o.clock.elapsed()
	b.o.appending.Store(int64(began))
	err := b.o.ledger.Append(ctx, b.after, b.recs)
	b.o.appending.Store(notAppending)
	b.o.metrics.appended(b.recs, b.o.clock.elapsed()-began, err)
	if invariant.On && err == nil {
		invariant.Appended(b.recs[len(b.recs)-1].Seq, b.o.ledger.Head())
	}
	return err
}

// resend finds out whether an append with an unknown outcome happened. It appends the same records
// after the same head, so at most one of the two appends can succeed. It returns nil if the records
// are in the ledger, and errUnknown if the outcome is still unknown. Any other error means that the
// records were not appended and never will be, because the head has moved.
func (b *batch) resend() (err error) {
	defer func() {
		if invariant.On && !errors.Is(err, errUnknown) {
			invariant.Resolved(err == nil)
		}
	}()
	ctx, cancel := context.WithTimeout(b.o.appendCtx, appendTimeout)
	defer cancel()
	if err = b.append(ctx); err == nil {
		return nil
	}
	if b.o.ledger.Head() <= b.after {
		return fmt.Errorf("%w: %w", errUnknown, err)
	}
	got, readErr := b.o.ledger.Read(ctx, b.after, len(b.recs))
	if readErr != nil {
		return fmt.Errorf("%w: %w", errUnknown, readErr)
	}
	if slices.EqualFunc(got, b.recs, sameRecord) {
		return nil
	}
	return err
}

func sameRecord(a, b contracts.Record) bool {
	return a.Seq == b.Seq && a.TS == b.TS && a.Kind == b.Kind && a.ID == b.ID && a.Key == b.Key && bytes.Equal(a.Body, b.Body)
}

// leaveUnresolved keeps a batch whose outcome is unknown. Inputs with a key are refused, because
// they are deduplicated and their senders can safely retry them. Inputs without a key get no answer
// until the outcome is known.
func (o *Office) leaveUnresolved(b *batch, err error) {
	o.log.Error("outcome of an append unknown; nothing else will be appended until it is known", "after", b.after, "error", err)
	o.unresolved, o.dirty = b, true
	o.setFailure(err)
	var waiting []*request
	for _, r := range b.inputs {
		if r.key == "" {
			waiting = append(waiting, r)
			continue
		}
		r.outcome = contracts.Reply{Refusal: refuseUnknown(err)}
		o.answer(r)
	}
	b.inputs = waiting
}

// refuseMeanwhile refuses inputs that arrive while an append is unresolved. The outcome of an input
// that repeats an input of that append is unknown; other inputs have no effect.
func (o *Office) refuseMeanwhile(inputs []*request, err error) {
	for _, r := range inputs {
		refusal, key := refuseNotExecuted(err), r.keyOf()
		if key != "" && slices.ContainsFunc(o.unresolved.recs, func(rec contracts.Record) bool { return rec.Key == key }) {
			refusal = refuseUnknown(err)
		}
		r.outcome = contracts.Reply{Refusal: refusal}
		o.answer(r)
	}
}

// resolve finds out what happened to an unresolved append, so that the next append follows it. It
// returns errUnknown if that is still unknown, in which case nothing may be appended.
func (o *Office) resolve() error {
	b := o.unresolved
	if b == nil {
		return nil
	}
	err := b.resend()
	if errors.Is(err, errUnknown) {
		o.setFailure(err)
		return err
	}
	o.unresolved, o.dirty = nil, err != nil
	_ = o.conclude(b, err) // an error is logged, and the next batch rebuilds the world
	return nil
}
