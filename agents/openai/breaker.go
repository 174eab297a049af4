package openai

import (
	"fmt"
	"sync"
	"time"

	"github.com/bullpen-office/bullpen/contracts"
)

// breaker leaves an endpoint alone that keeps failing: it spares the endpoint, and
// people learn of it at once instead of after many attempts. After a while one call
// is let through to see.
type breaker struct {
	address string
	metrics *metrics

	mu       sync.Mutex
	failures int       // in a row
	until    time.Time // when it is open: until the next look
	probing  bool      // a call is looking
	last     string    // failure
}

// allow says whether a call may be made now.
func (b *breaker) allow(now time.Time) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case b.failures < contracts.LimitModelFailures:
		return nil
	case now.Before(b.until):
		return &failure{reason: fmt.Sprintf("%s failed %d times in a row and is left alone for %s more (circuit open); the last time %s",
			b.address, b.failures, b.until.Sub(now).Round(time.Second), b.last)}
	case b.probing:
		return &failure{reason: fmt.Sprintf("%s failed %d times in a row and is being tried by another call (circuit half-open); try again in a moment", b.address, b.failures)}
	}
	b.probing = true
	return nil
}

// release forgets a call that was stopped before anything was known.
func (b *breaker) release() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.probing = false
}

// note counts a call. An endpoint that complains about a request, or limits the
// rate, is well.
func (b *breaker) note(f *failure, now time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.probing = false
	if f == nil || !f.passing || f.limited {
		b.failures = 0
		b.metrics.state(b.address, false)
		return
	}
	b.failures++
	b.last = f.reason
	if b.failures >= contracts.LimitModelFailures {
		b.until = now.Add(contracts.ModelCooldown)
		b.metrics.state(b.address, true)
	}
}
