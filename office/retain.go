package office

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/ledger"
	"github.com/bullpen-office/bullpen/world"
)

// Upkeep retains by the rules now and then, until ctx ends. While the clock is in doubt
// nothing goes by its age. A failure is logged and tried again: old records are no reason
// to stop.
func (o *Office) Upkeep(ctx context.Context, every time.Duration, rules []ledger.Rule) error {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
		due := slices.Clone(rules)
		if paused := o.RetentionPaused(); paused != "" {
			o.log.Warn(paused)
			for i := range due {
				due[i].MaxAge = 0 // what counts records needs no clock
			}
		}
		removed, err := o.Retain(ctx, due)
		if err != nil && ctx.Err() == nil {
			o.log.Error("retention failed; retrying later", "error", err)
		} else if removed > 0 {
			o.log.Info("old activity removed", "records", removed)
		}
	}
}

// RetentionPaused says why nothing is removed by its age now; empty when it is.
func (o *Office) RetentionPaused() string {
	if o.sure.trusts(o.wall(), time.Now()) {
		return ""
	}
	return retentionPaused
}

// Retain saves a checkpoint and then removes what the rules name and the world of that
// checkpoint does not hold. Every later fold stays equal to the bit, and the stored
// checkpoint stays what the records make. An earlier world can be folded no more; its
// room can, because only activity goes. Commands and facts go on meanwhile.
func (o *Office) Retain(ctx context.Context, rules []ledger.Rule) (removed int, err error) {
	if i := slices.IndexFunc(rules, func(r ledger.Rule) bool { return world.Means(r.Kind) }); i >= 0 {
		return 0, fmt.Errorf("records of kind %s cannot be removed: the world is built from them", rules[i].Kind)
	}
	upTo, holds, err := o.settle(ctx)
	if err != nil {
		return 0, err
	}
	rules = slices.Clone(rules)
	for i := range rules {
		if rules[i].UpTo = upTo; rules[i].Kind == contracts.KindHUD {
			rules[i].Keep = holds
		}
	}
	return o.ledger.Retain(ctx, o.wall(), rules)
}

// settle saves a checkpoint between two turns, and says at which seq and what the
// world holds there.
func (o *Office) settle(ctx context.Context) (seq uint64, holds []uint64, err error) {
	settled := make(chan error, 1)
	work := func() {
		if o.dirty {
			settled <- errors.New("rebuilding the world from the ledger after a failure")
			return
		}
		seq, holds = o.world.Seq(), o.world.Holds()
		settled <- o.saveCheckpoint(ctx)
	}
	select {
	case o.between <- work:
	case <-ctx.Done():
		return 0, nil, ctx.Err()
	case <-o.done:
		return 0, nil, errGone
	}
	err = <-settled
	return seq, holds, err
}
