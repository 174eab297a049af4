//go:build linux

package main

import (
	"math"
	"testing"
)

func TestRatioIsTheMedianOfPairs(t *testing.T) {
	var s sheet
	for i, v := range []float64{10, 100, 30} {
		s.add("append", "64 producers, events/s", ours, v)
		s.add("append", "64 producers, events/s", raw, []float64{20, 100, 40}[i])
	}
	r := s.rows[0]
	if got := r.ratio(raw); got != 0.75 {
		t.Errorf("ratio %v, want the median of 0.5, 1 and 0.75", got)
	}
	if got := r.ratio(peer); !math.IsNaN(got) {
		t.Errorf("ratio without a contestant is %v", got)
	}
	if v := r.verdicts(); len(v) != 1 || !v[0].met {
		t.Errorf("verdicts %v, want one that is met", v)
	}
}

func TestQuantileIsBetweenItsNeighbours(t *testing.T) {
	for _, c := range []struct{ q, want float64 }{{0, 1}, {0.5, 2.5}, {1, 4}} {
		if got := quantile([]float64{4, 1, 3, 2}, c.q); got != c.want {
			t.Errorf("quantile %v is %v, want %v", c.q, got, c.want)
		}
	}
}

func TestEveryAimHasAScenario(t *testing.T) {
	for _, a := range aims {
		if _, err := choose(a.scenario); err != nil {
			t.Error(err)
		}
	}
}
