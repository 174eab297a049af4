package watch

import (
	"context"
	"time"

	"github.com/bullpen-office/bullpen/agents/guest"
	"github.com/bullpen-office/bullpen/contracts"
)

// listens passes permission requests that the vendor's program sends by itself to people, until ctx
// ends. It connects again when the connection ends.
func (in *Intake) listens(ctx context.Context) {
	for {
		if err := in.Listen(ctx, in.Dir, in.ask); err != nil && ctx.Err() == nil {
			in.Log.Debug("the connection to the program ended", "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(contracts.ListenInterval):
		}
	}
}

// ask is the guest.Ask of listens. The program asks elsewhere at the same time, so the question may
// stay open for as long as any other.
func (in *Intake) ask(ctx context.Context, h guest.Hook) []contracts.Decision {
	t := newTask(h, in.Now())
	if !t.head.Asks || in.Ignore(t.session) {
		return nil
	}
	t.ask, t.wait = true, contracts.PermissionWait
	return in.permit(ctx, t)
}
