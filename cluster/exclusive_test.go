package cluster_test

import (
	"context"
	"errors"
	"testing"

	"github.com/nats-io/nats.go"

	"github.com/bullpen-office/bullpen/cluster"
	"github.com/bullpen-office/bullpen/ledger/jetstream/natstest"
)

// A lease is held by one process while its function runs, and is released afterwards.
func TestExclusive(t *testing.T) {
	t.Parallel()
	c := natstest.Start(t, 1)
	conn, err := nats.Connect(c.URL())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	hold := func(name string, fn func(context.Context) error) error {
		lease := cluster.WriterLease(conn, "office", name)
		lease.Replicas = 1
		return cluster.Exclusive(t.Context(), lease, fn)
	}
	wrong := errors.New("wrong")
	for range 2 {
		err := hold("a", func(context.Context) error {
			held := (*cluster.HeldError)(nil)
			if err := hold("b", nil); !errors.As(err, &held) || held.Holder.Node != "a" {
				t.Errorf("a second process: %v", err)
			}
			return wrong
		})
		if !errors.Is(err, wrong) {
			t.Errorf("the first process: %v", err)
		}
	}
}
