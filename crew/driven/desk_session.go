package driven

import (
	"context"
	"errors"
	"sync"

	"github.com/bullpen-office/bullpen/drive"
)

// open is the conversation of a desk, taken up where it was left.
func (r *Runner) open(ctx context.Context, d *desk) (drive.Session, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.session != nil {
		return d.session, nil
	}
	spec := d.spec
	spec.Resume = r.cfg.Memory.Resume(d.key, d.number)
	resumed, release := spec.Resume != "", func() {}
	if r.cfg.Acquire != nil {
		var err error
		if release, err = r.cfg.Acquire(&spec); err != nil {
			return nil, err
		}
	}
	s, err := r.cfg.Driver.Open(ctx, spec)
	if err != nil {
		release()
		return nil, err
	}
	d.session, d.resumed, d.release = s, resumed, release
	return s, nil
}

// answered notes that the conversation lives.
func (r *Runner) answered(d *desk) {
	d.mu.Lock()
	d.resumed = false
	d.mu.Unlock()
	r.remember(d)
}

// remember keeps the program's id of the conversation, from its first sign of life
// on: a restart may come before the answer.
func (r *Runner) remember(d *desk) {
	d.mu.Lock()
	s, number := d.session, d.number
	d.mu.Unlock()
	if s == nil || s.ID() == "" {
		return
	}
	if err := r.cfg.Memory.Remember(d.key, s.ID(), number); err != nil {
		r.cfg.Log.Warn("a conversation will not be taken up after a restart", "agent", d.agent, "error", err)
	}
}

// startOver gives up a conversation that the program does not know, or ended over when
// it was to take it up. It is false for every other failure.
func (r *Runner) startOver(d *desk, why error) bool {
	d.mu.Lock()
	resumed := d.resumed
	d.mu.Unlock()
	if !errors.Is(why, drive.ErrUnknown) && !(resumed && errors.Is(why, drive.ErrGone)) {
		return false
	}
	r.cfg.Log.Warn("a conversation could not be taken up; another one begins", "session", d.spec.Key, "error", why)
	r.forget(d)
	return true
}

// letGo ends the program of a desk; the conversation can be taken up again.
func (r *Runner) letGo(d *desk) { r.letGoIf(d, func() bool { return true }) }

// letGoIf ends the program if that is still right when nobody else can change it.
func (r *Runner) letGoIf(d *desk, right func() bool) bool {
	d.mu.Lock()
	s := d.session
	if s == nil || !right() {
		d.mu.Unlock()
		return false
	}
	release := d.release
	d.session = nil
	d.mu.Unlock()
	defer release()
	if err := s.Close(); err != nil {
		r.cfg.Log.Warn("an agent's program was not let go in good order", "agent", d.agent, "error", err)
	}
	return true
}

func (r *Runner) forget(d *desk) {
	r.letGo(d)
	if err := r.cfg.Memory.Remember(d.key, "", 0); err != nil {
		r.cfg.Log.Warn("a conversation was not forgotten", "agent", d.agent, "error", err)
	}
}

// Kill ends an agent's program, also in the middle of a turn, which fails then. One
// that serves the conversation of that number already, or a later one, is what comes
// after and stays. It is false when there was nothing to end.
func (r *Runner) Kill(agentID string, number int) bool {
	d, held := r.held(agentID)
	return held && r.letGoIf(d, func() bool { return d.number < number })
}

// Holds reports whether an agent's program is held for its next turn, or runs.
func (r *Runner) Holds(agentID string) bool {
	_, held := r.held(agentID)
	return held
}

// held finds the desk of an agent whose program is held.
func (r *Runner) held(agentID string) (*desk, bool) {
	r.mu.Lock()
	d := r.desks[agentID]
	r.mu.Unlock()
	if d == nil {
		return nil, false
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	return d, d.session != nil
}

// Close lets go of every program and waits for them. Jobs that run fail.
func (r *Runner) Close() error {
	r.mu.Lock()
	r.closed = true
	desks := r.desks
	r.desks = nil
	r.mu.Unlock()
	var ending sync.WaitGroup
	for _, d := range desks {
		ending.Go(func() {
			d.mu.Lock()
			if d.idle != nil {
				d.idle.Stop()
			}
			d.mu.Unlock()
			r.letGo(d)
		})
	}
	ending.Wait()
	return nil
}
