package watch

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bullpen-office/bullpen/agents/guest"
	"github.com/bullpen-office/bullpen/contracts"
)

const (
	asksHook  = `{"hook_event_name":"PermissionRequest","session_id":"s1","cwd":"/srv/shop","tool_name":"Bash","tool_input":{"command":"make"}}`
	plainHook = `{"hook_event_name":"UserPromptSubmit","session_id":"s1","prompt_id":"p","cwd":"/srv/shop","prompt":"hello"}`
)

func (r *rig) hook(body string) guest.Hook {
	r.t.Helper()
	h, err := r.ParseHook([]byte(body), false)
	if err != nil {
		r.t.Fatal(err)
	}
	return h
}

// events returns the timeline events with a name.
func (r *rig) events(name contracts.EventName) (list []contracts.Event) {
	r.t.Helper()
	recs, err := r.ledger.Read(context.Background(), 0, 10_000, contracts.KindEvent)
	if err != nil {
		r.t.Fatal(err)
	}
	for _, rec := range recs {
		body, err := rec.Decode()
		if e, ok := body.(*contracts.Event); err == nil && ok && e.Name == name {
			list = append(list, *e)
		}
	}
	return list
}

// A connection that ends, with an error or without one, is opened again after a pause, until the
// watcher ends.
func TestListenReconnects(t *testing.T) {
	inVirtualTime(t, func(t *testing.T, r *rig) {
		var at []time.Time
		ends := []error{errors.New("broken pipe"), nil}
		r.mu.Lock()
		r.connect = func(ctx context.Context) error {
			at = append(at, time.Now())
			if n := len(at); n <= len(ends) {
				return ends[n-1]
			}
			<-ctx.Done()
			return ctx.Err()
		}
		r.mu.Unlock()
		time.Sleep(10 * contracts.ListenInterval)
		r.stop()
		r.stop = func() {}
		if len(at) != 3 || at[1].Sub(at[0]) != contracts.ListenInterval || at[2].Sub(at[1]) != contracts.ListenInterval {
			t.Errorf("connected at %v", at)
		}
	})
}

// Only permission requests from sessions that the office does not run itself are passed on.
func TestListenPassesOnlyPermissionRequests(t *testing.T) {
	inVirtualTime(t, func(t *testing.T, r *rig) {
		if got := r.ask(t.Context(), r.hook(plainHook)); got != nil {
			t.Errorf("a prompt was answered: %v", got)
		}
		r.Ignore = func(session string) bool { return session == "s1" }
		if got := r.ask(t.Context(), r.hook(asksHook)); got != nil {
			t.Errorf("the office answered its own session: %v", got)
		}
		r.settle()
		if n := len(r.hud()) + len(r.events(contracts.EventDecisionRequested)); n > 0 {
			t.Errorf("%d records", n)
		}
	})
}

// A permission request stays open in the office as long as any other question; a person's answer is
// returned.
func TestListenReturnsTheAnswer(t *testing.T) {
	inVirtualTime(t, func(t *testing.T, r *rig) {
		start := time.Now()
		r.AskWait = time.Second // applies to hooks only
		r.reply = func(ctx context.Context, id string) (contracts.Decision, error) {
			if until, ok := ctx.Deadline(); !ok || until.Sub(start) != contracts.PermissionWait {
				t.Errorf("waits until %v, which is not %v", until.Sub(start), contracts.PermissionWait)
			}
			return contracts.Decision{DecisionID: id, Status: contracts.DecisionResolved, Choice: contracts.OptionAllow}, nil
		}
		got := r.ask(t.Context(), r.hook(asksHook))
		asked := r.events(contracts.EventDecisionRequested)
		if len(asked) != 1 || asked[0].Decision.Permission.Label == "" || !strings.Contains(asked[0].Decision.Prompt, "make") {
			t.Fatalf("asked %+v", asked)
		}
		if len(got) != 1 || got[0].DecisionID != asked[0].DecisionID || got[0].Choice != contracts.OptionAllow {
			t.Errorf("answered %+v", got)
		}
	})
}

// Without an answer, the question is withdrawn, and the program keeps asking elsewhere. The reason
// states whether the question was answered there, the connection was lost, or nobody answered in
// time.
func TestListenWithdrawsTheQuestion(t *testing.T) {
	for name, end := range map[string]func(cancel context.CancelCauseFunc){
		answeredElsewhere:             func(cancel context.CancelCauseFunc) { cancel(nil) },
		guest.ErrDisconnected.Error(): func(cancel context.CancelCauseFunc) { cancel(guest.ErrDisconnected) },
		"answered in time":            func(context.CancelCauseFunc) {},
	} {
		t.Run(name, func(t *testing.T) {
			inVirtualTime(t, func(t *testing.T, r *rig) {
				ctx, cancel := context.WithCancelCause(t.Context())
				defer cancel(nil)
				r.reply = func(ctx context.Context, _ string) (contracts.Decision, error) {
					<-ctx.Done()
					return contracts.Decision{}, ctx.Err()
				}
				var got []contracts.Decision
				var asking sync.WaitGroup
				asking.Go(func() { got = r.ask(ctx, r.hook(asksHook)) })
				r.settle()
				if n := len(r.events(contracts.EventDecisionRequested)); n != 1 {
					t.Fatalf("%d questions", n)
				}
				end(cancel)
				asking.Wait()
				synctest.Wait()
				gone := r.events(contracts.EventDecisionCancelled)
				if got != nil || len(gone) != 1 || !strings.Contains(gone[0].Reason, name) {
					t.Errorf("answered %v, withdrawn %+v", got, gone)
				}
			})
		})
	}
}
