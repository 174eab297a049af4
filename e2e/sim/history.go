package sim

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/bullpen-office/bullpen/contracts"
)

// history is one run of the simulation.
type history struct {
	plan     plan
	store    *Memory
	injector *faultInjector
	agents   *agents
	until    time.Time // end of the active part
	ids      atomic.Int64
	viewers  []*viewer
	final    contracts.Snapshot // the office's world after everything has settled
	rooms    int                // number of rooms that were opened

	mu      sync.Mutex
	life    *life         // nil while the office is down
	opened  chan struct{} // closed when the office is up again
	lives   int
	sent    []sent
	facts   []reportedFact
	wrong   []string
	zombies sync.WaitGroup // killed lives that are being cleaned up
}

func newHistory(seed uint64) *history {
	h := &history{plan: newPlan(seed), store: NewMemory(), agents: newAgents(seed), opened: make(chan struct{})}
	h.injector = newFaultInjector(&h.plan)
	h.until = time.Now().Add(h.plan.active)
	return h
}

// active reports whether people still act and faults still occur.
func (h *history) active() bool { return time.Now().Before(h.until) }

// overdue reports whether everything should have been answered long ago.
func (h *history) overdue() bool { return time.Since(h.until) > time.Hour }

func (h *history) next() int64 { return h.ids.Add(1) }

func (h *history) newUUID() string {
	return fmt.Sprintf("00000000-0000-4000-8000-%012d", h.next())
}

// await waits until the office is running, and returns it.
func (h *history) await() *life {
	for {
		h.mu.Lock()
		l, opened := h.life, h.opened
		h.mu.Unlock()
		if l != nil {
			return l
		}
		<-opened
	}
}

func (h *history) note(s sent) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.sent = append(h.sent, s)
}

func (h *history) noteFact(f reportedFact) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.facts = append(h.facts, f)
}

func (h *history) addError(format string, args ...any) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.wrong = append(h.wrong, fmt.Sprintf(format, args...))
}

// run plays the history to its end and returns a description of every error. It must be called in a
// synctest bubble.
func (h *history) run() []string {
	ctx, cancel := context.WithCancel(context.Background())
	var server, audience, actors sync.WaitGroup
	server.Go(func() { h.keepOpen(ctx) })
	for n, p := range h.plan.viewers {
		v := h.newViewer(fmt.Sprint("viewer", n), p)
		audience.Go(func() { v.watch(ctx) })
	}
	for n := range h.plan.people {
		name := fmt.Sprint("person", n)
		if n%2 == 0 {
			actors.Go(func() { h.command(name, h.direct) })
			continue
		}
		v := h.newViewer(name, viewerPlan{})
		actors.Go(func() {
			h.command(name, v.ask)
			v.hangUp()
			audience.Go(func() { v.watch(ctx) })
		})
	}
	for n := range h.plan.callers {
		actors.Go(func() { h.call(fmt.Sprint("caller", n)) })
	}
	actors.Go(func() { h.report("script") })
	actors.Go(func() { h.visit("guests") })
	time.Sleep(h.plan.active)
	h.injector.stop()
	actors.Wait()
	h.injector.late.Wait()
	h.await().disk.kill()
	time.Sleep(time.Minute)
	l := h.await()
	h.awaitIdle(l)
	h.recordExpected(l)
	cancel()
	server.Wait()
	audience.Wait()
	h.zombies.Wait()
	h.checkRecords(l)
	return h.wrong
}

// awaitIdle waits until everything that the office can do without people is done. It cuts the
// viewers' connections, so that each of them resumes and receives a snapshot.
func (h *history) awaitIdle(l *life) {
	const quiet, limit = 5 * time.Minute, 3 * time.Hour
	for began := time.Now(); time.Since(began) < limit; {
		head := l.disk.Head()
		l.door.cut()
		time.Sleep(quiet)
		if l.disk.Head() == head && len(l.openTurns()) == 0 && len(l.office.Work()) == 0 {
			return
		}
	}
	h.addError("after %s the office is still busy: turns %v, work %v", limit, l.openTurns(), l.office.Work())
}

// keepOpen runs the server until ctx is done. It restarts the server at the planned times, and
// after the process is killed.
func (h *history) keepOpen(ctx context.Context) {
	r, began := source(h.plan.seed, "restarts"), time.Now()
	restarts := h.plan.restart
	for ctx.Err() == nil {
		l, err := h.open()
		if err != nil { // the next try may succeed
			time.Sleep(between(r, 0, time.Second))
			continue
		}
		h.setLife(l)
		var restart <-chan time.Time
		if len(restarts) > 0 {
			restart = time.After(time.Until(began.Add(restarts[0])))
		}
		select {
		case <-l.disk.killed:
			h.setLife(nil)
			h.zombies.Go(l.stop) // a killed process does not delay the next one
		case err := <-l.failed:
			h.addError("part of the server failed: %v", err)
			h.setLife(nil)
			l.stop()
		case <-restart:
			restarts = restarts[1:]
			h.setLife(nil)
			l.stop()
		case <-ctx.Done():
			l.stop()
			return
		}
		time.Sleep(between(r, 0, 3*time.Second))
	}
}

// setLife makes a life the current one; nil means that the office is down.
func (h *history) setLife(l *life) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.life = l; l != nil {
		h.lives++
		close(h.opened)
		h.opened = make(chan struct{})
	}
}
