package office

import (
	"testing"
	"time"
)

// Retention waits for a day after the clock jumped ahead, and not for a clock that
// was set right again.
func TestRetentionDoubtsAClockThatJumped(t *testing.T) {
	wall, steady := time.Unix(1_800_000_000, 0), time.Unix(0, 0)
	year := 365 * 24 * time.Hour
	c := newSureClock(wall.Add(-time.Hour), wall, steady)
	pass := func(steadily, jump time.Duration, want bool) {
		t.Helper()
		wall, steady = wall.Add(steadily+jump), steady.Add(steadily)
		if got := c.trusts(wall, steady); got != want {
			t.Errorf("trusted: %v after %s and a jump of %s", got, steadily, jump)
		}
	}
	pass(10*time.Minute, 0, true)
	pass(30*24*time.Hour, time.Hour, true) // a machine that slept, a correction
	pass(10*time.Minute, year, false)
	pass(23*time.Hour, 0, false)
	pass(10*time.Minute, -year, true)
	pass(10*time.Minute, year, false)
	pass(24*time.Hour, 0, true)
	if newSureClock(wall.Add(-year), wall, steady).trusts(wall, steady) {
		t.Error("a start a year after the newest record is not in doubt")
	}
	if !newSureClock(time.Time{}, wall, steady).trusts(wall, steady) {
		t.Error("a new office is in doubt")
	}
}
