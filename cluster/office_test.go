package cluster_test

import (
	"context"
	"log/slog"
	"sync"
	"testing"

	"github.com/nats-io/nats.go"

	"github.com/bullpen-office/bullpen/cluster"
	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/ledger/jetstream"
	"github.com/bullpen-office/bullpen/ledger/jetstream/natstest"
	"github.com/bullpen-office/bullpen/office"
)

// node is a node of an office: it writes while it holds the lease.
type node struct {
	*cluster.Office
	ledger *jetstream.Ledger
	lease  *cluster.Lease
	stop   func()
}

func startNode(t *testing.T, c *natstest.Cluster, name string) *node {
	t.Helper()
	conn, err := nats.Connect(c.URL(), nats.MaxReconnects(-1))
	if err != nil {
		t.Fatal(err)
	}
	n := &node{}
	if n.ledger, err = jetstream.Open(t.Context(), jetstream.Config{URL: c.URL(), Replicas: len(c.Servers)}); err != nil {
		t.Fatal(err)
	}
	holder := cluster.Holder{Node: name, Token: name}
	if n.lease, err = cluster.OpenLease(t.Context(), cluster.LeaseConfig{Conn: conn, Office: "office", Holder: holder, Replicas: len(c.Servers)}); err != nil {
		t.Fatal(err)
	}
	n.Office = cluster.NewOffice(&cluster.Line{Conn: conn, Office: "office", Lease: n.lease, Log: slog.New(slog.DiscardHandler)})
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() {
		err := n.lease.Run(ctx, func(ctx context.Context) error { return n.lead(ctx, holder.Token) })
		if err != nil && ctx.Err() == nil {
			t.Errorf("node %s: %v", name, err)
		}
	})
	n.stop = sync.OnceFunc(func() {
		cancel()
		running.Wait()
		n.ledger.Close()
		conn.Close()
	})
	t.Cleanup(n.stop)
	return n
}

func (n *node) lead(ctx context.Context, token string) error {
	if err := n.ledger.Lead(ctx); err != nil {
		return err
	}
	o, err := office.Open(ctx, office.Config{Ledger: n.ledger, Node: token})
	if err != nil {
		return err
	}
	var running sync.WaitGroup
	defer running.Wait()
	running.Go(func() { o.Run(ctx) })
	return n.Lead(ctx, token, o)
}

func request(id string) contracts.Command {
	return contracts.Command{ID: id, Caller: contracts.Caller{Identity: "me", By: "me", Access: contracts.AccessOperator}, Data: contracts.SubmitRequest{Text: "Write a page about " + id}}
}

// A command to any node is carried out once by the node that writes, also after that one
// is gone; a repeated id is a duplicate on every node.
func TestCommandsReachTheWriter(t *testing.T) {
	c := natstest.Start(t, 1)
	a, b := startNode(t, c, "a"), startNode(t, c, "b")
	first := a.Do(t.Context(), request("one"))
	if first.Refusal != nil || first.Seq == 0 || first.Result.ProjectID == "" {
		t.Fatalf("through a: %+v", first)
	}
	again := b.Do(t.Context(), request("one"))
	if again.Refusal != nil || !again.Duplicate || again.Result.ProjectID != first.Result.ProjectID {
		t.Errorf("through b again: %+v", again)
	}
	writer, other := a, b
	if h, _, _ := a.lease.Holder(); h.Node == "b" {
		writer, other = b, a
	}
	writer.stop()
	second := other.Do(t.Context(), request("two"))
	if second.Refusal != nil || second.Result.ProjectID == "" || second.Seq <= first.Seq {
		t.Errorf("after the writer left: %+v", second)
	}
	if again := other.Do(t.Context(), request("one")); !again.Duplicate || again.Seq != first.Seq {
		t.Errorf("the first command on the new writer: %+v", again)
	}
	if err := other.Record(t.Context(), contracts.Audited{Kind: contracts.AuditLogin, By: "me", Says: "signed in"}); err != nil {
		t.Error(err)
	}
}
