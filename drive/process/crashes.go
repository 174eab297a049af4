package process

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/bullpen-office/bullpen/contracts"
)

// ErrLooping means that a program keeps crashing and is not restarted for now.
var ErrLooping = errors.New("the program keeps exiting without an answer")

// Crashes lists the times at which a program exited without answering.
type Crashes []time.Time

// Note adds a crash and drops crashes that are no longer recent.
func (c *Crashes) Note(now time.Time) { *c = append(c.recent(now), now) }

// Check returns ErrLooping after too many crashes in too short a time.
func (c *Crashes) Check(now time.Time) error {
	if *c = c.recent(now); len(*c) >= contracts.LimitCrashes {
		return fmt.Errorf("%w (%d times in %v) and will not be restarted for a while", ErrLooping, contracts.LimitCrashes, contracts.CrashWindow)
	}
	return nil
}

func (c *Crashes) recent(now time.Time) []time.Time {
	return slices.DeleteFunc(*c, func(t time.Time) bool { return now.Sub(t) > contracts.CrashWindow })
}
