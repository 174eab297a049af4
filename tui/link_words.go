package tui

import (
	"fmt"
	"time"

	"github.com/bullpen-office/bullpen/tui/link"
)

// linkWords is the connection in words: one beside the dot, and a sentence when
// there is more to say.
func linkWords(s link.State, now time.Time) (word, more string) {
	switch s.Phase {
	case link.Live:
		return "Live", ""
	case link.Connecting:
		if s.Attempt > 0 {
			more = retryWords(s, now)
		}
		return "Connecting…", more
	case link.Stale:
		return "Reconnecting…", retryWords(s, now)
	case link.Offline:
		return "Offline", retryWords(s, now)
	}
	return "Refused", "" // the banner says why
}

func retryWords(s link.State, now time.Time) string {
	attempt := fmt.Sprintf("attempt %d", max(1, s.Attempt))
	wait := s.RetryAt.Sub(now)
	if s.RetryAt.IsZero() || wait <= 0 {
		return attempt + ", trying now"
	}
	return fmt.Sprintf("%s, next try in %d s", attempt, int((wait+time.Second-1)/time.Second))
}
