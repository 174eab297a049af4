package server

import (
	"bytes"
	"log/slog"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/ledger/sqlite"
)

// TestUpkeepRemovesOldActivity: activity goes by age, the office's history stays.
func TestUpkeepRemovesOldActivity(t *testing.T) {
	r := startRig(t, Config{Upkeep: time.Millisecond, KeepActivity: time.Nanosecond})
	before, err := r.ledger.Stats(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	seen := contracts.HUDSeen{HUD: contracts.HUD{UUID: uuid.NewString(), Event: contracts.HUDTurnStart, CorrelationID: "c1", AgentID: contracts.AgentBD}}
	if err := r.office.Record(t.Context(), seen); err != nil {
		t.Fatal(err)
	}
	after := before
	r.untilTrue("old activity is removed", func() bool {
		if after, err = r.ledger.Stats(t.Context()); err != nil {
			t.Fatal(err)
		}
		return after.ByKind[contracts.KindHUD] == 0 && r.ledger.Floor() > 0
	})
	if after.ByKind[contracts.KindEvent] < before.ByKind[contracts.KindEvent] {
		t.Errorf("before %v, after %v", before.ByKind, after.ByKind)
	}
}

// Retention waits for a day after the clock jumped ahead, and not for a clock that
// was set right again.
func TestRetentionDoubtsAClockThatJumped(t *testing.T) {
	wall, steady := time.Unix(1_800_000_000, 0), time.Unix(0, 0)
	year := 365 * 24 * time.Hour
	c := newSureClock(false, wall, steady)
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
	if newSureClock(true, wall, steady).trusts(wall, steady) {
		t.Error("records that jumped are not in doubt")
	}
}

// The clock of a start is judged by the times of the records: those of an earlier run
// under a wrong clock are not evidence for it until they span a day.
func TestStartDoubtsAClockThatJumped(t *testing.T) {
	now := time.UnixMilli(1_800_000_000_000)
	const hour, day = time.Hour, 24 * time.Hour
	for name, c := range map[string]struct {
		ages []time.Duration // of the records, the oldest first
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

// Starting again under a clock that is a year ahead removes nothing and says why,
// although the last run has left records with its time.
func TestRestartUnderAWrongClockRemovesNothing(t *testing.T) {
	cfg := Config{DataDir: t.TempDir(), KeepActivity: time.Hour}
	seen := contracts.HUDSeen{HUD: contracts.HUD{UUID: uuid.NewString(), Event: contracts.HUDTurnStart, CorrelationID: "c1", AgentID: contracts.AgentBD}}
	for _, ahead := range []time.Duration{0, 365 * 24 * time.Hour, 365*24*time.Hour + time.Minute} {
		start := time.Now()
		cfg.Now = func() time.Time { return start.Add(ahead + time.Since(start)) }
		var said lines
		if ahead > 0 {
			cfg.Upkeep, cfg.Log = time.Millisecond, slog.New(slog.NewTextHandler(&said, nil))
		}
		r := startRig(t, cfg)
		if ahead == 0 {
			r.tell(seen)
			r.stop()
			continue
		}
		r.untilTrue("retention ran", func() bool { return said.with(retentionPaused) > 1 || said.with("old activity removed") > 0 })
		recs, err := r.ledger.Read(t.Context(), 0, 1, contracts.KindHUD)
		if err != nil || len(recs) != 1 || recs[0].ID != seen.HUD.UUID {
			t.Fatalf("%v ahead: %v, %v", ahead, recs, err)
		}
		if _, body, _ := r.get("/readyz", cfg.ownerToken(t)); !strings.Contains(body, `"retention_paused":"retention by age is paused`) || !strings.Contains(body, `"ready":true`) {
			t.Errorf("%v ahead: %s", ahead, body)
		}
		r.tell(contracts.Audited{Kind: contracts.AuditExport, By: "test"}) // a record with the wrong time
		r.stop()
	}
}

// lines is a log that counts.
type lines struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *lines) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(b)
}

func (l *lines) with(words string) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Count(l.text.String(), words)
}

// The log warns of a data directory that others can write.
func TestOpenDataDirectoryIsWarnedOf(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("modes mean little there")
	}
	for mode, warned := range map[os.FileMode]bool{0o700: false, 0o755: false, 0o770: true, 0o777: true} {
		dir := t.TempDir()
		if err := os.Chmod(dir, mode); err != nil {
			t.Fatal(err)
		}
		var log bytes.Buffer
		warnOpenData(Config{DataDir: dir, Log: slog.New(slog.NewTextHandler(&log, nil))})
		if strings.Contains(log.String(), "chmod 700") != warned {
			t.Errorf("%v: %q", mode, log.String())
		}
	}
}
