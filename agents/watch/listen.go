package watch

import (
	"context"
	"time"

	"github.com/bullpen-office/bullpen/agents/guest"
	"github.com/bullpen-office/bullpen/contracts"
)

// runListener receives permission requests over a connection to the vendor's program, not through
// hooks, and passes them on to people, until ctx is done. It reconnects when the connection ends.
func (w *Watcher) runListener(ctx context.Context) {
	for {
		if err := w.Listen(ctx, w.Dir, w.ask); err != nil && ctx.Err() == nil {
			w.Log.Debug("connection to the agent program ended", "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(contracts.ListenInterval):
		}
	}
}

// ask is the guest.Ask callback that runListener uses. The program also asks elsewhere at the same
// time, so the question in the office may stay open for as long as any other question.
func (w *Watcher) ask(ctx context.Context, h guest.Hook) []contracts.Decision {
	t := newTask(h, w.Now())
	if !t.head.Asks || w.Ignore(t.session) {
		return nil
	}
	t.ask, t.wait = true, contracts.PermissionWait
	return w.permit(ctx, t)
}
