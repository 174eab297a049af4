package tui

import (
	"fmt"
	"time"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/tui/link"
)

// linkWords describes the connection: one word next to the dot, and details, if any.
func linkWords(s link.State, now time.Time) (word, more string) {
	switch s.Phase {
	case link.Live:
		return contracts.SayLive, ""
	case link.Connecting:
		if s.Attempt > 0 {
			more = retryWords(s, now)
		}
		return contracts.SayConnecting, more
	case link.Stale:
		return contracts.SayReconnecting, retryWords(s, now)
	case link.Offline:
		return contracts.SayOffline, retryWords(s, now)
	}
	return contracts.SayRefused, "" // the banner shows the reason
}

func retryWords(s link.State, now time.Time) string {
	attempt := fmt.Sprintf(contracts.SayAttempt, max(1, s.Attempt))
	wait := s.RetryAt.Sub(now)
	if s.RetryAt.IsZero() || wait <= 0 {
		return fmt.Sprintf(contracts.SayTryingNow, attempt)
	}
	return fmt.Sprintf(contracts.SayNextTry, attempt, int((wait+time.Second-1)/time.Second))
}
