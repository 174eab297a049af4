package server

import (
	"bytes"
	"log/slog"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/bullpen-office/bullpen/contracts"
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
