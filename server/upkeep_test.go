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
)

// Retention removes activity by age and keeps the office's history and the start of an
// open turn.
func TestUpkeepRemovesOldActivity(t *testing.T) {
	r := startRig(t, Config{Upkeep: time.Millisecond, KeepActivity: time.Nanosecond})
	before, err := r.ledger.Stats(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, h := range []contracts.HUD{{Event: contracts.HUDTurnStart, CorrelationID: "over"}, {Event: contracts.HUDTurnStart, CorrelationID: "open"}, {Event: contracts.HUDTurnEnd, CorrelationID: "over"}} {
		h.UUID, h.AgentID = uuid.NewString(), contracts.AgentBD
		if err := r.office.Record(t.Context(), contracts.HUDSeen{HUD: h}); err != nil {
			t.Fatal(err)
		}
	}
	after := before
	r.untilTrue("old activity is removed", func() bool {
		if after, err = r.ledger.Stats(t.Context()); err != nil {
			t.Fatal(err)
		}
		return after.ByKind[contracts.KindHUD] == 1 && r.ledger.Floor() > 0
	})
	if after.ByKind[contracts.KindEvent] < before.ByKind[contracts.KindEvent] {
		t.Errorf("before %v, after %v", before.ByKind, after.ByKind)
	}
}

// A restart with a clock that is a year ahead removes nothing and reports why, although the last
// run left records stamped with that time.
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
		r.untilTrue("retention ran", func() bool {
			return said.with("retention by age is paused") > 1 || said.with("old activity removed") > 0
		})
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

// lines is a log writer whose lines can be counted.
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

// The log warns about a data directory that others can write to.
func TestOpenDataDirectoryWarning(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("file modes mean little on this system")
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
