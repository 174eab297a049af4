package view_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bullpen-office/bullpen/contracts"
)

// U6: everyone who waits for a decision gets its answer, whether they waited before or
// asks afterwards, and also when the question is out of sight.
func TestAnswersReachThoseWhoWait(t *testing.T) {
	r := newRig(t)
	r.run()
	id := r.ask()
	const waiters = 3
	got := make(chan contracts.Decision, waiters)
	for range waiters {
		go func() {
			d, err := r.Await(t.Context(), id)
			if err != nil {
				t.Error(err)
			}
			got <- d
		}()
	}
	r.resolve(id)
	for range waiters {
		if d := <-got; d.Status != contracts.DecisionResolved || d.Choice != "B" || d.Note != "why not" {
			t.Errorf("%+v", d)
		}
	}
	for range contracts.LimitClosedAsks {
		r.resolve(r.ask())
	}
	if _, live, ok, err := r.Decision(t.Context(), id); live || !ok || err != nil {
		t.Fatalf("the answered question: in sight %v, found %v, %v", live, ok, err)
	}
	if d, err := r.Await(t.Context(), id); err != nil || d.Choice != "B" {
		t.Errorf("later: %+v %v", d, err)
	}
}

// Waiting ends with its time and says what is known; waiting for nothing is refused.
func TestAnswersWaitIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		defer r.stop()
		r.run()
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		if d, err := r.Await(ctx, r.ask()); err == nil || d.Status != contracts.DecisionOpen {
			t.Errorf("%+v %v", d, err)
		}
		if _, err := r.Await(t.Context(), "dec_nothing"); err == nil {
			t.Error("waited for nothing")
		}
		if n := r.Waiting(); n != 0 {
			t.Errorf("%d waiters were left behind", n)
		}
	})
}

// An answer that came before the view ran wakes those who waited.
func TestAnswersOfTheFirstMoment(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		defer r.stop()
		id := r.ask()
		got := make(chan contracts.Decision, 1)
		go func() {
			d, _ := r.Await(t.Context(), id)
			got <- d
		}()
		synctest.Wait()
		r.resolve(id)
		r.run()
		if d := <-got; d.Choice != "B" {
			t.Errorf("%+v", d)
		}
	})
}
