package turn

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/bullpen-office/bullpen/contracts"
)

// stall stops a turn that shows no sign of life for too long. That a program lives is no
// sign of life; that a tool of it runs is worth some patience, and the time that a person
// takes to answer is not the agent's.
type stall struct {
	limit  time.Duration // 0: never
	cancel context.CancelCauseFunc
	now    func() time.Time
	quit   context.CancelFunc
	done   chan struct{}

	alive atomic.Int64 // Unix nanoseconds of the last sign of life
	tools atomic.Int32 // that run now
	asked atomic.Int32 // questions that wait for a person
}

// touch is a sign of life.
func (s *stall) touch() { s.alive.Store(s.now().UnixNano()) }

// start begins to watch; stop ends it and waits.
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
		left, limit := s.patience()
		if left <= 0 {
			s.cancel(fmt.Errorf("%w for %s; the turn was stopped; try again", ErrStalled, limit))
			return
		}
		timer.Reset(min(left, s.limit))
	}
}

// patience is how much longer the silence may last, and how long in all.
func (s *stall) patience() (left, limit time.Duration) {
	if s.asked.Load() > 0 {
		s.touch()
	}
	limit = s.limit
	if s.tools.Load() > 0 {
		limit = max(limit, contracts.ToolStall)
	}
	return limit - s.now().Sub(time.Unix(0, s.alive.Load())), limit
}
