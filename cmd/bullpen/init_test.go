package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// Every command pays for package initialization. This test counts allocations, because time depends
// on the machine; bench measures the time.
func TestInitializationIsCheap(t *testing.T) {
	const (
		limitOurs = 1_500  // all our packages together
		limitOne  = 3_000  // any single package
		limitAll  = 20_000 // including test libraries
	)
	c := exec.Command(os.Args[0], "-test.run=^$")
	c.Env = append(os.Environ(), "GODEBUG=inittrace=1")
	var trace bytes.Buffer
	c.Stderr = &trace
	if err := c.Run(); err != nil {
		t.Fatalf("%v: %s", err, trace.Bytes())
	}
	ours, all := 0, 0
	for line := range strings.Lines(trace.String()) {
		var name string
		var at, took float64
		var size, allocs int
		if n, _ := fmt.Sscanf(line, "init %s @%f ms, %f ms clock, %d bytes, %d allocs", &name, &at, &took, &size, &allocs); n != 5 {
			continue
		}
		all += allocs
		if strings.HasPrefix(name, "github.com/bullpen-office/bullpen/") {
			ours += allocs
		}
		if allocs > limitOne {
			t.Errorf("%s allocates %d times before main; initialize it when it is first used", name, allocs)
		}
	}
	if all == 0 || ours > limitOurs || all > limitAll {
		t.Errorf("%d allocations before main, %d of them in our packages; at most %d and %d are allowed", all, ours, limitAll, limitOurs)
	}
}
