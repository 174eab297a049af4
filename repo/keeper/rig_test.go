package keeper_test

import (
	"os"
	"testing"

	"github.com/bullpen-office/bullpen/drive/process"
)

// TestMain lets this test binary also act as process.Tend, which ends the processes that a check
// started.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == process.TendCommand {
		os.Exit(process.Tend(os.Args[2:]))
	}
	os.Exit(m.Run())
}
