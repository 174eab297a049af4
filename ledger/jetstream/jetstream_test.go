package jetstream_test

import (
	"context"
	"flag"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/bullpen-office/bullpen/ledger"
	"github.com/bullpen-office/bullpen/ledger/jetstream"
	"github.com/bullpen-office/bullpen/ledger/jetstream/natstest"
	"github.com/bullpen-office/bullpen/ledger/ledgertest"
)

var (
	offices  atomic.Int64
	previous sync.Map // name of a test's last office, by the test's name
)

// TestMain reduces the number of random histories: each one creates two streams.
func TestMain(m *testing.M) {
	flag.Parse()
	given := false
	flag.Visit(func(f *flag.Flag) { given = given || f.Name == "rapid.checks" })
	if !given {
		flag.Set("rapid.checks", "15")
	}
	os.Exit(m.Run())
}

// opener returns a function that opens a new office on a cluster, as its writer. It deletes the
// streams of the test's previous office, because every stream slows the servers down.
func opener(t *testing.T, c *natstest.Cluster) ledgertest.Opener {
	config := jetstream.Config{URL: c.URL(), Office: fmt.Sprintf("o%d", offices.Add(1)), Replicas: len(c.Servers)}
	if office, ok := previous.Swap(t.Name(), config.Office); ok {
		c.DeleteStreams("_" + office.(string) + "_")
	}
	return func(ctx context.Context) (ledger.Ledger, error) {
		l, err := jetstream.Open(ctx, config)
		if err != nil {
			return nil, err
		}
		if err := l.Lead(ctx); err != nil {
			l.Close()
			return nil, err
		}
		return l, nil
	}
}

func TestContractOnOneServer(t *testing.T) {
	c := natstest.Start(t, 1)
	ledgertest.Run(t, func(t *testing.T) ledgertest.Opener { return opener(t, c) })
}

func TestContractOnThreeServers(t *testing.T) {
	c := natstest.Start(t, 3)
	ledgertest.Run(t, func(t *testing.T) ledgertest.Opener { return opener(t, c) })
}
