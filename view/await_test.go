package view_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bullpen-office/bullpen/contracts"
)

// U6: every caller that waits for a decision receives the answer, whether it started waiting before
// or after the decision was answered, and even if the world no longer contains the question.
func TestAnswersReachWaiters(t *testing.T) {
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
		t.Fatalf("the answered question: live %v, found %v, %v", live, ok, err)
	}
	if d, err := r.Await(t.Context(), id); err != nil || d.Choice != "B" {
		t.Errorf("later: %+v %v", d, err)
	}
}

// When the caller's context is done, Await returns the open decision with an error. An unknown
// decision is refused.
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
			t.Error("Await accepted an unknown decision")
		}
		if n := r.Waiting(); n != 0 {
			t.Errorf("%d waiters are left", n)
		}
	})
}

// An answer that was recorded before the view ran wakes the callers that are waiting for it.
func TestAnswersBeforeRunWakeWaiters(t *testing.T) {
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
