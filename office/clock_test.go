package office_test

import (
	"testing"
	"time"

	"github.com/bullpen-office/bullpen/office"
)

// The office's clock ignores a wall clock that jumps back, and follows one that jumps ahead.
func TestClockJumps(t *testing.T) {
	wall, elapsed := time.Date(2026, 1, 2, 3, 0, 0, 0, time.UTC), time.Duration(0)
	c := office.NewClock(func() time.Time { return wall }, func() time.Duration { return elapsed }, 0)
	start := c.MS()
	const minute, day = int64(60_000), int64(86_400_000)
	for _, step := range []struct {
		what          string
		wall, elapsed time.Duration
		want          int64
	}{
		{"a minute passes", time.Minute, time.Minute, start + minute},
		{"set back a day while a minute passes", time.Minute - 24*time.Hour, time.Minute, start + 2*minute},
		{"a minute passes after that", time.Minute, time.Minute, start + 3*minute},
		{"the laptop slept a day", 24 * time.Hour, 0, start + 3*minute + day},
	} {
		wall, elapsed = wall.Add(step.wall), elapsed+step.elapsed
		if got := c.MS(); got != step.want {
			t.Errorf("%s: %d, want %d", step.what, got, step.want)
		}
	}
}

func TestClockStartsAfterTheLedger(t *testing.T) {
	still := func() time.Duration { return 0 }
	c := office.NewClock(func() time.Time { return time.UnixMilli(1000) }, still, 5000)
	if got := c.MS(); got < 5000 {
		t.Fatalf("the clock is at %d, before the last record", got)
	}
}
