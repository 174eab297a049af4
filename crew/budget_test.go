package crew_test

import (
	"context"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/crew"
	"github.com/bullpen-office/bullpen/drive"
	"github.com/bullpen-office/bullpen/staff"
	"github.com/bullpen-office/bullpen/turn"
)

// spent implements turn.Accounts with fixed usage.
type spent struct{ task, agentDay, day contracts.UsageTotal }

func (s spent) Spent(string, string) (task, agentDay, day contracts.UsageTotal) {
	return s.task, s.agentDay, s.day
}

func tokens(n int64) contracts.UsageTotal { return contracts.UsageTotal{TokensIn: n} }

// A turn over budget does not start: the runner is not called, no activity is shown, and everyone
// who is waiting is told which budget is exhausted.
func TestBudgetRefusesToStart(t *testing.T) {
	for path, over := range map[string]spent{
		"budgets.task": {task: tokens(10)}, "budgets.agent_day": {agentDay: tokens(10)}, "budgets.day": {day: tokens(10)},
	} {
		synctest.Test(t, func(t *testing.T) {
			chat := contracts.Work{Key: "chat:7", AgentID: "agent_bd", Chat: &contracts.ChatWork{Seq: 7, Chat: contracts.Chat{From: "user", To: "agent_bd", Text: "Hello"}}}
			plan := contracts.Work{Key: "plan:proj_a", AgentID: "agent_bd", Plan: true, Project: contracts.Project{ProjectID: "proj_a", Title: "A", Request: "A"}}
			o := newOffice(taskWork("task_a", 1), chat, plan)
			b := staff.Budget{Tokens: 10}
			cfg := o.config(runners(script{}), func(c *turn.Config) { // calling this runner would panic
				c.Budgets, c.Accounts = staff.Budgets{Task: b, AgentDay: b, Day: b}, over
			})
			if path == "budgets.task" { // chats and plans have no task
				o.list(taskWork("task_a", 1))
			}
			stop := open(t, cfg)
			until(func() bool { return len(o.Work()) == 0 })
			stop()
			if n := len(factsOf[contracts.HUDSeen](o)); n != 0 {
				t.Errorf("%s: %d activity facts", path, n)
			}
			reason := factsOf[contracts.RunBroke](o)[0].Reason
			if !strings.Contains(reason, "exhausted: used 10 of 10 tokens") || !strings.Contains(reason, "raise "+path+" in bullpen.yaml") {
				t.Errorf("%s: %q", path, reason)
			}
			for _, said := range factsOf[contracts.ChatSaid](o) {
				if !strings.Contains(said.Chat.Text, path) {
					t.Errorf("%s: said %q", path, said.Chat.Text)
				}
			}
		})
	}
}

// A turn is stopped as soon as it and the concurrent turns have exhausted a budget, and its usage
// is recorded once.
func TestBudgetStopsATurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := newOffice(taskWork("task_a", 1), taskWork("task_b", 1))
		var one sync.Mutex // one report at a time: the second exceeds the budget
		s := script{work: func(ctx context.Context, j crew.TaskJob, sink drive.Sink) (crew.Result, error) {
			one.Lock()
			sink.Used(contracts.Usage{Model: "m", TokensOut: 60})
			one.Unlock()
			<-ctx.Done()
			return crew.Result{}, ctx.Err()
		}}
		cfg := o.config(runners(s), func(c *turn.Config) { c.Budgets.Day.Tokens = 100 })
		stop := open(t, cfg)
		until(func() bool { return len(factsOf[contracts.RunBroke](o)) > 0 })
		broke := factsOf[contracts.RunBroke](o)
		if len(broke) != 1 || !strings.Contains(broke[0].Reason, "daily budget of the crew exhausted: used 120 of 100 tokens") {
			t.Errorf("broke %+v", broke)
		}
		stop()
		checkActivity(t, o)
		used := factsOf[contracts.UsageSeen](o)
		if len(used) != 2 || used[0].Usage.TokensOut != 60 || used[0].TaskID == "" || used[0].Key == used[1].Key || used[0].TurnID == "" {
			t.Errorf("used %+v", used)
		}
	})
}

// The usage of a turn is recorded once, with the model, and not again with the deliverable. The
// last report counts.
func TestUsageCountsOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cost := 0.5
		s := script{work: func(_ context.Context, _ crew.TaskJob, sink drive.Sink) (crew.Result, error) {
			sink.Used(contracts.Usage{Model: "m", TokensIn: 1})
			sink.Used(contracts.Usage{Model: "m", TokensIn: 100, TokensOut: 10, CacheRead: 5, CostUSD: &cost})
			return delivered("text")
		}}
		o := newOffice(taskWork("task_a", 1))
		stop := open(t, o.config(runners(s)))
		until(func() bool { return len(factsOf[contracts.RunDelivered](o)) == 1 })
		stop()
		checkActivity(t, o)
		if d := factsOf[contracts.RunDelivered](o)[0]; d.TokensIn != 0 || d.CostUSD != nil {
			t.Errorf("the delivery counts it again: %+v", d)
		}
		used := factsOf[contracts.UsageSeen](o)
		if len(used) != 1 {
			t.Fatalf("used %+v", used)
		}
		if diff := cmp.Diff(contracts.Usage{Model: "m", TokensIn: 100, TokensOut: 10, CacheRead: 5, CostUSD: &cost}, used[0].Usage); diff != "" {
			t.Error(diff)
		}
		last := o.facts[len(o.facts)-1]
		if _, ok := last.(contracts.RunDelivered); !ok {
			t.Errorf("%T follows the last fact of the turn", last)
		}
	})
}
