package turn

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/drive"
)

// The engine closes even while the ledger is down, no matter at which point a turn is waiting for
// the ledger.
func TestCloseDuringOutage(t *testing.T) {
	own := request("crew")
	own.Key.Internal = true
	finishing := own
	finishing.Finish = func(ctx context.Context, _ *Connection, _ drive.Answer, _ []string) (string, error) {
		<-ctx.Done()
		return "", ctx.Err()
	}
	for name, c := range map[string]struct {
		request Request
		inTurn  func(o *office, sink drive.Sink)
		before  func(o *office)
	}{
		"before the start":  {request: own, before: func(o *office) { o.setDown(true) }},
		"in a tool call":    {request: own, inTurn: func(o *office, sink drive.Sink) { o.setDown(true); sink.ToolStart("", "Bash", nil) }},
		"at the end":        {request: own, inTurn: func(o *office, _ drive.Sink) { o.setDown(true) }},
		"after a panic":     {request: own, inTurn: func(o *office, _ drive.Sink) { o.setDown(true); panic("no") }},
		"while it finishes": {request: finishing, inTurn: func(o *office, _ drive.Sink) { o.setDown(true) }},
		"in a caller's":     {request: request("a"), inTurn: func(o *office, sink drive.Sink) { o.setDown(true); sink.ToolStart("", "Bash", nil) }},
	} {
		for _, interrupts := range []bool{false, true} {
			t.Run(name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					p := says("Hi")
					var d drive.Driver = p
					if interrupts {
						d = interruptible{p}
					}
					r := newRig(t, d)
					answers := p.turn
					p.turn = func(ctx context.Context, text string, sink drive.Sink) (drive.Answer, error) {
						c.inTurn(r.office, sink)
						return answers(ctx, text, sink)
					}
					if c.before != nil {
						c.before(r.office)
					}
					turn, err := r.Submit(c.request)
					if err != nil {
						t.Fatal(err)
					}
					time.Sleep(time.Minute)
					began := time.Now()
					r.Close()
					if took := time.Since(began); took > contracts.TurnGrace+contracts.RecordTimeout {
						t.Errorf("Close took %s", took)
					}
					<-turn.Done()
				})
			})
		}
	}
}

// If the result of a turn could not be kept because the engine closed, the turn fails with that
// reason.
func TestUnfinishedTurnSaysThatTheOfficeCloses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, says("Hi"))
		q := request("a")
		q.Finish = func(ctx context.Context, _ *Connection, _ drive.Answer, _ []string) (string, error) {
			<-ctx.Done()
			return "", errors.New("not stored")
		}
		turn, err := r.Submit(q)
		if err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		r.Close()
		<-turn.Done()
		if _, err := turn.Result(); !errors.Is(err, ErrClosing) {
			t.Error(err)
		}
	})
}

// slowOffice records every fact, but replies only after the caller has stopped waiting. Facts with
// the same key count once.
type slowOffice struct {
	*office
	known map[string]bool
}

func (o *slowOffice) Tell(ctx context.Context, facts ...contracts.Fact) []contracts.Reply {
	replies := make([]contracts.Reply, len(facts))
	for i, f := range facts {
		if key := contracts.FactKey(f); key == "" || !o.known[key] {
			o.known[key] = true
			replies[i] = o.office.Tell(ctx, f)[0]
		}
	}
	select {
	case <-time.After(contracts.RecordTimeout + time.Second):
	case <-ctx.Done():
		for i := range replies {
			replies[i].Refusal = contracts.Refuse(contracts.CodeInternal, "outcome unknown: %v", ctx.Err())
		}
	}
	return replies
}

// A fact that was recorded only after its caller stopped waiting is sent again, but counts once.
func TestSlowlyRecordedFactsCountOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, says("Hi"), func(c *Config) {
			c.Office = &slowOffice{office: c.Office.(*office), known: map[string]bool{}}
		})
		if _, err := r.Run(t.Context(), request("a")); err == nil {
			t.Fatal("the start of the turn was confirmed in time")
		}
		time.Sleep(time.Minute)
		synctest.Wait()
		got := r.office.all()
		if strings.Count(got, "turn_start") != 1 || strings.Count(got, "turn_end") != 1 {
			t.Errorf("recorded:\n%s", got)
		}
	})
}

// startless is an office that records everything except starts of turns.
type startless struct{ *office }

func (o startless) Tell(ctx context.Context, facts ...contracts.Fact) []contracts.Reply {
	if startsTurn(facts[0]) {
		return []contracts.Reply{{Refusal: contracts.Refuse(contracts.CodeInternal, "not executed")}}
	}
	return o.office.Tell(ctx, facts...)
}

// If the engine closes before the start of a turn is recorded, the turn's end is not recorded
// either.
func TestEndIsNotRecordedWithoutItsStart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, says("Hi"), func(c *Config) { c.Office = startless{c.Office.(*office)} })
		if _, err := r.Run(t.Context(), request("a")); err == nil {
			t.Fatal("the turn ran without its start")
		}
		r.Close()
		if got := r.office.all(); got != "" {
			t.Errorf("recorded: %s", got)
		}
	})
}
