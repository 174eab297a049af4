package hub

import "time"

// window allows at most cap(at) uses in any period of length span. It uses the monotonic clock, so
// a jump in the wall clock neither resets nor blocks it.
type window struct {
	span time.Duration
	at   []time.Time // times of the last uses, as a ring
	next int
}

func newWindow(uses int, span time.Duration) *window {
	return &window{span: span, at: make([]time.Time, 0, uses)}
}

// use counts one use and returns true if the limit allows it. Otherwise, it returns the time to
// wait and false.
func (w *window) use(now time.Time) (wait time.Duration, ok bool) {
	if len(w.at) < cap(w.at) {
		w.at = append(w.at, now)
		return 0, true
	}
	oldest := w.at[w.next]
	if wait := w.span - now.Sub(oldest); wait > 0 {
		return wait, false
	}
	w.at[w.next] = now
	w.next = (w.next + 1) % len(w.at)
	return 0, true
}

// bucket is a token bucket for frequent messages. It needs only two fields and no history.
type bucket struct {
	level float64
	at    time.Time
}

// use takes one token from a bucket that holds up to size tokens and refills at rate tokens per
// second. If no token is left, it returns the time to wait and false.
func (b *bucket) use(now time.Time, rate, size float64) (wait time.Duration, ok bool) {
	if b.at.IsZero() {
		b.level = size
	} else {
		b.level = min(size, b.level+now.Sub(b.at).Seconds()*rate)
	}
	b.at = now
	if b.level < 1 {
		return time.Duration((1 - b.level) / rate * float64(time.Second)), false
	}
	b.level--
	return 0, true
}
