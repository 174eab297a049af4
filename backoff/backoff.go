// Package backoff spaces out retries. Each wait is about twice as long as the previous wait, up to
// a maximum. Up to half of each wait is random, so that clients that failed together do not retry
// together. The package never decides whether to retry or when to stop.
package backoff

import (
	"cmp"
	"context"
	"math/rand/v2"
	"time"
)

// Defaults for a Backoff.
const (
	DefaultFirst = time.Second
	DefaultMax   = 30 * time.Second
)

// Backoff computes the waits between retries after consecutive failures. The zero value works. It
// is not safe for concurrent use.
type Backoff struct {
	First time.Duration  // longest possible first wait; default: DefaultFirst
	Max   time.Duration  // longest possible wait; default: DefaultMax
	Rand  func() float64 // returns a number from 0 to 1; nil means rand.Float64

	next time.Duration
}

// NoJitter, used as Rand, makes every wait as long as possible. Use it for retries that cannot
// collide with retries by other processes.
func NoJitter() float64 { return 1 }

// Next returns how long to wait now, and doubles the next wait.
func (b *Backoff) Next() time.Duration {
	most := cmp.Or(b.Max, DefaultMax)
	wait := min(cmp.Or(b.next, b.First, DefaultFirst), most)
	b.next = min(2*wait, most)
	return b.Jitter(wait)
}

// Jitter returns a random duration between half of wait and wait.
func (b *Backoff) Jitter(wait time.Duration) time.Duration {
	random := b.Rand
	if random == nil {
		random = rand.Float64
	}
	return wait/2 + time.Duration(random()*float64(wait-wait/2))
}

// Reset makes the next wait as short as the first. Call it after a success.
func (b *Backoff) Reset() { b.next = 0 }

// Wait sleeps for the duration that Next returns. If ctx is done first, it returns
// context.Cause(ctx).
func (b *Backoff) Wait(ctx context.Context) error { return Sleep(ctx, b.Next()) }

// Sleep waits for d and returns nil. If ctx is done first, Sleep returns context.Cause(ctx).
func Sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
