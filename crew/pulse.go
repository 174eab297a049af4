package crew

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/bullpen-office/bullpen/activity"
	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/hud"
)

// pulse is a turn's heartbeat: it thins out progress and notices a stall.
type pulse struct {
	turn  *turn
	alive atomic.Int64 // Unix nanoseconds of the last sign of life
	tools atomic.Int32 // of a program, that run now
	asked atomic.Int32 // people who are asked now: the silence is theirs
	woken chan struct{}
	done  chan struct{}
	ctx   context.Context
	quit  context.CancelFunc

	mu      sync.Mutex
	pending *contracts.RunProgress
}

func newPulse(t *turn) *pulse {
	p := &pulse{turn: t, woken: make(chan struct{}, 1), done: make(chan struct{})}
	// Its own context, so that a report that the office does not take never holds
	// the end of the turn up.
	p.ctx, p.quit = context.WithCancel(t.ctx)
	return p
}

// touch is a sign of life.
func (p *pulse) touch() { p.alive.Store(p.turn.crew.Now().UnixNano()) }

// progress replaces what is to be reported next.
func (p *pulse) progress(percent int, preview string) {
	p.touch()
	w := p.turn.work.Task
	if w == nil {
		return
	}
	p.mu.Lock()
	p.pending = &contracts.RunProgress{
		TaskID: w.Task.TaskID, Attempt: w.Task.Attempt,
		Percent: min(max(percent, 0), 100), Preview: hud.Shorten(preview, contracts.LimitPreview),
	}
	p.mu.Unlock()
	select {
	case p.woken <- struct{}{}:
	default:
	}
}

func (p *pulse) start() {
	p.touch()
	go p.beat()
}

// stop ends the pulse and waits for it: no progress follows the turn's end.
// Progress that still waits is dropped, since the end of the turn outdates it.
func (p *pulse) stop() {
	p.quit()
	<-p.done
}

func (p *pulse) beat() {
	defer close(p.done)
	stall := time.NewTimer(p.turn.crew.Stall)
	defer stall.Stop()
	flush := time.NewTimer(0)
	defer flush.Stop()
	<-flush.C
	var last time.Time
	for {
		select {
		case <-p.ctx.Done():
			return
		case <-p.woken:
			flush.Reset(max(0, contracts.ProgressInterval-p.turn.crew.Now().Sub(last)))
		case <-flush.C:
			last = p.turn.crew.Now()
			if !p.flush() {
				flush.Reset(contracts.RecordRetryMax)
			}
		case <-stall.C:
			left, limit := p.patience()
			if left <= 0 {
				p.turn.cancel(fmt.Errorf("%w for %s", errStalled, limit))
				return
			}
			stall.Reset(min(left, p.turn.crew.Stall))
		}
	}
}

// patience is how much longer the silence may last, and how long in all. That a
// program lives is no sign of life; that a tool of it runs is worth some patience.
func (p *pulse) patience() (left, limit time.Duration) {
	if p.asked.Load() > 0 {
		p.touch()
	}
	limit = p.turn.crew.Stall
	if p.tools.Load() > 0 {
		limit = max(limit, contracts.ToolStall)
	}
	return limit - p.turn.crew.Now().Sub(time.Unix(0, p.alive.Load())), limit
}

// flush reports what is pending. It is false when the office could not take it and
// it waits for the next try, unless something newer came meanwhile. It does not
// insist, since the watch over the turn must go on.
func (p *pulse) flush() bool {
	p.mu.Lock()
	f := p.pending
	p.pending = nil
	p.mu.Unlock()
	if f == nil {
		return true
	}
	err := p.turn.offer(p.ctx, *f)
	if err == nil || activity.Refused(err) != nil {
		return true
	}
	p.turn.log.Debug("progress was not taken", "error", err)
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.pending == nil {
		p.pending = f
	}
	return false
}
