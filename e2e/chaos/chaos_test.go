package chaos_test

import (
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"
)

var (
	seed   = flag.Uint64("chaos.seed", 55, "seed of the faults; 0 chooses one")
	rounds = flag.Int("chaos.rounds", 3, "number of faults")
	logs   = flag.Bool("chaos.logs", false, "print the nodes' logs")
	only   = flag.String("chaos.fault", "", "cause only the faults whose names contain this text")
)

// Whatever breaks, nothing that the office acknowledged is lost, duplicated or left open, and all
// nodes show the same history.
func TestFaultsLoseNothing(t *testing.T) {
	s := *seed
	if s == 0 {
		s = uint64(time.Now().UnixNano())
	}
	t.Logf("repeat with: go test ./e2e/chaos -count=1 -v -chaos.seed=%d -chaos.rounds=%d", s, *rounds)
	rng := rand.New(rand.NewPCG(s, 0))
	if s%2 == 0 {
		t.Setenv(envStudios, "on") // the nodes inherit it
	}
	c := startCluster(t)
	l := startLoad(t, c)
	list := slices.DeleteFunc(slices.Clone(faults), func(f fault) bool {
		return !strings.Contains(f.name, *only) || f.name == fullDisk && !canMount()
	})
	if len(list) == 0 {
		t.Fatalf("no fault has %q in its name", *only)
	}
	order := rng.Perm(len(list))
	for i := range *rounds {
		f := list[order[i%len(order)]]
		began := time.Now()
		f.do(c, rng)
		for _, n := range c.nodes {
			n.awaitReady()
		}
		took := time.Since(began)
		time.Sleep(time.Second) // normal operation between faults
		t.Logf("%s: repaired after %s; slowest commands: %s", f.name, took.Round(100*time.Millisecond), l.slowest(began))
	}
	h := finishLoad(t, c, l)
	h.commandsOnce(l.commands)
	h.reportsOnce(l.reports)
	h.outpostOnce(l.worked)
	oneOrder(t, l.commands)
	h.streamsComplete(l.viewers)
	outpostIdle(t, c)
	worldsEqual(t, c)
}

// finishLoad ends the load, waits until the office has nothing left to do and all viewers have seen
// its last record, and returns the history.
func finishLoad(t *testing.T, c *cluster, l *load) (h *history) {
	t.Helper()
	l.stopActors()
	until(t, "no turn is open and all nodes and viewers are at the same record", func() (bool, string) {
		var heads []uint64
		turns := 0
		for _, n := range c.nodes {
			r, err := n.ready(t.Context())
			if err != nil || !r.Ready {
				return false, fmt.Sprint(n.name, err, r.Reasons)
			}
			heads, turns = append(heads, r.Head), turns+r.Turns
		}
		var seen []uint64
		for _, v := range l.viewers {
			seen = append(seen, v.last())
		}
		same := heads[0] == heads[1] && heads[1] == heads[2]
		for _, v := range l.viewers {
			same = same && v.caughtUp(slices.Max(seen))
		}
		if turns > 0 || !same {
			return false, fmt.Sprintf("heads %d, viewers %d, %d turns open", heads, seen, turns)
		}
		h = readHistory(t, c)
		open := slices.Sorted(maps.Keys(h.open)) // the crew may have started its next turn
		done, _ := h.outpost()
		want := turnEnd(l.worked - 1) // the outpost may have more to send
		return len(open) == 0 && slices.Contains(done, want), fmt.Sprintf("open turns: %q; %d reports of the outpost, without %s", open, len(done), want)
	})
	l.stop()
	return h
}
