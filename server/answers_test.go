package server

import (
	"context"
	"testing"
	"time"

	"github.com/bullpen-office/bullpen/contracts"
)

func question(t *testing.T, r *rig) string {
	t.Helper()
	reply := r.office.Tell(t.Context(), contracts.AskSeen{Kind: contracts.DecisionAsk, Prompt: "Which?", Options: []string{"A", "B"}})[0]
	if reply.Refusal != nil {
		t.Fatal(reply.Refusal)
	}
	return reply.Result.DecisionID
}

func resolve(t *testing.T, r *rig, id string) {
	t.Helper()
	reply := r.office.Do(t.Context(), contracts.Command{ID: "cmd_" + id, Caller: contracts.Caller{Identity: "test"}, Data: contracts.ResolveDecision{DecisionID: id, Choice: "B", Note: "why not"}})
	if reply.Refusal != nil {
		t.Fatal(reply.Refusal)
	}
}

// U6: whoever waits for a decision gets its answer, whether it waited before or
// asks afterwards, and also when the question is out of sight.
func TestAnswersReachThoseWhoWait(t *testing.T) {
	r := startRig(t, Config{})
	id := question(t, r)
	const waiters = 3
	got := make(chan contracts.Decision, waiters)
	for range waiters {
		go func() {
			d, err := r.answers.Await(t.Context(), id)
			if err != nil {
				t.Error(err)
			}
			got <- d
		}()
	}
	resolve(t, r, id)
	for range waiters {
		if d := <-got; d.Status != contracts.DecisionResolved || d.Choice != "B" || d.Note != "why not" {
			t.Errorf("%+v", d)
		}
	}
	for range contracts.LimitClosedAsks {
		resolve(t, r, question(t, r))
	}
	if _, live := r.answers.look(id); live {
		t.Fatal("the answered question stays in sight")
	}
	if d, err := r.answers.Await(t.Context(), id); err != nil || d.Choice != "B" {
		t.Errorf("later: %+v %v", d, err)
	}
}

// Waiting ends with its time and says what is known; waiting for nothing is refused.
func TestAnswersWaitIsBounded(t *testing.T) {
	r := startRig(t, Config{})
	ctx, cancel := context.WithCancel(t.Context())
	look := r.answers.look
	r.answers.look = func(id string) (contracts.Decision, bool) { // its time ends once it knows what it waits for
		defer cancel()
		return look(id)
	}
	if d, err := r.answers.Await(ctx, question(t, r)); err == nil || d.Status != contracts.DecisionOpen {
		t.Errorf("%+v %v", d, err)
	}
	if _, err := r.answers.Await(t.Context(), "dec_nothing"); err == nil {
		t.Error("waited for nothing")
	}
	if n := len(r.answers.waiting); n != 0 {
		t.Errorf("%d waiters were left behind", n)
	}
}

// Who waits before the answers are followed is woken all the same.
func TestAnswersOfTheFirstMoment(t *testing.T) {
	r := startRig(t, Config{})
	a := newAnswers(r.ledger, r.hub.Look)
	look, waits := a.look, make(chan struct{})
	a.look = func(id string) (contracts.Decision, bool) {
		defer close(waits)
		return look(id)
	}
	id := question(t, r)
	got := make(chan contracts.Decision, 1)
	go func() {
		d, _ := a.Await(t.Context(), id)
		got <- d
	}()
	<-waits
	resolve(t, r, id)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- a.Run(ctx) }()
	select {
	case d := <-got:
		if d.Choice != "B" {
			t.Errorf("%+v", d)
		}
	case <-time.After(patience):
		t.Error("nobody told the answer")
	}
	cancel()
	<-ended
}
