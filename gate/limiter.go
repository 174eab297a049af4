package gate

import (
	"sync"
	"time"

	"golang.org/x/time/rate"

	"github.com/bullpen-office/bullpen/contracts"
)

// failureLimiter counts failed logins per address in a sliding window of one minute.
type failureLimiter struct {
	mu     sync.Mutex
	failed map[string][]time.Time
}

func newFailureLimiter() *failureLimiter {
	return &failureLimiter{failed: map[string][]time.Time{}}
}

// count records a failure. It returns 0 or, after too many failures, how long the address must
// wait.
func (l *failureLimiter) count(key string, now time.Time) time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	times := l.recent(key, now)
	if len(times) >= contracts.FailedLoginsPerMinute {
		return times[0].Add(time.Minute).Sub(now)
	}
	if len(times) == 0 && len(l.failed) >= contracts.LimitAddresses {
		forgetOne(l.failed)
	}
	l.failed[key] = append(times, now)
	return 0
}

func (l *failureLimiter) recent(key string, now time.Time) []time.Time {
	times := l.failed[key]
	for len(times) > 0 && now.Sub(times[0]) >= time.Minute {
		times = times[1:]
	}
	if len(times) == 0 {
		delete(l.failed, key)
		return nil
	}
	l.failed[key] = times
	return times
}

// requestLimiter is a token bucket per address.
type requestLimiter struct {
	mu      sync.Mutex
	buckets map[string]*rate.Limiter
}

func newRequestLimiter() *requestLimiter {
	return &requestLimiter{buckets: map[string]*rate.Limiter{}}
}

// take counts a request and returns how long the address must wait, or 0 if it need not wait.
func (l *requestLimiter) take(key string, now time.Time) time.Duration {
	l.mu.Lock()
	b, known := l.buckets[key]
	if !known {
		if len(l.buckets) >= contracts.LimitAddresses {
			forgetOne(l.buckets)
		}
		b = rate.NewLimiter(contracts.HTTPRequestsPerSecond, contracts.HTTPRequestBurst)
		l.buckets[key] = b
	}
	l.mu.Unlock()
	if b.AllowN(now, 1) {
		return 0
	}
	return time.Second
}

// forgetOne evicts an arbitrary entry, to bound the use of memory in constant time.
func forgetOne[V any](m map[string]V) {
	for key := range m {
		delete(m, key)
		return
	}
}
