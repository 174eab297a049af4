package turn

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/drive"
)

func (o *office) setDown(down bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.down = down
}

// If it is unclear whether a start was recorded, its end is recorded when the ledger works again.
func TestStartThatWasNotConfirmedIsEnded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, says("Hi"))
		r.office.setDown(true)
		began := time.Now()
		if _, err := r.Run(t.Context(), request("a")); err == nil || time.Since(began) > 2*contracts.RecordTimeout {
			t.Errorf("%v after %v", err, time.Since(began))
		}
		r.office.setDown(false)
		time.Sleep(contracts.RecordRetryMax)
		synctest.Wait()
		if got := r.office.all(); !strings.Contains(got, "\nturn_end ") {
			t.Errorf("recorded: %s", got)
		}
	})
}

// A caller receives its answer while the ledger is down. The end of the turn and its usage are
// recorded later, in order.
func TestEndIsRecordedLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := says("Hi")
		r := newRig(t, p)
		answers := p.turn
		p.turn = func(ctx context.Context, text string, sink drive.Sink) (drive.Answer, error) {
			r.office.setDown(true)
			end := sink.ToolStart("", "Bash", nil)
			end(strings.Repeat("x", 1<<20))
			return answers(ctx, text, sink)
		}
		began := time.Now()
		answer, err := r.Run(t.Context(), request("a"))
		if err != nil || answer.Text != "Hi" || time.Since(began) > 3*contracts.RecordTimeout {
			t.Errorf("%+v %v after %v", answer, err, time.Since(began))
		}
		r.office.setDown(false)
		time.Sleep(contracts.RecordRetryMax)
		synctest.Wait()
		got := strings.Split(r.office.all(), "\n")
		if n := len(got); n < 4 || got[n-2] != "turn_end" || got[n-1] != "used 10" || !strings.HasPrefix(got[n-3], "tool_end") {
			t.Errorf("recorded: %q", got)
		}
	})
}

// The usage of a stopped turn is recorded even if its driver is slow to return.
func TestUsageOfASlowlyStoppedTurnIsRecorded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, &program{turn: func(ctx context.Context, _ string, sink drive.Sink) (drive.Answer, error) {
			<-ctx.Done()
			time.Sleep(contracts.TurnGrace - time.Second)
			return drive.Answer{Usage: contracts.Usage{Model: "m", TokensIn: 1000}}, ctx.Err()
		}})
		go func() {
			time.Sleep(time.Second)
			r.sendOrder(t, "stop")
		}()
		if _, err := r.Run(t.Context(), request("a")); !errors.Is(err, ErrStopped) {
			t.Error(err)
		}
		if got := r.office.all(); !strings.HasSuffix(got, "used 1000") {
			t.Errorf("recorded: %s", got)
		}
	})
}

// A panic outside the driver fails only the turn in which it happens, and the end of that turn is
// recorded.
func TestPanicFailsOneTurn(t *testing.T) {
	r := newRig(t, says("Hi"))
	broken := request("a")
	broken.Prepare = func(*Connection) (drive.Prompt, error) { panic("no") }
	if _, err := r.Run(t.Context(), broken); err == nil || !strings.Contains(err.Error(), "crashed: no") {
		t.Error(err)
	}
	if got := r.office.all(); !strings.Contains(got, "\nturn_end ") {
		t.Errorf("recorded: %s", got)
	}
	if text, err := r.call(t, "a"); err != nil || text != "Hi" {
		t.Errorf("then %q, %v", text, err)
	}
}

// A turn that ends because the office closes fails with that reason.
func TestCloseSaysWhy(t *testing.T) {
	began := make(chan struct{})
	r := newRig(t, &program{turn: func(ctx context.Context, _ string, _ drive.Sink) (drive.Answer, error) {
		close(began)
		<-ctx.Done()
		return drive.Answer{}, ctx.Err()
	}})
	turn, err := r.Submit(request("a"))
	if err != nil {
		t.Fatal(err)
	}
	<-began
	r.Close()
	<-turn.Done()
	if _, err := turn.Result(); !errors.Is(err, ErrClosing) {
		t.Error(err)
	}
}

// Every call to Close waits for programs that are slow to exit.
func TestEveryCloseWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := says("Hi")
		p.ending = time.Second
		r := newRig(t, p)
		turn, err := r.Submit(request("a"))
		if err != nil {
			t.Fatal(err)
		}
		<-turn.Done()
		go r.Close()
		synctest.Wait()
		r.Close()
		if opened, closed := p.count(); closed != opened {
			t.Errorf("%d opened, %d closed", opened, closed)
		}
	})
}

// A conversation that could not be resumed or replaced is not resumed after a restart.
func TestUnknownConversationIsNotResumedAgain(t *testing.T) {
	path := filepath.Join(t.TempDir(), "conversations.json")
	if _, err := newRig(t, says("Hi"), remembering(t, path)).call(t, "a"); err != nil {
		t.Fatal(err)
	}
	broken := &program{turn: func(context.Context, string, drive.Sink) (drive.Answer, error) {
		return drive.Answer{}, drive.ErrNoConversation
	}}
	if _, err := newRig(t, broken, remembering(t, path)).call(t, "a"); !errors.Is(err, drive.ErrNoConversation) {
		t.Fatal(err)
	}
	next := says("Hi")
	if _, err := newRig(t, next, remembering(t, path)).call(t, "a"); err != nil || next.opened[0].Resume != "" {
		t.Errorf("resumed %q, %v", next.opened[0].Resume, err)
	}
}

// served is a directory with routes that serve every open connection.
type served struct{ *rig }

func (s served) Find(ctx context.Context, k Key) (Route, error) {
	route, err := s.rig.Find(ctx, k)
	if opened, _ := s.driver.(*program).count(); opened > 0 {
		route = Route{AgentID: k.Agent, Driver: says("a peer"), External: true, Serves: func(drive.Session) bool { return true }}
	}
	return route, err
}

// Budgets apply to a program that the office started, even after the program connects as a peer.
func TestBudgetAppliesToAStartedProgramThatConnects(t *testing.T) {
	var recorded counted
	r := newRig(t, says("Hi"), func(c *Config) {
		c.Directory = served{c.Directory.(*rig)}
		c.Budgets.Day.Tokens, c.Accounts = 100, &recorded
	})
	if answer, err := r.Run(t.Context(), request("a")); err != nil || answer.Text != "Hi" {
		t.Fatalf("%+v %v", answer, err)
	}
	recorded.day.TokensIn = 200
	if _, err := r.Run(t.Context(), request("a")); err == nil || !strings.Contains(err.Error(), "exhausted: used") {
		t.Error(err)
	}
}

// A retry joins its turn even if many unnamed conversations have ended since.
func TestRetryJoinsAfterManyUnnamedConversations(t *testing.T) {
	p := says("Hi")
	r := newRig(t, p)
	unnamed := func(i int) Request {
		q := request(strings.Repeat("i", i+1))
		q.Temporary, q.Join = true, Join{ID: "key", Explicit: true, Content: "Hello"}
		return q
	}
	for i := range contracts.LimitBridgeUnnamed + 2 {
		if _, err := r.Run(t.Context(), unnamed(i)); err != nil {
			t.Fatal(err)
		}
	}
	opened, _ := p.count()
	if answer, err := r.Run(t.Context(), unnamed(0)); err != nil || answer.Text != "Hi" {
		t.Errorf("%+v %v", answer, err)
	}
	if again, _ := p.count(); again != opened {
		t.Error("the prompt ran twice")
	}
}
