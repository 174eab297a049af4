package crew_test

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/crew"
	"github.com/bullpen-office/bullpen/drive"
)

func waiting(started *atomic.Int32) script {
	return script{work: func(ctx context.Context, _ crew.TaskJob, s drive.Sink) (crew.Result, error) {
		started.Add(1)
		defer started.Add(-1)
		s.Delta("token", "working")
		s.ToolStart("", "exec", map[string]string{"command": "make"})
		<-ctx.Done()
		return crew.Result{}, ctx.Err()
	}}
}

// Work that is no longer listed is stopped and not reported. Work that is listed again starts
// again.
func TestReconcileStopsUnlistedWork(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var running atomic.Int32
		a, b := taskWork("task_a", 1), taskWork("task_b", 1)
		o := newOffice(a)
		stop := open(t, o.config(runners(waiting(&running))))
		for i, step := range []struct {
			list []contracts.Work
			want int32
		}{{[]contracts.Work{a}, 1}, {[]contracts.Work{a, b}, 2}, {[]contracts.Work{b}, 1}, {nil, 0}, {[]contracts.Work{a, b}, 2}} {
			o.list(step.list...)
			settle()
			if got := running.Load(); got != step.want {
				t.Errorf("step %d: %d turns run, want %d", i, got, step.want)
			}
		}
		stop()
		if running.Load() != 0 {
			t.Error("a turn outlives Run")
		}
		if got := factsOf[contracts.RunBroke](o); len(got) != 0 {
			t.Errorf("a stopped turn was reported: %+v", got)
		}
		checkActivity(t, o)
	})
}

func TestReconcileBoundsTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var running atomic.Int32
		var list []contracts.Work
		for i := range 5 {
			list = append(list, taskWork(fmt.Sprintf("task_%d", i), 1))
		}
		o := newOffice(list...)
		cfg := o.config(runners(waiting(&running)))
		cfg.Turns = 2
		defer open(t, cfg)()
		settle()
		if got := running.Load(); got != 2 {
			t.Errorf("%d turns run, want 2", got)
		}
		o.list(list[2:]...)
		settle()
		if got := running.Load(); got != 2 {
			t.Errorf("%d turns are running after two left, want 2", got)
		}
	})
}

// Work that stays listed after its turn is retried with growing delays.
func TestReconcileRetriesWithBackoff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := newOffice(taskWork("task_a", 1))
		o.keep = true
		var turns atomic.Int32
		defer open(t, o.config(runners(script{work: func(context.Context, crew.TaskJob, drive.Sink) (crew.Result, error) {
			turns.Add(1)
			return crew.Result{}, errors.New("no")
		}})))()
		for range 100 {
			o.signal()
			time.Sleep(100 * time.Millisecond)
		}
		synctest.Wait()
		if got := turns.Load(); got != 4 { // at 0, 1, 3 and 7 seconds
			t.Errorf("%d turns in ten seconds, want 4", got)
		}
	})
}
