package group_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"

	"github.com/bullpen-office/bullpen/group"
)

// Stop ends all functions and waits for them. Functions started later do not run.
func TestStopEndsAllFunctions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		failed := make(chan error, 3)
		g := group.Group{Failed: failed}
		ended := 0
		for range 2 {
			g.Go(func(ctx context.Context) error {
				<-ctx.Done()
				return ctx.Err()
			})
		}
		g.Go(func(ctx context.Context) error {
			<-ctx.Done()
			ended++
			return nil
		})
		g.Stop()
		if ended != 1 {
			t.Error("Stop did not wait")
		}
		g.Go(func(context.Context) error {
			ended++
			return nil
		})
		g.Stop()
		if ended != 1 || len(failed) > 0 {
			t.Errorf("after Stop, %d functions ran and %d failed", ended-1, len(failed))
		}
	})
}

// The first failure is reported, and failures that nobody reads do not block Stop.
func TestFailuresAreReported(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		failed := make(chan error, 1)
		g := group.Group{Failed: failed}
		broken := errors.New("broken")
		for range 3 {
			g.Go(func(context.Context) error { return broken })
		}
		synctest.Wait()
		if err := <-failed; !errors.Is(err, broken) {
			t.Errorf("got %v", err)
		}
		g.Stop()

		var silent group.Group
		silent.Go(func(context.Context) error { return broken })
		silent.Stop()
	})
}
