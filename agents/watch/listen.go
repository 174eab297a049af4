package watch

import (
	"context"
	"time"

	"github.com/bullpen-office/bullpen/agents/guest"
	"github.com/bullpen-office/bullpen/contracts"
)

// runListener receives permission requests over a connection to the vendor's program, not through
// hooks, and passes them on to people, until ctx ends. It reconnects when the connection ends.
func (in *Watcher) runListener(ctx context.Context) {
	for {
		if err := in.Listen(ctx, in.Dir, in.ask); err != nil && ctx.Err() == nil {
			in.Log.Debug("connection to the agent program ended", "error", err)
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
func (in *Watcher) ask(ctx context.Context, h guest.Hook) []contracts.Decision {
	t := newTask(h, in.Now())
	if !t.head.Asks || in.Ignore(t.session) {
		return nil
	}
	t.ask, t.wait = true, contracts.PermissionWait
	return in.permit(ctx, t)
}
