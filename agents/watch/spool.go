package watch

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/bullpen-office/bullpen/agents/hook"
	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/intake"
)

// spool holds hooks on disk until they are recorded. There are two kinds: hooks that were stored
// while no office was answering, and hooks that are answered before they are recorded. Hooks of the
// first kind are recorded before new hooks.
type spool struct {
	hook.Spool
	wake chan struct{} // signals that a hook was added

	mu      sync.Mutex
	stuck   bool          // the last pass failed, so later hooks do not wait
	passed  chan struct{} // closed at the end of a pass
	pending map[*task]hook.Pending
}

// openSpool opens the spool in a data directory, with the hooks that an earlier process did not
// record.
func openSpool(dataDir, source string) (*spool, error) {
	s := &spool{Spool: hook.SpoolOf(dataDir, source), wake: make(chan struct{}, 1), passed: make(chan struct{}), pending: map[*task]hook.Pending{}}
	return s, s.Recover()
}

// behind reports whether hooks in the spool must be recorded before a hook that arrives now, and
// returns a channel that is closed at the end of the current pass.
func (s *spool) behind() (passed <-chan struct{}, behind bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.passed, !s.stuck && !s.Empty()
}

// putIfBehind adds a hook to the spool if earlier hooks must be recorded first. It returns false if
// the hook was not added.
func (s *spool) putIfBehind(at time.Time, body []byte) bool {
	if _, behind := s.behind(); !behind {
		return false
	}
	pending, err := s.PutPending(at, body)
	if err != nil {
		return false
	}
	if pending.Queue() != nil {
		pending.Remove()
		return false
	}
	s.nudge()
	return true
}

// await waits until the hooks in the spool have been recorded or ctx is done.
func (s *spool) await(ctx context.Context) {
	for {
		passed, behind := s.behind()
		if !behind {
			return
		}
		s.nudge()
		select {
		case <-passed:
		case <-ctx.Done():
			return
		}
	}
}

func (s *spool) nudge() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// keep stores a hook that is answered before it is recorded. The shard removes it with release.
func (s *spool) keep(t *task, at time.Time, body []byte) error {
	pending, err := s.PutPending(at, body)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	select {
	case <-t.done:
		if !t.unrecorded {
			pending.Remove()
		}
	default:
		s.pending[t] = pending
	}
	return nil
}

// release removes a kept hook after its task is finished.
func (s *spool) release(t *task) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if pending, ok := s.pending[t]; ok && !t.unrecorded {
		pending.Remove()
	}
	delete(s.pending, t)
}

// end records the end of a pass.
func (s *spool) end(failed bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stuck = failed
	close(s.passed)
	s.passed = make(chan struct{})
}

// recordHook records a spooled hook; see Watcher.RecordSpooled for the errors.
type recordHook func(ctx context.Context, at time.Time, body []byte) error

// drainSpool records the hooks in the spool until ctx is done. It reads the spool at the start,
// whenever hooks are added, and every contracts.SpoolInterval. A hook is removed only after it is
// recorded or dropped; failed hooks are retried.
func (w *Watcher) drainSpool(ctx context.Context, record recordHook) {
	tick := time.NewTicker(contracts.SpoolInterval)
	defer tick.Stop()
	for {
		w.drainOnce(ctx, record)
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		case <-w.spool.wake:
		}
	}
}

func (w *Watcher) drainOnce(ctx context.Context, record recordHook) {
	done, err := w.spool.Drain(ctx, func(ctx context.Context, at time.Time, body []byte) error {
		err := record(ctx, at, body)
		if errors.Is(err, ErrMalformed) {
			w.Log.Warn("spooled hook is malformed; it is kept in spool/bad", "error", err)
			return fmt.Errorf("%w: %w", hook.ErrMalformed, err)
		}
		if errors.Is(err, intake.ErrFull) {
			w.Log.Warn("spooled hook dropped because the office is full", "error", err)
			return nil
		}
		return err
	})
	w.spool.end(err != nil)
	if done.Taken > 0 {
		w.Log.Info("spooled hooks recorded", "hooks", done.Taken)
	}
	if done.Dropped > 0 {
		w.Log.Warn("spooled hooks lost: they were too large, or too many arrived while the office did not answer; they may still be in the transcript", "hooks", done.Dropped)
	}
	if err != nil && ctx.Err() == nil {
		w.Log.Error("could not record spooled hooks; retrying", "error", err)
	}
}
