package crew_test

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/crew"
	"github.com/bullpen-office/bullpen/drive"
	"github.com/bullpen-office/bullpen/turn"
)

// settle lets every goroutine run, then lets a short time pass.
func settle() {
	synctest.Wait()
	time.Sleep(10 * time.Millisecond)
	synctest.Wait()
}

func TestTurnDelivers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := newOffice(taskWork("task_a", 1))
		defer open(t, o.config(runners(script{work: func(_ context.Context, j crew.TaskJob, s drive.Sink) (crew.Result, error) {
			end := s.Think()
			s.Delta("thought", "hm")
			end()
			tool := s.ToolStart("", "read", map[string]string{"path": "proj_a/request.txt"})
			tool(map[string]bool{"ok": true})
			tool(nil) // a second end is ignored
			s.Progress(50, "half way")
			s.Delta("token", "text")
			time.Sleep(time.Second)
			return delivered("text")
		}})))()
		time.Sleep(2 * time.Second)
		synctest.Wait()
		got := factsOf[contracts.RunDelivered](o)
		if len(got) != 1 || got[0].TaskID != "task_a" || !got[0].Rehearsal || got[0].Artifacts[0].Bytes != 4 {
			t.Fatalf("delivered %+v", got)
		}
		if b, ok, _ := o.Blob(t.Context(), got[0].Artifacts[0].SHA256); !ok || string(b) != "text" {
			t.Errorf("stored %q", b)
		}
		if began := factsOf[contracts.RunBegan](o); len(began) != 1 || began[0].Runner != crew.Rehearsal {
			t.Errorf("began %+v", began)
		}
		first := factsOf[contracts.HUDSeen](o)[0].HUD
		if first.Session != "rehearsal:agent_writer_1" || !first.Rehearsal || first.TaskID != "task_a" {
			t.Errorf("turn start %+v", first)
		}
		if id := o.deltas[0].StreamID; !strings.HasPrefix(id, "stream_run_task_a_") {
			t.Errorf("stream id %q", id)
		}
		checkActivity(t, o)
	})
}

// A turn that fails in any way is reported with a reason, and the crew continues.
func TestFailedTurnIsReported(t *testing.T) {
	long := strings.Repeat("x", contracts.LimitTaskTitle+1)
	ask := func(a crew.Ask) func() (crew.Result, error) {
		return func() (crew.Result, error) { return crew.Result{Ask: &a}, nil }
	}
	artifact := func(a crew.Artifact) func() (crew.Result, error) {
		return func() (crew.Result, error) { return crew.Result{Artifacts: []crew.Artifact{a}}, nil }
	}
	for name, c := range map[string]struct {
		work func() (crew.Result, error)
		want string
	}{
		"error":          {func() (crew.Result, error) { return crew.Result{}, errors.New("the model is away; try later") }, "the model is away"},
		"panic":          {func() (crew.Result, error) { panic("boom") }, "crashed: boom"},
		"nothing":        {func() (crew.Result, error) { return crew.Result{}, nil }, "neither a question nor an artifact"},
		"both":           {func() (crew.Result, error) { r, _ := delivered("x"); r.Ask = &crew.Ask{Prompt: "?"}; return r, nil }, "both"},
		"no choice":      {ask(crew.Ask{Prompt: "Which?", Options: []string{"A"}}), "needs at least two options"},
		"too many":       {ask(crew.Ask{Prompt: "Which?", Options: strings.Fields("a b c d e f g")}), "limit 6"},
		"twice":          {ask(crew.Ask{Prompt: "Which?", Options: []string{"A", "A"}}), "twice"},
		"no prompt":      {ask(crew.Ask{Prompt: " ", Options: []string{"A", "B"}}), "the question is empty"},
		"empty artifact": {artifact(crew.Artifact{Type: "copy", Title: "T", MIME: "text/plain"}), "artifact 1 is empty"},
		"long title":     {artifact(crew.Artifact{Type: "copy", Title: long, MIME: "text/plain", Content: "x"}), "limit 160"},
		"too big":        {artifact(crew.Artifact{Type: "copy", Title: "T", MIME: "text/plain", Content: strings.Repeat("x", contracts.LimitArtifactBytes+1)}), "bytes"},
		"too many artifacts": {func() (crew.Result, error) {
			return crew.Result{Artifacts: make([]crew.Artifact, contracts.LimitTurnArtifacts+1)}, nil
		}, "limit 8"},
		"follow-ups": {func() (crew.Result, error) {
			r, _ := delivered("x")
			r.FollowUps = make([]contracts.TaskDraft, contracts.LimitTurnFollowUps+1)
			return r, nil
		}, "limit 12"},
		"unknown kind": {func() (crew.Result, error) {
			r, _ := delivered("x")
			r.FollowUps = []contracts.TaskDraft{{Title: "T", Kind: "dance"}}
			return r, nil
		}, "unknown kind"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				o := newOffice(taskWork("task_a", 1))
				defer open(t, o.config(runners(script{work: func(_ context.Context, _ crew.TaskJob, s drive.Sink) (crew.Result, error) {
					s.Think()
					s.ToolStart("", "exec", map[string]string{"command": "true"})
					s.Delta("token", "x")
					return c.work()
				}})))()
				settle()
				got := factsOf[contracts.RunBroke](o)
				if len(got) != 1 || !strings.Contains(got[0].Reason, c.want) {
					t.Errorf("broke %+v, want %q", got, c.want)
				}
				checkActivity(t, o)
			})
		})
	}
}

// CheckResult rejects an invalid artifact in any result, not only in one that a Parser returned.
func TestCheckResult(t *testing.T) {
	for want, a := range map[string]crew.Artifact{
		"the title of artifact 1 is empty": {Type: "copy", MIME: "text/plain", Content: "x"},
		"not valid UTF-8":                  {Type: "copy", Title: "T", MIME: "text/plain", Content: "\xff"},
	} {
		if err := crew.CheckResult(crew.Result{Artifacts: []crew.Artifact{a}}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

func TestWorkWithoutRunnerFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := taskWork("task_a", 1)
		w.Runner = "claude"
		o := newOffice(w)
		defer open(t, o.config(nil))()
		settle()
		if got := factsOf[contracts.RunBroke](o); len(got) != 1 || !strings.Contains(got[0].Reason, `"claude"`) {
			t.Errorf("broke %+v", got)
		}
		checkActivity(t, o)
	})
}

// A turn without activity is stopped; one with activity is not.
func TestWatchdogStopsASilentTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := newOffice(taskWork("task_a", 1))
		cfg := o.config(runners(script{work: func(ctx context.Context, _ crew.TaskJob, s drive.Sink) (crew.Result, error) {
			for range 5 {
				time.Sleep(50 * time.Second)
				s.Delta("token", "still here")
			}
			<-ctx.Done()
			return crew.Result{}, ctx.Err()
		}}))
		cfg.Stall = time.Minute
		defer open(t, cfg)()
		time.Sleep(309 * time.Second)
		synctest.Wait()
		if got := factsOf[contracts.RunBroke](o); len(got) != 0 {
			t.Fatalf("broke too early: %+v", got)
		}
		time.Sleep(2 * time.Second)
		synctest.Wait()
		if got := factsOf[contracts.RunBroke](o); len(got) != 1 || !strings.HasPrefix(got[0].Reason, "no progress for 1m0s") {
			t.Errorf("broke %+v", got)
		}
		checkActivity(t, o)
	})
}

// A runner that ignores its context is abandoned after the grace period.
func TestWatchdogAbandonsADriverThatIgnoresItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := newOffice(taskWork("task_a", 1))
		release := make(chan struct{})
		cfg := o.config(runners(script{work: func(_ context.Context, _ crew.TaskJob, s drive.Sink) (crew.Result, error) {
			<-release
			s.Delta("token", "too late")
			s.Progress(99, "too late")
			s.Think()()
			return delivered("too late")
		}}), func(c *turn.Config) { c.Grace = time.Second })
		cfg.Stall = time.Minute
		stop := open(t, cfg)
		time.Sleep(62 * time.Second)
		synctest.Wait()
		if got := factsOf[contracts.RunBroke](o); len(got) != 1 {
			t.Errorf("broke %+v", got)
		}
		stop()
		facts := len(o.facts)
		close(release)
		settle()
		if len(o.facts) != facts || len(o.deltas) != 0 {
			t.Error("an abandoned turn still reports")
		}
		checkActivity(t, o)
	})
}

// A refused fact means that the work is over: the turn ends silently.
func TestRefusedFactEndsTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := newOffice(taskWork("task_a", 1))
		var ended atomic.Bool
		defer open(t, o.config(runners(script{work: func(ctx context.Context, _ crew.TaskJob, s drive.Sink) (crew.Result, error) {
			o.mu.Lock()
			o.work = nil // without a signal
			o.mu.Unlock()
			s.Progress(10, "on it")
			<-ctx.Done()
			ended.Store(true)
			return crew.Result{}, ctx.Err()
		}})))()
		settle()
		if !ended.Load() || len(factsOf[contracts.RunBroke](o)) != 0 {
			t.Errorf("ended %v, broke %v", ended.Load(), factsOf[contracts.RunBroke](o))
		}
		checkActivity(t, o)
	})
}

// A result that the office refuses while the work is still listed fails the run and is not retried
// forever.
func TestRefusedResultBreaksRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := newOffice(taskWork("task_a", 1))
		o.full = true
		var turns atomic.Int32
		defer open(t, o.config(runners(script{work: func(context.Context, crew.TaskJob, drive.Sink) (crew.Result, error) {
			turns.Add(1)
			return delivered("x")
		}})))()
		time.Sleep(time.Minute)
		synctest.Wait()
		got := factsOf[contracts.RunBroke](o)
		if len(got) != 1 || !strings.Contains(got[0].Reason, "no room") || turns.Load() != 1 {
			t.Errorf("broke %+v after %d turns", got, turns.Load())
		}
	})
}

// Progress is reported at most twice a second per task; a newer report replaces a pending one.
func TestProgressIsRateLimited(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := newOffice(taskWork("task_a", 1))
		defer open(t, o.config(runners(script{work: func(_ context.Context, _ crew.TaskJob, s drive.Sink) (crew.Result, error) {
			for i := range 100 {
				s.Progress(i, strings.Repeat("long ", 100))
				time.Sleep(20 * time.Millisecond)
			}
			s.Progress(150, "last")
			time.Sleep(time.Second)
			return delivered("x")
		}})))()
		time.Sleep(5 * time.Second)
		synctest.Wait()
		got := factsOf[contracts.RunProgress](o)
		if len(got) > 6 || len(got) < 4 || got[len(got)-1].Percent != 100 || got[len(got)-1].Preview != "last" {
			t.Errorf("%d reports, the last %+v", len(got), got[len(got)-1])
		}
		if n := len([]rune(got[0].Preview)); n > contracts.LimitPreview {
			t.Errorf("a preview has %d characters", n)
		}
		var last time.Time
		for i, f := range o.facts {
			if _, ok := f.(contracts.RunProgress); !ok {
				continue
			}
			if gap := o.times[i].Sub(last); gap < contracts.ProgressInterval {
				t.Errorf("reports %s apart", gap)
			}
			last = o.times[i]
		}
	})
}
