package sqlite_test

import (
	"os"
	"testing"

	"github.com/bullpen-office/bullpen/e2e/leaktest"
)

func TestMain(m *testing.M) {
	if path := os.Getenv(victimEnv); path != "" {
		runVictim(path)
	}
	leaktest.Main(m)
}
