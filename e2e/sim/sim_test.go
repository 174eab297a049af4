package sim

import (
	"flag"
	"fmt"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bullpen-office/bullpen/e2e/leaktest"
)

var (
	historiesFlag = flag.Uint64("sim.histories", 60, "how many histories to play")
	firstFlag     = flag.Uint64("sim.first", 1, "seed of the first history")
	seedFlag      = flag.Uint64("sim.seed", 0, "play only the history with this seed")
)

func TestMain(m *testing.M) { leaktest.Main(m) }

// TestHistories plays random histories of an office with faults, and checks each of them.
func TestHistories(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1)) // fewer goroutine orders, so that a seed is more likely to reproduce a history
	first, count := *firstFlag, *historiesFlag
	if *seedFlag != 0 {
		first, count = *seedFlag, 1
	}
	began, records, restarts := time.Now(), uint64(0), 0
	for seed := first; seed < first+count; seed++ {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := newHistory(seed)
				for _, wrong := range h.run() {
					t.Error(wrong)
				}
				if t.Failed() {
					t.Errorf("%v\nreplay: go test ./e2e/sim -run TestHistories -count=20 -sim.seed=%d", h, seed)
				} else if count == 1 {
					t.Log(h)
				}
				records, restarts = records+h.store.head, restarts+h.lives-1
			})
		})
	}
	took := time.Since(began)
	t.Logf("%d histories with %d records and %d restarts in %s: %.0f histories per minute",
		count, records, restarts, took.Round(time.Millisecond), float64(count)/took.Minutes())
}
