package crew

import (
	"cmp"
	"context"
	"sync"
	"time"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/hud"
	"github.com/bullpen-office/bullpen/turn"
)

// waitHeartbeat is the interval between progress reports of a task that is waiting for its agent.
const waitHeartbeat = 30 * time.Second

// progress reports the progress of a run's task at a limited rate; only the newest report is kept.
type progress struct {
	run   *run
	woken chan struct{}
	done  chan struct{}
	ctx   context.Context
	quit  context.CancelFunc

	mu      sync.Mutex
	pending *contracts.RunProgress
	began   bool // the agent has started the work
}

func newProgress(r *run) *progress {
	p := &progress{run: r, woken: make(chan struct{}, 1), done: make(chan struct{})}
	// A separate context, so that a report that cannot be recorded never delays the end of the
	// turn.
	p.ctx, p.quit = context.WithCancel(r.ctx)
	return p
}

// report replaces the pending report. It does nothing for work without a task.
func (p *progress) report(percent int, preview string) {
	w := p.run.work.Task
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

// begin marks the work as started, so that it is no longer reported as waiting.
func (p *progress) begin() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.began = true
}

func (p *progress) waits() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return !p.began
}

// stop ends the reports and waits for any report that is being recorded. A pending report is
// dropped: the end of the turn supersedes it.
func (p *progress) stop() {
	p.quit()
	<-p.done
}

func (p *progress) watch() {
	defer close(p.done)
	wait := time.NewTicker(waitHeartbeat)
	defer wait.Stop()
	flush := time.NewTimer(time.Hour)
	flush.Stop()
	defer flush.Stop()
	var last time.Time
	for {
		select {
		case <-p.ctx.Done():
			return
		case <-wait.C:
			if p.waits() {
				p.report(0, "Waiting for the agent to answer earlier messages")
			}
		case <-p.woken:
			flush.Reset(max(0, contracts.ProgressInterval-p.run.crew.Now().Sub(last)))
		case <-flush.C:
			last = p.run.crew.Now()
			if !p.flush() {
				flush.Reset(contracts.RecordRetryMax)
			}
		}
	}
}

// flush records the pending report. It returns false if that failed; the report is then pending
// again, unless a newer report has arrived.
func (p *progress) flush() bool {
	p.mu.Lock()
	f := p.pending
	p.pending = nil
	p.mu.Unlock()
	if f == nil {
		return true
	}
	err := p.run.tryRecord(p.ctx, *f)
	if err == nil || turn.Refused(err) != nil {
		return true
	}
	p.run.log.Debug("could not record progress", "error", err)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.pending = cmp.Or(p.pending, f)
	return false
}
