package crew_test

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/crew"
	"github.com/bullpen-office/bullpen/drive"
	"github.com/bullpen-office/bullpen/turn"
)

const good = "```json\n{\"artifacts\":[{\"content\":\"x\"}]}\n```"

func (b *bench) deliver(session int) {
	b.t.Helper()
	w := task()
	w.Session = session
	if _, err := b.work(w); err != nil {
		b.t.Fatal(err)
	}
}

// reset starts a new session for the agent by passing a kill order to the engine.
func (b *bench) reset(number int) {
	b.session = number
	rec, err := contracts.NewRecord(1, 1, contracts.OrderKey("u"), &contracts.HUD{UUID: "u", Event: contracts.HUDReceived, AgentID: dov, Subtype: "kill"})
	if err == nil {
		err = b.engine.CarryOut(rec)
	}
	if err != nil {
		b.t.Fatal(err)
	}
	synctest.Wait()
}

// A conversation continues from job to job, is closed when idle, and is resumed by its id. A kill
// order closes conversations of earlier sessions, but not of later ones.
func TestConversationContinuesBetweenJobs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := says(good)
		b := newBench(t, crew.Worker{Driver: p}, func(c *turn.Config) { c.Idle = time.Minute })
		b.deliver(0)
		time.Sleep(50 * time.Second)
		b.deliver(0)
		if prompts, opened, closed := p.count(); prompts != 2 || opened != 1 || closed != 0 {
			t.Errorf("%d prompts, %d opened, %d closed", prompts, opened, closed)
		}
		time.Sleep(61 * time.Second)
		synctest.Wait()
		if _, _, closed := p.count(); closed != 1 {
			t.Errorf("%d closed", closed)
		}
		b.deliver(0)
		if p.last().Resume != "conversation-1" {
			t.Errorf("%+v", p.last())
		}
		for number, want := range []int{1, 2} {
			b.reset(number)
			if _, _, closed := p.count(); closed != want {
				t.Errorf("an order before session %d: %d closed, want %d", number, closed, want)
			}
		}
		b.deliver(0)
		if p.last().Resume != "conversation-1" {
			t.Errorf("after the order: %+v", p.last())
		}
		b.deliver(1)
		if p.last().Resume != "" {
			t.Errorf("in a new session: %+v", p.last())
		}
		b.close()
		if _, opened, closed := p.count(); opened != closed {
			t.Errorf("%d opened, %d closed", opened, closed)
		}
	})
}

// A kill order stops a turn in an earlier session but not a turn in the new session. Neither turn
// is reported as broken.
func TestOrderSparesTheNewSession(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		stopped := 0
		p := &program{turn: func(ctx context.Context, _ string, _ drive.Sink) (drive.Answer, error) {
			<-ctx.Done()
			stopped++
			return drive.Answer{}, ctx.Err()
		}}
		b := newBench(t, crew.Worker{Driver: p})
		w := task()
		w.Key, w.Session = "task:task_a:1", 1
		b.list(w)
		settle()
		b.reset(1)
		if settle(); stopped != 0 {
			t.Error("the turn of the new session was stopped")
		}
		b.reset(2)
		if settle(); stopped != 1 || len(factsOf[contracts.RunBroke](b.office)) != 0 {
			t.Errorf("stopped %d, broke %+v", stopped, factsOf[contracts.RunBroke](b.office))
		}
		b.close()
		checkActivity(t, b.office)
	})
}

// After a restart, a conversation is resumed by its id, even if the server was killed before the
// first answer. A conversation that the program cannot find is replaced.
func TestConversationIsResumedAfterARestart(t *testing.T) {
	path := filepath.Join(t.TempDir(), "conversations.json")
	remembering := func(c *turn.Config) {
		m, err := turn.OpenMemory(path)
		if err != nil {
			t.Error(err)
		}
		c.Memory = m
	}
	synctest.Test(t, func(t *testing.T) {
		first := &program{turn: func(ctx context.Context, _ string, sink drive.Sink) (drive.Answer, error) {
			sink.Delta("token", "I begin")
			<-ctx.Done()
			return drive.Answer{}, ctx.Err()
		}}
		b := newBench(t, crew.Worker{Driver: first}, remembering)
		w := task()
		w.Key = "task:task_a:1"
		b.list(w)
		settle()
		b.close()
		second := says(good)
		b = newBench(t, crew.Worker{Driver: second}, remembering)
		b.deliver(0)
		b.close()
		if second.opened[0].Resume != "conversation-1" {
			t.Errorf("%+v", second.opened)
		}
		third := &program{}
		third.turn = func(context.Context, string, drive.Sink) (drive.Answer, error) {
			if _, opened, _ := third.count(); opened == 1 {
				return drive.Answer{}, drive.ErrGone // conversation not found
			}
			return drive.Answer{Text: good}, nil
		}
		b = newBench(t, crew.Worker{Driver: third}, remembering)
		b.deliver(0)
		b.close()
		if len(third.opened) != 2 || third.opened[1].Resume != "" || third.closed != 2 {
			t.Errorf("%+v, %d closed", third.opened, third.closed)
		}
	})
}

// A program that reports an unknown conversation, although no conversation is being resumed, is not
// restarted forever.
func TestProgramWithoutConversationIsNotRestartedForever(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &program{turn: func(context.Context, string, drive.Sink) (drive.Answer, error) {
			return drive.Answer{}, drive.ErrNoConversation
		}}
		b := newBench(t, crew.Worker{Driver: p})
		defer b.close()
		if _, err := b.work(task()); err == nil || !strings.Contains(err.Error(), drive.ErrNoConversation.Error()) || len(p.opened) != 2 {
			t.Errorf("%v after %d programs", err, len(p.opened))
		}
	})
}

// A program runs one turn at a time: further work waits without stalling, and a waiting task
// reports that it is waiting. Agents that accept work items answer concurrently.
func TestOneTurnAtATime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		running := 0
		p := &program{turn: func(_ context.Context, _ string, sink drive.Sink) (drive.Answer, error) {
			if running++; running > 1 {
				t.Error("two turns at a time")
			}
			for range 10 {
				time.Sleep(time.Minute)
				sink.Delta("token", "x")
			}
			running--
			return drive.Answer{Text: good}, nil
		}}
		b := newBench(t, crew.Worker{Driver: p})
		defer b.close()
		hello, work := chat("Hello"), task()
		hello.Key, work.Key = "chat:7", "task:task_a:1"
		b.list(hello)
		settle()
		b.list(hello, work)
		for len(b.Work()) > 0 {
			time.Sleep(time.Second)
		}
		if len(factsOf[contracts.RunDelivered](b.office)) != 1 || len(factsOf[contracts.ChatSaid](b.office)) != 1 {
			t.Errorf("broke %+v", factsOf[contracts.RunBroke](b.office))
		}
		waits := slices.DeleteFunc(factsOf[contracts.RunProgress](b.office), func(r contracts.RunProgress) bool { return !strings.HasPrefix(r.Preview, "Waiting for") })
		if len(waits) < 10 {
			t.Errorf("%d reports that the task is waiting", len(waits))
		}
	})
}

// Queued work ends immediately when it is no longer listed.
func TestWaitingWorkIsStopped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &program{turn: func(ctx context.Context, _ string, _ drive.Sink) (drive.Answer, error) {
			<-ctx.Done()
			return drive.Answer{}, ctx.Err()
		}}
		b := newBench(t, crew.Worker{Driver: p})
		defer b.close()
		hello := chat("Hello")
		hello.Key = "chat:7"
		b.list(hello)
		settle()
		for i := range 3 { // the same work three times: each time, it leaves the queue before it is listed again
			work := task()
			work.Key = "task:task_a:1"
			b.list(hello, work)
			time.Sleep(2 * contracts.TurnRetryMin)
			b.list(hello)
			settle()
			if began := len(factsOf[contracts.RunBegan](b.office)); began != i+1 {
				t.Errorf("round %d: %d began", i, began)
			}
		}
		if len(p.prompts) != 1 {
			t.Errorf("%d prompts", len(p.prompts))
		}
	})
}

// An agent that accepts work items answers a chat while it works.
func TestWorkDoesNotDelayAChat(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		work, hello := taskWork("task_a", 1), contracts.Work{Key: "chat:7", AgentID: "agent_writer_1", Chat: &contracts.ChatWork{Seq: 7, Chat: contracts.Chat{From: contracts.UserID, Text: "Hello"}}}
		o := newOffice(work, hello)
		defer open(t, o.config(runners(script{
			work: func(ctx context.Context, _ crew.TaskJob, _ drive.Sink) (crew.Result, error) {
				<-ctx.Done()
				return crew.Result{}, ctx.Err()
			},
			chat: func(context.Context, crew.ChatJob, drive.Sink) (crew.Reply, error) {
				return crew.Reply{Text: "Hi"}, nil
			},
		})))()
		settle()
		if got := factsOf[contracts.ChatSaid](o); len(got) != 1 || got[0].Chat.Text != "Hi" {
			t.Errorf("%+v", got)
		}
	})
}
