package main

import "testing"

func TestSumTrace(t *testing.T) {
	ms, allocs := sumTrace("init runtime @0.02 ms, 0.05 ms clock, 0 bytes, 0 allocs\nsomething else\ninit gopkg.in/a%2ev3 @3.8 ms, 0.25 ms clock, 25720 bytes, 276 allocs\n")
	if ms != 0.3 || allocs != 276 {
		t.Errorf("%v ms, %v allocations", ms, allocs)
	}
}
