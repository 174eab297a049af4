package backoff

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

func TestWaitsDoubleUpToTheBound(t *testing.T) {
	for _, random := range []float64{0, 0.5, 1} {
		b := Backoff{First: 2 * time.Second, Max: 9 * time.Second, Rand: func() float64 { return random }}
		spread := func(d time.Duration) time.Duration { return d/2 + time.Duration(random*float64(d/2)) }
		for _, most := range []time.Duration{2, 4, 8, 9, 9} {
			if got, want := b.Next(), spread(most*time.Second); got != want {
				t.Errorf("with random %v: wait %v, want %v", random, got, want)
			}
		}
		b.Reset()
		if got, want := b.Next(), spread(2*time.Second); got != want {
			t.Errorf("wait after a reset: %v, want %v", got, want)
		}
	}
}

func TestZeroValueIsBounded(t *testing.T) {
	var b Backoff
	for i := range 100 {
		most := min(DefaultFirst<<min(i, 10), DefaultMax)
		if wait := b.Next(); wait < most/2 || wait > most {
			t.Fatalf("wait %d is %v, want %v to %v", i, wait, most/2, most)
		}
	}
}

func TestFirstWaitIsBounded(t *testing.T) {
	b := Backoff{First: time.Hour, Max: time.Minute, Rand: func() float64 { return 1 }}
	if wait := b.Next(); wait != time.Minute {
		t.Errorf("wait %v, want a minute", wait)
	}
}

func TestWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := Backoff{First: 4 * time.Second, Rand: func() float64 { return 0 }}
		began := time.Now()
		if err := b.Wait(t.Context()); err != nil || time.Since(began) != 2*time.Second {
			t.Errorf("waited %v, %v", time.Since(began), err)
		}
		gone := errors.New("gone")
		ctx, cancel := context.WithCancelCause(t.Context())
		time.AfterFunc(time.Second, func() { cancel(gone) })
		began = time.Now()
		if err := b.Wait(ctx); !errors.Is(err, gone) || time.Since(began) != time.Second {
			t.Errorf("cancelled after %v: %v", time.Since(began), err)
		}
	})
}
