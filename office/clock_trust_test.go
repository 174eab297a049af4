package office

import (
	"testing"
	"time"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/ledger/sqlite"
)

// Retention pauses for a day after the clock jumps ahead, unless the clock is corrected.
func TestRetentionDistrustsAClockThatJumped(t *testing.T) {
	wall, steady := time.Unix(1_800_000_000, 0), time.Unix(0, 0)
	year := 365 * 24 * time.Hour
	c := newClockTrust(false, wall, steady)
	pass := func(steadily, jump time.Duration, want bool) {
		t.Helper()
		wall, steady = wall.Add(steadily+jump), steady.Add(steadily)
		if got := c.trusts(wall, steady); got != want {
			t.Errorf("trusted: %v after %s and a jump of %s", got, steadily, jump)
		}
	}
	pass(10*time.Minute, 0, true)
	pass(30*24*time.Hour, time.Hour, true) // a machine that slept, or a correction
	pass(10*time.Minute, year, false)
	pass(23*time.Hour, 0, false)
	pass(10*time.Minute, -year, true)
	pass(10*time.Minute, year, false)
	pass(24*time.Hour, 0, true)
	if newClockTrust(true, wall, steady).trusts(wall, steady) {
		t.Error("a jump in the records is trusted")
	}
}

// At startup, the clock is compared with the times of the records. Records from an earlier run with
// a wrong clock do not confirm the clock until they span a day.
func TestStartDistrustsAClockThatJumped(t *testing.T) {
	now := time.UnixMilli(1_800_000_000_000)
	const hour, day = time.Hour, 24 * time.Hour
	for name, c := range map[string]struct {
		ages []time.Duration // ages of the records, oldest first
		want bool
	}{
		"new":                               {nil, false},
		"young":                             {[]time.Duration{3 * hour, hour, 0}, false},
		"steady":                            {[]time.Duration{60 * hour, 40 * hour, 30 * hour, 20 * hour, hour}, false},
		"off for months":                    {[]time.Duration{100 * day, 90 * day}, true},
		"restarted after that":              {[]time.Duration{100 * day, 90 * day, 10 * time.Minute, time.Minute}, true},
		"restarted again and again":         {[]time.Duration{90 * day, 23 * hour, 10 * hour, hour, 0}, true},
		"running for a day since":           {[]time.Duration{90 * day, 25 * hour, 10 * hour, hour, 0}, false},
		"off for a weekend, a day ago":      {[]time.Duration{90 * hour, 26 * hour, 20 * hour, hour}, false},
		"off for a weekend":                 {[]time.Duration{90 * hour, 20 * hour, hour}, true},
		"clock set back behind the records": {[]time.Duration{2 * hour, -day, -3 * day}, true},
	} {
		l, err := sqlite.Open(t.Context(), sqlite.Config{})
		if err != nil {
			t.Fatal(err)
		}
		for _, age := range c.ages {
			rec, err := contracts.NewRecord(l.Head()+1, now.Add(-age).UnixMilli(), "", &contracts.Event{Name: contracts.EventAudited})
			if err == nil {
				err = l.Append(t.Context(), l.Head(), []contracts.Record{rec})
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		if got, err := jumpedAhead(t.Context(), l, now); got != c.want || err != nil {
			t.Errorf("%s: %v, %v", name, got, err)
		}
		l.Close()
	}
}
