package server

import (
	"context"
	"errors"
	"time"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/ledger"
)

// upkeep removes what retention names, now and then. The office looks after its
// checkpoints itself. A failure is logged and tried again: old records in the
// way are no reason to stop.
func (s *Server) upkeep(ctx context.Context) error {
	tick := time.NewTicker(s.cfg.Upkeep)
	defer tick.Stop()
	sure := newSureClock(s.newest, s.cfg.Now(), time.Now())
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
		if !sure.trusts(s.cfg.Now(), time.Now()) {
			s.cfg.Log.Warn("retention paused: the clock is more than a day ahead of the newest record, or jumped ahead; correct it, or keep the office running for a day")
			continue
		}
		removed, err := s.ledger.Retain(ctx, s.cfg.Now(), s.cfg.retention())
		if err != nil && ctx.Err() == nil {
			s.cfg.Log.Error("retention failed; it is tried again later", "error", err)
		} else if removed > 0 {
			s.cfg.Log.Info("old activity removed", "records", removed)
		}
	}
}

// sureClock detects a clock that jumped ahead: records that retention removes because of
// a wrong clock are gone for good.
type sureClock struct {
	wall, steady time.Time // of the last check: wall clock and monotonic clock
	doubt        time.Time // since when the clock is not trusted, monotonic; zero when it is
}

func newSureClock(newest, wall, steady time.Time) *sureClock {
	c := &sureClock{wall: wall, steady: steady}
	if !newest.IsZero() && wall.Sub(newest) > contracts.ClockJump {
		c.doubt = steady
	}
	return c
}

// trusts is false for ClockDoubt after the wall clock jumped ahead of the monotonic
// clock by more than ClockJump. A clock that is set back in that time is trusted again.
func (c *sureClock) trusts(wall, steady time.Time) bool {
	ahead := wall.Round(0).Sub(c.wall.Round(0)) - steady.Sub(c.steady)
	switch c.wall, c.steady = wall, steady; {
	case ahead > contracts.ClockJump:
		c.doubt = steady
	case ahead < -contracts.ClockJump:
		c.doubt = time.Time{}
	}
	return c.doubt.IsZero() || steady.Sub(c.doubt) >= contracts.ClockDoubt
}

// audit reads the ledger once, gently, because an office that started from its
// checkpoint has not read it. The ledger remembers damage, and /readyz tells it.
func (s *Server) audit(ctx context.Context) error {
	if !s.ledger.Durable() {
		return nil
	}
	err := s.ledger.Audit(ctx)
	if err != nil && ctx.Err() == nil && !errors.Is(err, ledger.ErrCorrupt) {
		s.cfg.Log.Error("the ledger was not read to its end; the next start tries again", "error", err)
	}
	return nil
}
