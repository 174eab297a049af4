package cluster

import (
	"context"
	"errors"
	"time"

	"github.com/bullpen-office/bullpen/contracts"
)

// retry calls fn until it succeeds or contracts.JetStreamTimeout has passed.
func retry(ctx context.Context, fn func(ctx context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, contracts.JetStreamTimeout)
	defer cancel()
	for {
		try, cancel := context.WithTimeout(ctx, contracts.JetStreamAttempt)
		err := fn(try)
		cancel()
		if err == nil || !pause(ctx) {
			return err
		}
	}
}

// pause waits before the next attempt. It returns false if ctx is done first.
func pause(ctx context.Context) bool { return pauseFor(ctx, contracts.JetStreamPause) }

func pauseFor(ctx context.Context, d time.Duration) bool {
	select {
	case <-time.After(d):
		return true
	case <-ctx.Done():
		return false
	}
}

// pauseAfter waits before the next attempt to join, longer if another node must be stopped first.
func pauseAfter(ctx context.Context, err error) {
	if refused := (*IncompatibleError)(nil); errors.As(err, &refused) {
		pauseFor(ctx, contracts.LeaseTTL)
		return
	}
	pause(ctx)
}
