package cluster_test

import (
	"context"
	"log/slog"
	"strings"
	"testing"

	"github.com/bullpen-office/bullpen/cluster"
	"github.com/bullpen-office/bullpen/ledger/jetstream/natstest"
)

// lines is a log whose messages a test receives.
type lines chan string

func (l lines) Write(line []byte) (int, error) { l <- string(line); return len(line), nil }

func (l lines) await(text string) {
	for !strings.Contains(<-l, text) { // the test times out if the message never arrives
	}
}

// While another process uses its name, a node logs that it is waiting. If the node gives up, its next
// start still counts as its first arrival at the office.
func TestFailedStartIsNotAnArrival(t *testing.T) {
	t.Parallel()
	c := natstest.Start(t, 1)
	first := start(t, c, "a")
	dir, log := t.TempDir(), make(lines, 1000)
	waiting, giveUp := context.WithCancel(t.Context())
	again := func(ctx context.Context) (*node, error) {
		return openWith(ctx, t, c, "a", func(cfg *cluster.Config) {
			cfg.DataDir, cfg.Log = dir, slog.New(slog.NewTextHandler(log, nil))
		})
	}
	go func() {
		log.await("another process serves the office as this node")
		giveUp()
	}()
	if _, err := again(waiting); err == nil || !strings.Contains(err.Error(), "another process is already serving office \"office\" as node \"a\"") {
		t.Fatalf("with the name of another process: %v", err)
	}
	first.stop()
	n, err := again(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if a := n.Arrival(); a == nil || a.New || a.Records == 0 {
		t.Errorf("arrival %+v", a)
	}
	n.stop()
	if n, err = again(t.Context()); err != nil || n.Arrival() != nil {
		t.Errorf("the next start: %v, arrival %+v", err, n.Arrival())
	}
}
