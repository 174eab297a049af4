package turn

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/bullpen-office/bullpen/contracts"
)

// stall stops a turn that shows no activity for too long. A live process alone is not activity. A
// running tool extends the limit, and time spent waiting for a person does not count.
type stall struct {
	limit  time.Duration // 0 means never
	cancel context.CancelCauseFunc
	now    func() time.Time
	quit   context.CancelFunc
	done   chan struct{}

	alive atomic.Int64 // Unix nanoseconds of the last activity
	tools atomic.Int32 // running tools
	asked atomic.Int32 // questions waiting for a person
}

// touch records that the agent is active, which restarts the stall timeout.
func (s *stall) touch() { s.alive.Store(s.now().UnixNano()) }

// start watches the turn in the background until stop is called.
func (s *stall) start() {
	if s.touch(); s.limit <= 0 {
		return
	}
	ctx, quit := context.WithCancel(context.Background())
	s.quit, s.done = quit, make(chan struct{})
	go s.watch(ctx)
}

func (s *stall) stop() {
	if s.quit != nil {
		s.quit()
		<-s.done
	}
}

func (s *stall) watch(ctx context.Context) {
	defer close(s.done)
	timer := time.NewTimer(s.limit)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-timer.C:
		}
		left, limit := s.timeLeft()
		if left <= 0 {
			s.cancel(fmt.Errorf("%w for %s; the turn was stopped; try again", ErrStalled, limit))
			return
		}
		timer.Reset(min(left, s.limit))
	}
}

// timeLeft returns how much longer the silence may last, and the limit that applies.
func (s *stall) timeLeft() (left, limit time.Duration) {
	if s.asked.Load() > 0 {
		s.touch()
	}
	limit = s.limit
	if s.tools.Load() > 0 {
		limit = max(limit, contracts.ToolStall)
	}
	return limit - s.now().Sub(time.Unix(0, s.alive.Load())), limit
}
