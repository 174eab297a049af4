// Package leaktest fails a package's tests if they leave goroutines behind.
package leaktest

import (
	"fmt"
	"os"
	"testing"
	"time"

	"go.uber.org/goleak"
)

// testTimeout is the time limit for goroutines to end. goleak's default of half a second is too
// short for a busy machine.
const testTimeout = time.Minute

// Main runs a package's tests, then checks for leaked goroutines and exits.
func Main(m *testing.M, ignore ...goleak.Option) {
	code := m.Run()
	if code == 0 {
		if err := left(ignore); err != nil {
			fmt.Fprintf(os.Stderr, "the tests left goroutines behind: %v\n", err)
			code = 1
		}
	}
	os.Exit(code)
}

func left(ignore []goleak.Option) error {
	end := time.Now().Add(testTimeout)
	for {
		err := goleak.Find(ignore...)
		if err == nil || time.Now().After(end) {
			return err
		}
	}
}
