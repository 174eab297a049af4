package crew_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/crew"
	"github.com/bullpen-office/bullpen/drive"
)

// scripted is a driver with a scripted agent.
type scripted func(ctx context.Context, sink drive.Sink) (drive.Answer, error)

func (p scripted) Open(context.Context, drive.Spec) (drive.Session, error) { return p, nil }
func (p scripted) ID() string                                              { return "" }
func (p scripted) Close() error                                            { return nil }
func (p scripted) Turn(ctx context.Context, _ drive.Prompt, sink drive.Sink) (drive.Answer, error) {
	return p(ctx, sink)
}

func drivenBy(p scripted) map[string]crew.Worker {
	return map[string]crew.Worker{crew.Rehearsal: {Driver: &p}}
}

const minimalResult = "```json\n{\"artifacts\":[{\"content\":\"x\"}]}\n```"

// A program that is running but silent is stopped, and the task states the reason. Any output
// counts as activity; a running tool extends the limit.
func TestSilentProgramIsStopped(t *testing.T) {
	for name, c := range map[string]struct {
		show func(sink drive.Sink) // activity before the silence
		want string
		at   time.Duration
	}{
		"silent from the start": {func(drive.Sink) {}, "no progress for 5m0s", 5 * time.Minute},
		"after some words": {func(s drive.Sink) {
			for range 4 {
				time.Sleep(4 * time.Minute)
				s.Delta("token", "x")
			}
		}, "no progress for 5m0s", 21 * time.Minute},
		"in a tool": {func(s drive.Sink) { s.ToolStart("call_1", "exec", map[string]string{"command": "sleep 1000"}) }, "no progress for 12m0s", 12 * time.Minute},
		"after a tool": {func(s drive.Sink) {
			end := s.ToolStart("call_1", "exec", nil)
			time.Sleep(11 * time.Minute)
			end(nil)
		}, "no progress for 5m0s", 16 * time.Minute},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				o := newOffice(taskWork("task_a", 1))
				began := time.Now()
				defer open(t, o.config(drivenBy(scripted(func(ctx context.Context, s drive.Sink) (drive.Answer, error) {
					c.show(s)
					<-ctx.Done()
					return drive.Answer{}, ctx.Err()
				}))))()
				time.Sleep(c.at - time.Second)
				synctest.Wait()
				if got := factsOf[contracts.RunBroke](o); len(got) > 0 {
					t.Fatalf("given up after %v already: %+v", time.Since(began), got)
				}
				time.Sleep(6 * time.Minute)
				synctest.Wait()
				if got := factsOf[contracts.RunBroke](o); len(got) != 1 || !strings.Contains(got[0].Reason, c.want) {
					t.Errorf("broke %+v, want %q", got, c.want)
				}
				checkActivity(t, o)
			})
		})
	}
}

// A person may take longer than the stall limit to answer. Tool calls keep the program's ids.
func TestPermissionDoesNotStall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := newOffice(taskWork("task_a", 1))
		cfg := o.config(drivenBy(scripted(func(ctx context.Context, s drive.Sink) (drive.Answer, error) {
			end := s.ToolStart("toolu_1", "exec", map[string]string{"command": "ls"})
			defer end(nil)
			v, err := s.Permit(ctx, contracts.Permission{Tool: "exec", CallID: "toolu_1"})
			if err != nil || !v.Allow || v.Note != "go on" {
				t.Errorf("%+v %v", v, err)
			}
			return drive.Answer{Text: minimalResult}, nil
		})))
		o.decide = func(context.Context) (contracts.Decision, error) {
			time.Sleep(time.Hour)
			return contracts.Decision{Status: contracts.DecisionResolved, Choice: contracts.OptionAllow, Note: "go on"}, nil
		}
		defer open(t, cfg)()
		time.Sleep(2 * time.Hour)
		synctest.Wait()
		if got := factsOf[contracts.RunDelivered](o); len(got) != 1 {
			t.Errorf("delivered %+v, broke %+v", got, factsOf[contracts.RunBroke](o))
		}
		if asked := factsOf[contracts.AskSeen](o); len(asked) != 1 || asked[0].AgentID != "agent_writer_1" || asked[0].TurnID == "" || asked[0].Permission.Tool != "exec" {
			t.Errorf("asked %+v", asked)
		}
		for _, f := range factsOf[contracts.HUDSeen](o) {
			if f.HUD.Event == contracts.HUDToolStart && f.HUD.CorrelationID != "toolu_1" {
				t.Errorf("%+v", f.HUD)
			}
		}
		checkActivity(t, o)
	})
}

// A permission request is denied if nobody can be asked.
func TestPermissionIsDeniedWithoutAPerson(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := newOffice(taskWork("task_a", 1))
		defer open(t, o.config(drivenBy(scripted(func(ctx context.Context, s drive.Sink) (drive.Answer, error) {
			if v, err := s.Permit(ctx, contracts.Permission{Tool: "exec"}); err == nil || v.Allow {
				t.Errorf("%+v", v)
			}
			return drive.Answer{Text: minimalResult}, nil
		}))))()
		settle()
		if got := factsOf[contracts.RunDelivered](o); len(got) != 1 {
			t.Errorf("%+v", got)
		}
	})
}
