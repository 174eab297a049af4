package main

import (
	"fmt"
	"strings"
)

// sumTrace adds up the output of GODEBUG=inittrace=1, which has one line for every package whose
// initialization takes time or memory.
func sumTrace(trace string) (ms, allocs float64) {
	for line := range strings.Lines(trace) {
		var name string
		var at, took, bytes, made float64
		if n, _ := fmt.Sscanf(line, "init %s @%f ms, %f ms clock, %f bytes, %f allocs", &name, &at, &took, &bytes, &made); n == 5 {
			ms += took
			allocs += made
		}
	}
	return ms, allocs
}
