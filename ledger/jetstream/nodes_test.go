package jetstream_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	js "github.com/nats-io/nats.go/jetstream"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/ledger"
	"github.com/bullpen-office/bullpen/ledger/jetstream"
	"github.com/bullpen-office/bullpen/ledger/jetstream/natstest"
)

// nodes opens one office on several nodes; the first node leads.
func nodes(t *testing.T, c *natstest.Cluster, n int) []*jetstream.Ledger {
	t.Helper()
	config := jetstream.Config{URL: c.URL(), Office: fmt.Sprintf("o%d", offices.Add(1)), Replicas: len(c.Servers)}
	list := make([]*jetstream.Ledger, n)
	for i := range list {
		l, err := jetstream.Open(t.Context(), config)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { l.Close() })
		list[i] = l
	}
	lead(t, list[0])
	return list
}

func lead(t *testing.T, l *jetstream.Ledger) {
	t.Helper()
	if err := l.Lead(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func event(n uint64) contracts.Record {
	return contracts.Record{Seq: n, TS: int64(n), Kind: contracts.KindEvent, ID: fmt.Sprint(n), Body: fmt.Appendf(nil, `{"n":%d}`, n)}
}

func mustAppend(t *testing.T, l *jetstream.Ledger, recs ...contracts.Record) {
	t.Helper()
	if err := l.Append(t.Context(), recs[0].Seq-1, recs); err != nil {
		t.Fatal(err)
	}
}

// await waits until a node has received a record.
func await(t *testing.T, l *jetstream.Ledger, seq uint64) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	err := l.Follow(ctx, seq-1, func([]contracts.Record) error { cancel(); return nil })
	if !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
}

// TestThreeServers starts one cluster of three servers for all its subtests. The last subtest stops
// servers for good, so no other may follow it.
func TestThreeServers(t *testing.T) {
	c := natstest.Start(t, 3)
	for _, test := range []struct {
		name string
		run  func(*testing.T, *natstest.Cluster)
	}{
		{"every node sees the same history", testSameHistory},
		{"removal reaches every node", testRemoval},
		{"appends survive the leader", testAppendsSurvive},
		{"open needs servers", testOpenNeedsServers},
	} {
		t.Run(test.name, func(t *testing.T) { test.run(t, c) })
	}
}

// testSameHistory checks that every node sees the records that one node appends, in the same
// segment, so that a viewer can resume at any node.
func testSameHistory(t *testing.T, c *natstest.Cluster) {
	n := nodes(t, c, 2)
	mustAppend(t, n[0], event(1), event(2))
	await(t, n[1], 2)
	if a, b := n[0].Segment(), n[1].Segment(); a != b || !n[1].Holds(a, 2) || n[1].Holds(a, 3) {
		t.Errorf("segments %q and %q", a, b)
	}
	first := n[0].Segment()
	lead(t, n[1])
	mustAppend(t, n[1], event(3))
	await(t, n[0], 3)
	second := n[1].Segment()
	if second == first || !n[0].Holds(first, 2) || n[0].Holds(first, 3) || !n[0].Holds(second, 3) {
		t.Errorf("after another node leads: %q, then %q", first, second)
	}
}

// A writer that has not noticed that it was replaced cannot append.
func TestReplacedWriterIsFenced(t *testing.T) {
	c := natstest.Start(t, 1)
	n := nodes(t, c, 2)
	mustAppend(t, n[0], event(1))
	lead(t, n[1])
	mustAppend(t, n[1], event(2))
	stale := (*ledger.StaleError)(nil)
	if err := n[0].Append(t.Context(), 1, []contracts.Record{event(2)}); !errors.As(err, &stale) || stale.Head != 2 {
		t.Errorf("the replaced writer: %v", err)
	}
	if err := n[0].Append(t.Context(), ledger.AnySeq, []contracts.Record{event(3)}); err == nil {
		t.Error("a node that does not lead appended")
	}
	if err := n[0].SaveCheckpoint(t.Context(), ledger.Checkpoint{Seq: 1}); err != nil {
		t.Fatal(err) // no other node has saved a checkpoint since n[0] became the leader
	}
	lead(t, n[1])
	if err := n[1].SaveCheckpoint(t.Context(), ledger.Checkpoint{Seq: 2}); err != nil {
		t.Fatal(err)
	}
	if err := n[0].SaveCheckpoint(t.Context(), ledger.Checkpoint{Seq: 1}); err == nil {
		t.Error("the replaced writer replaced a newer checkpoint")
	}
}

// testRemoval checks that no node shows records or text that retention or redaction removed on
// another node.
func testRemoval(t *testing.T, c *natstest.Cluster) {
	n := nodes(t, c, 2)
	mustAppend(t, n[0], event(1), event(2), event(3), event(4))
	await(t, n[1], 4)
	body := []byte(`{"n":0}`)
	sum := sha256.Sum256(body)
	confirm, err := contracts.NewRecord(5, 5, "", &contracts.Event{
		Name: contracts.EventRecordRedacted, Redaction: &contracts.Redaction{Seq: 3, SHA256: hex.EncodeToString(sum[:])}})
	if err != nil {
		t.Fatal(err)
	}
	if err := n[0].Redact(t.Context(), 4, []ledger.Erasure{{Seq: 3, Body: body, Record: confirm}}); err != nil {
		t.Fatal(err)
	}
	await(t, n[1], 5)
	want := []uint64{1, 2, 3, 4, 5}
	check := func() {
		t.Helper()
		recs, err := n[1].Read(t.Context(), 0, 10)
		if err != nil {
			t.Fatal(err)
		}
		var got []uint64
		for _, r := range recs {
			got = append(got, r.Seq)
			if r.Seq == 3 && (!r.Redacted || string(r.Body) != string(body)) {
				t.Errorf("record 3 is %s", r.Body)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("records %d, want %d", got, want)
		}
	}
	check()
	if removed, err := n[0].Retain(t.Context(), time.UnixMilli(4), []ledger.Rule{{Kind: contracts.KindEvent, MaxAge: time.Millisecond}}); err != nil || removed != 2 {
		t.Fatalf("removed %d: %v", removed, err)
	}
	for n[1].Floor() != 2 { // the document arrives without a request
		time.Sleep(time.Millisecond)
	}
	want = want[2:]
	check()
	if err := n[1].Verify(t.Context()); err != nil {
		t.Error(err)
	}
}

// testAppendsSurvive checks that an append interrupted by a crash of the stream's leader is
// recorded exactly once.
func testAppendsSurvive(t *testing.T, c *natstest.Cluster) {
	n := nodes(t, c, 2)
	const total = 300
	acked := make(chan int, total)
	go func() {
		defer close(acked)
		for i := range total {
			err := n[0].Append(context.Background(), ledger.AnySeq, []contracts.Record{
				{Kind: contracts.KindEvent, ID: fmt.Sprint(i)}, {Kind: contracts.KindReceipt, ID: fmt.Sprint(i), Key: fmt.Sprint("k", i)}})
			if err != nil {
				t.Errorf("append %d: %v", i, err)
				return
			}
			acked <- i
		}
	}()
	for i := range acked {
		switch i {
		case 100:
			c.Leader(n[0].Streams()[0]).Kill()
		case 101:
			for _, s := range c.Servers {
				s.Restart()
			}
		}
	}
	await(t, n[1], 2*total)
	recs, err := n[1].Read(t.Context(), 0, 4*total)
	if err != nil || len(recs) != 2*total {
		t.Fatalf("%d records, want %d: %v", len(recs), 2*total, err)
	}
	for i, r := range recs {
		if r.Seq != uint64(i+1) || r.ID != fmt.Sprint(i/2) {
			t.Fatalf("record %d is %d of append %s", i+1, r.Seq, r.ID)
		}
	}
	if err := n[1].Verify(t.Context()); err != nil {
		t.Error(err)
	}
}

// Nodes that open a new office at the same time get the same ledger.
func TestNodesCreateOneLedger(t *testing.T) {
	c := natstest.Start(t, 1)
	for range 10 {
		config := jetstream.Config{URL: c.URL(), Office: fmt.Sprintf("o%d", offices.Add(1)), Replicas: 1}
		ids := make(chan string, 4)
		for range cap(ids) {
			go func() {
				l, err := jetstream.Open(t.Context(), config)
				if err != nil {
					ids <- err.Error()
					return
				}
				defer l.Close()
				ids <- l.ID()
			}()
		}
		first := <-ids
		for range cap(ids) - 1 {
			if id := <-ids; id != first {
				t.Fatalf("one node has %s, another %s", first, id)
			}
		}
	}
}

// A node that does not lead counts redacted records as well.
func TestFollowersCountRedactedRecords(t *testing.T) {
	c := natstest.Start(t, 1)
	list := nodes(t, c, 2)
	leader, other := list[0], list[1]
	mustAppend(t, leader, event(1))
	if err := leader.Redact(t.Context(), 1, []ledger.Erasure{erasure(t, 1, 1, `{"redacted":true}`)}); err != nil {
		t.Fatal(err)
	}
	await(t, other, 2)
	if stats, err := other.Stats(t.Context()); err != nil || stats.Records != 2 {
		t.Errorf("%d records: %v", stats.Records, err)
	}
}

// A refusal proves that nothing was appended only if it answers the first attempt: an earlier
// attempt without an answer may have been stored.
func TestRefusalAfterAnUnansweredAttempt(t *testing.T) {
	c := natstest.Start(t, 1)
	l := nodes(t, c, 1)[0]
	mustAppend(t, l, event(1))
	conn := refuseRecords(t, c, l)
	err := l.Append(t.Context(), 1, []contracts.Record{event(2)})
	if err == nil || errors.Is(err, ledger.ErrUnconfirmed) {
		t.Errorf("refused at the first attempt: %v", err)
	}
	c.Servers[0].Pause()
	for conn.FlushTimeout(time.Second) == nil { // the server has not stopped yet
	}
	started, result := make(chan struct{}), make(chan error)
	go func() {
		close(started)
		result <- l.Append(t.Context(), 1, []contracts.Record{event(2)})
	}()
	<-started
	time.Sleep(3 * contracts.JetStreamAttempt) // at least one attempt ends without an answer
	c.Servers[0].Resume()
	if err := <-result; !errors.Is(err, ledger.ErrUnconfirmed) || !strings.Contains(err.Error(), "message size exceeds maximum") {
		t.Errorf("refused after an unanswered attempt: %v", err)
	}
}

// refuseRecords makes the server refuse all further records, and returns a connection to it.
func refuseRecords(t *testing.T, c *natstest.Cluster, l *jetstream.Ledger) *nats.Conn {
	t.Helper()
	conn, err := nats.Connect(c.URL())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(conn.Close)
	api, err := js.New(conn)
	if err != nil {
		t.Fatal(err)
	}
	s, err := api.Stream(t.Context(), l.Streams()[0])
	if err != nil {
		t.Fatal(err)
	}
	config := s.CachedInfo().Config
	config.MaxMsgSize = 1
	if _, err := api.UpdateStream(t.Context(), config); err != nil {
		t.Fatal(err)
	}
	return conn
}

// Close waits for requests that have already started; later requests fail.
func TestCloseDuringRequests(t *testing.T) {
	c := natstest.Start(t, 1)
	for range 10 {
		l := reopenOrCreate(t, jetstream.Config{URL: c.URL(), Replicas: 1})
		var callers sync.WaitGroup
		for range 8 {
			callers.Go(func() {
				for {
					if _, _, err := l.Lookup(t.Context(), "missing"); err != nil {
						return
					}
				}
			})
		}
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
		callers.Wait()
	}
}
