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

var unwritten = map[string]error{
	"plain error":    errors.New("the ledger did not record it: no space left"),
	"INTERNAL":       contracts.Refuse(contracts.CodeInternal, "not executed: the disk is full; retry with the same id"),
	"INTERNAL, deep": fmt.Errorf("observe: %w", contracts.Refuse(contracts.CodeInternal, "The ledger did not record it.")),
}

// worker returns a script that uses every kind of activity and delivers a result.
func worker(turns *atomic.Int32) script {
	return script{work: func(_ context.Context, _ crew.TaskJob, s drive.Sink) (crew.Result, error) {
		turns.Add(1)
		end := s.Think()
		s.Progress(40, "on it")
		time.Sleep(time.Second)
		end()
		s.ToolStart("", "read", map[string]string{"path": "a.md"})(map[string]bool{"ok": true})
		return delivered("text")
	}}
}

// A fact that the ledger did not record is retried: nothing is lost or done twice, and the work is
// not reported as broken (H3).
func TestUnrecordedFactIsRetried(t *testing.T) {
	for name, failure := range unwritten {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				o := newOffice(taskWork("task_a", 1))
				tries := 0
				o.down = func() error { // one append in three succeeds
					if tries++; tries%3 != 0 {
						return failure
					}
					return nil
				}
				var turns atomic.Int32
				defer open(t, o.config(runners(worker(&turns))))()
				time.Sleep(time.Minute)
				synctest.Wait()
				if n, broke := len(factsOf[contracts.RunDelivered](o)), factsOf[contracts.RunBroke](o); n != 1 || len(broke) != 0 || turns.Load() != 1 {
					t.Errorf("%d deliveries, broke %+v, %d turns", n, broke, turns.Load())
				}
				if got := factsOf[contracts.HUDSeen](o); len(got) != 6 {
					t.Errorf("%d HUD facts, want 6: %+v", len(got), got)
				}
				checkActivity(t, o)
			})
		})
	}
}

// A ledger outage longer than any of the crew's timeouts only delays work, and retries back off.
func TestLongOutageLosesNoWork(t *testing.T) {
	for name, failure := range unwritten {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				o := newOffice(taskWork("task_a", 1))
				began, tries := time.Now(), 0
				o.down = func() error {
					if at := time.Since(began); at < 500*time.Millisecond || at > 2*contracts.TurnStall {
						return nil
					}
					tries++
					return failure
				}
				var turns atomic.Int32
				defer open(t, o.config(runners(worker(&turns))))()
				time.Sleep(2*contracts.TurnStall + time.Minute)
				synctest.Wait()
				if n, broke := len(factsOf[contracts.RunDelivered](o)), factsOf[contracts.RunBroke](o); n != 1 || len(broke) != 0 || turns.Load() != 1 {
					t.Errorf("%d deliveries, broke %+v, %d turns", n, broke, turns.Load())
				}
				if most := int(2*contracts.TurnStall/contracts.RecordRetryMax) + 20; tries > most {
					t.Errorf("%d tries in %s, want at most %d", tries, 2*contracts.TurnStall, most)
				}
				checkActivity(t, o)
			})
		})
	}
}

// Progress that was not recorded is reported later, unless a newer report has replaced it.
func TestUnrecordedProgressIsReportedLater(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := newOffice(taskWork("task_a", 1))
		var out atomic.Bool
		o.down = func() error {
			if out.Load() {
				return unwritten["plain error"]
			}
			return nil
		}
		defer open(t, o.config(runners(script{work: func(_ context.Context, _ crew.TaskJob, s drive.Sink) (crew.Result, error) {
			out.Store(true)
			s.Progress(10, "first")
			time.Sleep(time.Second)
			s.Progress(20, "second")
			time.Sleep(time.Second)
			out.Store(false)
			time.Sleep(20 * time.Second)
			return delivered("text")
		}})))()
		time.Sleep(30 * time.Second)
		synctest.Wait()
		if got := factsOf[contracts.RunProgress](o); len(got) != 1 || got[0].Preview != "second" {
			t.Errorf("progress %+v", got)
		}
	})
}

// The office closes quickly even if the ledger is down: all final facts share one deadline.
func TestShutdownDuringOutage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var running atomic.Int32
		o := newOffice(taskWork("task_a", 1), taskWork("task_b", 1))
		stop := open(t, o.config(runners(waiting(&running))))
		settle()
		o.mu.Lock()
		o.down = func() error { return unwritten["plain error"] }
		o.mu.Unlock()
		began := time.Now()
		stop()
		if took := time.Since(began); took > contracts.RecordTimeout {
			t.Errorf("closing took %s", took)
		}
		if len(factsOf[contracts.RunBroke](o)) != 0 {
			t.Error("a stopped turn was reported")
		}
	})
}

// The engine closes even if a deliverable cannot be stored, and the task is not reported as broken:
// it is retried when the office starts again.
func TestEngineClosesWhileADeliverableCannotBeStored(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := newOffice(taskWork("task_a", 1))
		cfg := o.config(runners(script{work: func(context.Context, crew.TaskJob, drive.Sink) (crew.Result, error) {
			o.mu.Lock()
			defer o.mu.Unlock()
			o.down = func() error { return unwritten["plain error"] }
			return delivered("text")
		}}))
		stop := open(t, cfg)
		time.Sleep(time.Minute)
		began := time.Now()
		cfg.Engine.Close()
		if took := time.Since(began); took > contracts.TurnGrace+contracts.RecordTimeout {
			t.Errorf("Close took %s", took)
		}
		o.mu.Lock()
		o.down = nil
		o.mu.Unlock()
		time.Sleep(time.Minute)
		stop()
		if broke := factsOf[contracts.RunBroke](o); len(broke) != 0 {
			t.Errorf("reported as broken: %+v", broke)
		}
	})
}
