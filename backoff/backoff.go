// Package backoff spaces out retries: each wait is about twice the one before, up to a
// bound, and up to half of it is random, so that clients that failed together do not
// retry together. It never decides whether a retry makes sense, nor when to stop.
package backoff

import (
	"cmp"
	"context"
	"math/rand/v2"
	"time"
)

// Defaults of a Backoff.
const (
	DefaultFirst = time.Second
	DefaultMost  = 30 * time.Second
)

// Backoff counts consecutive failures of something that is retried. The zero value works.
// It is not safe for concurrent use.
type Backoff struct {
	First time.Duration  // longest first wait; default DefaultFirst
	Most  time.Duration  // longest wait; default DefaultMost
	Rand  func() float64 // 0 to 1; default random; see NoJitter

	next time.Duration
}

// NoJitter as Rand makes every wait as long as possible, for retries inside one process that cannot
// collide with others.
func NoJitter() float64 { return 1 }

// Next returns how long to wait now, and doubles the next wait.
func (b *Backoff) Next() time.Duration {
	most := cmp.Or(b.Most, DefaultMost)
	wait := min(cmp.Or(b.next, b.First, DefaultFirst), most)
	b.next = min(2*wait, most)
	return b.Jitter(wait)
}

// Jitter returns a random time between half of wait and all of it.
func (b *Backoff) Jitter(wait time.Duration) time.Duration {
	random := b.Rand
	if random == nil {
		random = rand.Float64
	}
	return wait/2 + time.Duration(random()*float64(wait-wait/2))
}

// Reset restarts at the first wait, after a success.
func (b *Backoff) Reset() { b.next = 0 }

// Wait sleeps for the time that Next returns; it returns an error if ctx ends first.
func (b *Backoff) Wait(ctx context.Context) error { return Sleep(ctx, b.Next()) }

// Sleep returns nil after d, or the cause of ctx's end if that comes first.
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
