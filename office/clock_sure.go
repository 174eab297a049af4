package office

import (
	"time"

	"github.com/bullpen-office/bullpen/contracts"
)

// sureClock tells a clock that goes on from one that jumped ahead: what is removed
// because of a wrong clock is gone forever.
type sureClock struct {
	wall, steady time.Time // of the last look, by the clock and by a steady one
	doubt        time.Time // since when the clock is in doubt, steady; zero when it is not
}

// newSureClock begins in doubt when the clock is far ahead of the newest record.
func newSureClock(newest, wall, steady time.Time) *sureClock {
	c := &sureClock{wall: wall, steady: steady}
	if !newest.IsZero() && wall.Sub(newest) > contracts.ClockJump {
		c.doubt = steady
	}
	return c
}

// trusts is false for ClockDoubt after the clock ran ahead of steady time by more
// than ClockJump. A clock that is set back within it is trusted again.
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
