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

// Upkeep applies the retention rules periodically until ctx is done. While the clock is not
// trusted, nothing is removed by age. A failure is logged and retried, because keeping records too
// long is not a reason to stop.
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
				due[i].MaxAge = 0 // rules by count need no clock
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

// RetentionPaused returns the reason why retention by age is paused, or "" if it is not paused.
func (o *Office) RetentionPaused() string {
	if o.clockTrust.trusts(o.wall(), time.Now()) {
		return ""
	}
	return retentionPaused
}

// Retain saves a checkpoint. It then removes the records that the rules select, except those that
// the world at that checkpoint needs. Later folds produce the same world, and the checkpoint still
// matches the records. For earlier points in time, only the room can be rebuilt, because activity
// has been removed. The office processes commands and facts during the removal.
func (o *Office) Retain(ctx context.Context, rules []ledger.Rule) (removed int, err error) {
	if i := slices.IndexFunc(rules, func(r ledger.Rule) bool { return world.HasLastingEffect(r.Kind) }); i >= 0 {
		return 0, fmt.Errorf("records of kind %s cannot be removed: the office needs them to rebuild its state", rules[i].Kind)
	}
	upTo, retained, err := o.checkpointForRetention(ctx)
	if err != nil {
		return 0, err
	}
	rules = slices.Clone(rules)
	for i := range rules {
		if rules[i].UpTo = upTo; rules[i].Kind == contracts.KindHUD {
			rules[i].Keep = retained
		}
	}
	return o.ledger.Retain(ctx, o.wall(), rules)
}

// checkpointForRetention saves a checkpoint between two batches, and returns its seq and the seqs
// of the records that the world needs.
func (o *Office) checkpointForRetention(ctx context.Context) (seq uint64, retained []uint64, err error) {
	settled := make(chan error, 1)
	work := func() {
		if o.dirty {
			settled <- errors.New("the world is being rebuilt from the ledger after a failure")
			return
		}
		seq, retained = o.world.Seq(), o.world.RetainedSeqs()
		settled <- o.saveCheckpoint(ctx)
	}
	select {
	case o.betweenBatches <- work:
	case <-ctx.Done():
		return 0, nil, ctx.Err()
	case <-o.done:
		return 0, nil, errStopped
	}
	err = <-settled
	return seq, retained, err
}
