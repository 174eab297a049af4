package cluster_test

import (
	"context"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/bullpen-office/bullpen/cluster"
	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/ledger/jetstream/natstest"
)

// candidate requests a lease. Once it holds the lease, led receives a function that releases it.
func candidate(t *testing.T, c *natstest.Cluster, name string) (l *cluster.Lease, conn *nats.Conn, led chan func()) {
	t.Helper()
	conn, err := nats.Connect(c.URL(), nats.MaxReconnects(-1))
	if err != nil {
		t.Fatal(err)
	}
	l, err = cluster.OpenLease(t.Context(), cluster.LeaseConfig{Conn: conn, Key: "o", TTL: contracts.LeaseTTL, Holder: cluster.Holder{Node: name, Token: name}, Replicas: len(c.Servers)})
	if err != nil {
		t.Fatal(err)
	}
	led = make(chan func(), 8)
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		l.Run(ctx, func(ctx context.Context) error {
			turn, end := context.WithCancel(ctx)
			led <- end
			<-turn.Done()
			return ctx.Err()
		})
	}()
	t.Cleanup(func() {
		cancel()
		<-ended
		conn.Close()
	})
	return l, conn, led
}

// One node leads at a time. When it releases the lease, another node takes over, and all nodes know
// which node leads.
func TestLeaseHasOneHolder(t *testing.T) {
	t.Parallel()
	c := natstest.Start(t, 1)
	_, _, ledA := candidate(t, c, "a")
	end := <-ledA
	b, _, ledB := candidate(t, c, "b")
	for {
		h, ok, changed := b.Holder()
		if ok && h.Node == "a" {
			break
		}
		<-changed
	}
	select {
	case <-ledB:
		t.Fatal("two nodes lead")
	default:
	}
	end()
	defer (<-ledB)()
	if h, _, _ := b.Holder(); h.Node != "b" {
		t.Errorf("holder %+v", h)
	}
}

// Renewing a lease does not count as a change of its holder.
func TestRenewalsDoNotChangeTheHolder(t *testing.T) {
	c := natstest.Start(t, 1)
	_, _, ledA := candidate(t, c, "a")
	<-ledA
	b, _, _ := candidate(t, c, "b")
	h, _, changed := b.Holder()
	for h.Node != "a" {
		<-changed
		h, _, changed = b.Holder()
	}
	select {
	case <-changed:
		t.Error("the holder changed")
	case <-time.After(contracts.LeaseTTL):
	}
}

// A disconnected node stops leading when, by the node's own clock, the lease has expired. Another
// node then takes over.
func TestLeaseEndsByTheHoldersClock(t *testing.T) {
	t.Parallel()
	c := natstest.Start(t, 1)
	a, conn, ledA := candidate(t, c, "a")
	<-ledA
	_, _, ledB := candidate(t, c, "b")
	conn.Close()
	<-ledB
	for {
		h, _, changed := a.Holder()
		if h.Node != "a" {
			return
		}
		<-changed
	}
}

// A bucket in which leases would never expire is refused.
func TestForeignBucketIsRefused(t *testing.T) {
	t.Parallel()
	c := natstest.Start(t, 1)
	conn, err := nats.Connect(c.URL())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	js, err := jetstream.New(conn)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := js.CreateKeyValue(t.Context(), jetstream.KeyValueConfig{Bucket: "BULLPEN_LEASES"}); err != nil {
		t.Fatal(err)
	}
	_, err = cluster.OpenLease(t.Context(), cluster.LeaseConfig{Conn: conn, Key: "o", TTL: contracts.LeaseTTL, Holder: cluster.Holder{Node: "a", Token: "a"}})
	if err == nil || !strings.Contains(err.Error(), "stop all nodes, then delete it") {
		t.Errorf("opened: %v", err)
	}
}

// While the NATS servers are out of space, a node reports that as the reason it cannot write. It
// writes again once there is space.
func TestFullServersAreTheReason(t *testing.T) {
	t.Parallel()
	c := natstest.StartWith(t, 1, natstest.Options{JetStream: "sync_interval: always, max_file_store: 512KB"})
	n := start(t, c, "a")
	js, err := jetstream.New(n.conn)
	if err != nil {
		t.Fatal(err)
	}
	filler, err := js.CreateStream(t.Context(), jetstream.StreamConfig{Name: "FILLER", Subjects: []string{"filler"}})
	if err != nil {
		t.Fatal(err)
	}
	for err == nil {
		_, err = js.Publish(t.Context(), "filler", make([]byte, 64<<10))
	}
	for { // the test times out if the node never reports the reason
		if err := n.Health(); err != nil && strings.Contains(err.Error(), "insufficient resources") {
			break
		}
		time.Sleep(50 * time.Millisecond)
	}
	if err := filler.Purge(t.Context()); err != nil {
		t.Fatal(err)
	}
	for n.Health() != nil {
		time.Sleep(50 * time.Millisecond)
	}
}

// Nodes recreate the lease bucket if someone deletes it, without filling their logs in the
// meantime.
func TestDeletedLeasesAreCreatedAgain(t *testing.T) {
	t.Parallel()
	c := natstest.Start(t, 1)
	log := make(lines, 1000)
	n, err := openWith(t.Context(), t, c, "a", func(cfg *cluster.Config) { cfg.Log = slog.New(slog.NewTextHandler(log, nil)) })
	if err != nil {
		t.Fatal(err)
	}
	c.DeleteStreams("LEASES")
	log.await("cannot watch a lease")
	for n.Do(t.Context(), request("again")).Refusal != nil { // the test times out if the command never succeeds
		time.Sleep(50 * time.Millisecond)
	}
	if len(log) > 100 {
		t.Errorf("%d messages", len(log))
	}
}
