package door

import (
	"time"

	"github.com/bullpen-office/bullpen/contracts"
)

// silence measures how long outposts have been silent. A node that was cut off or suspended may
// have missed reports to other nodes, so the measurement starts again when the node becomes the
// writer, and after a pause between two updates.
type silence struct {
	since   time.Time // zero while this node is not the writer
	updated time.Time
}

func (s *silence) update(now time.Time, writes bool) {
	paused := now.Sub(s.updated) >= contracts.OutpostSilence
	s.updated = now
	switch {
	case !writes:
		s.since = time.Time{}
	case s.since.IsZero() || paused:
		s.since = now
	}
}

// of returns how long an outpost that last reported at the given time has been silent, or 0 while
// this node is not the writer.
func (s *silence) of(last, now time.Time) time.Duration {
	if s.since.IsZero() {
		return 0
	}
	if last.Before(s.since) {
		last = s.since
	}
	return now.Sub(last)
}
