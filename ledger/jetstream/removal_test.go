package jetstream_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"net"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/ledger"
	"github.com/bullpen-office/bullpen/ledger/jetstream"
	"github.com/bullpen-office/bullpen/ledger/jetstream/natstest"
)

// erasure returns the redaction of record seq, which the record after head confirms.
func erasure(t *testing.T, head, seq uint64, body string) ledger.Erasure {
	t.Helper()
	sum := sha256.Sum256([]byte(body))
	confirm, err := contracts.NewRecord(head+1, int64(head+1), "", &contracts.Event{
		Name: contracts.EventRecordRedacted, Redaction: &contracts.Redaction{Seq: seq, SHA256: hex.EncodeToString(sum[:])}})
	if err != nil {
		t.Fatal(err)
	}
	return ledger.Erasure{Seq: seq, Body: []byte(body), Record: confirm}
}

// shows opens another node of the office and checks that its ledger is intact and that record seq has
// the given body.
func shows(t *testing.T, config jetstream.Config, seq uint64, body string) {
	t.Helper()
	l := reopen(t, config)
	if err := l.Verify(t.Context()); err != nil {
		t.Error(err)
	}
	recs, err := l.Read(t.Context(), seq-1, 1)
	if err != nil || len(recs) != 1 || string(recs[0].Body) != body {
		t.Errorf("record %d is %v, want %s: %v", seq, recs, body, err)
	}
}

// A redaction that fails, or that a replaced writer attempts, leaves an earlier redaction of the same
// record unchanged.
func TestFailedRedactionKeepsTheEarlierOne(t *testing.T) {
	c := natstest.Start(t, 1)
	config := jetstream.Config{URL: c.URL(), Office: "redacted", Replicas: 1}
	a, b := reopenOrCreate(t, config), reopenOrCreate(t, config)
	lead(t, a)
	keyed := event(2)
	keyed.Key = "taken"
	mustAppend(t, a, event(1), keyed)
	if err := a.Redact(t.Context(), 2, []ledger.Erasure{erasure(t, 2, 1, `{"n":"first"}`)}); err != nil {
		t.Fatal(err)
	}
	shows(t, config, 1, `{"n":"first"}`)
	failing := erasure(t, 3, 1, `{"n":"second"}`)
	failing.Record.Key = "taken"
	if err := a.Redact(t.Context(), 3, []ledger.Erasure{failing}); !errors.Is(err, ledger.ErrDuplicateKey) {
		t.Fatalf("a redaction with a key that is taken: %v", err)
	}
	shows(t, config, 1, `{"n":"first"}`)

	lead(t, b)
	mustAppend(t, b, event(4))
	await(t, a, 4)
	if err := a.Redact(t.Context(), 4, []ledger.Erasure{erasure(t, 4, 1, `{"n":"third"}`)}); err == nil {
		t.Error("a replaced writer redacted a record")
	}
	shows(t, config, 1, `{"n":"first"}`)
	if err := b.Redact(t.Context(), 4, []ledger.Erasure{erasure(t, 4, 1, `{"n":"fourth"}`)}); err != nil {
		t.Fatal(err)
	}
	await(t, a, 5)
	shows(t, config, 1, `{"n":"fourth"}`)
	if recs, err := a.Read(t.Context(), 0, 1); err != nil || string(recs[0].Body) != `{"n":"fourth"}` {
		t.Errorf("the other node shows %v: %v", recs, err)
	}
}

// reopenOrCreate opens an office, and creates it if it does not exist.
func reopenOrCreate(t *testing.T, config jetstream.Config) *jetstream.Ledger {
	t.Helper()
	l, err := jetstream.Open(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return l
}

// gate is a network that can be disconnected.
type gate struct {
	mu     sync.Mutex
	closed bool
	conns  []net.Conn
}

// Dial connects unless the network is disconnected.
func (g *gate) Dial(network, address string) (net.Conn, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closed {
		return nil, errors.New("the network is cut")
	}
	conn, err := net.Dial(network, address)
	g.conns = append(g.conns, conn)
	return conn, err
}

func (g *gate) set(closed bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.closed = closed
	for _, conn := range g.conns {
		conn.Close()
	}
	g.conns = nil
}

// replacedUnseen returns a writer that appended one record and was replaced while it was cut off,
// and the new writer. The new writer appended records 2 and 3, and retention removed them before
// the replaced writer could see them.
func replacedUnseen(t *testing.T, config jetstream.Config) (replaced, writer *jetstream.Ledger) {
	t.Helper()
	var g gate
	there := config
	there.Options = []nats.Option{nats.SetCustomDialer(&g)}
	replaced, writer = reopenOrCreate(t, there), reopenOrCreate(t, config)
	lead(t, replaced)
	mustAppend(t, replaced, event(1))
	g.set(true)
	lead(t, writer)
	chat := func(n uint64) contracts.Record { r := event(n); r.Kind = contracts.KindChat; return r }
	mustAppend(t, writer, chat(2), chat(3))
	if removed, err := writer.Retain(t.Context(), time.Now(), []ledger.Rule{{Kind: contracts.KindChat, MaxAge: time.Millisecond}}); err != nil || removed != 2 {
		t.Fatalf("removed %d: %v", removed, err)
	}
	g.set(false)
	for replaced.Floor() != 3 { // the document arrives without a request
		time.Sleep(time.Millisecond)
	}
	if replaced.Head() != 1 {
		t.Fatalf("the head is %d", replaced.Head())
	}
	return replaced, writer
}

// A writer that was replaced while it was cut off cannot append, even if retention removed all
// records that the new writer appended.
func TestReplacedWriterIsFencedAfterRemoval(t *testing.T) {
	c := natstest.Start(t, 1)
	config := jetstream.Config{URL: c.URL(), Office: "fenced", Replicas: 1}
	replaced, writer := replacedUnseen(t, config)
	if err := replaced.Append(t.Context(), ledger.AnySeq, []contracts.Record{event(4)}); err == nil {
		t.Error("a replaced writer appended")
	}
	mustAppend(t, writer, event(4))
	await(t, replaced, 4)
	if a, b := replaced.Segment(), writer.Segment(); a != b || !replaced.Holds(b, 3) {
		t.Errorf("segments %s and %s", a, b)
	}
}

// Retention by a node that is behind may fail, but does not make the newest records appear lost.
func TestRetentionBehindTheHead(t *testing.T) {
	c := natstest.Start(t, 1)
	config := jetstream.Config{URL: c.URL(), Office: "behind", Replicas: 1}
	replaced, _ := replacedUnseen(t, config)
	removed, err := replaced.Retain(t.Context(), time.Now(), []ledger.Rule{{Kind: contracts.KindEvent, MaxAge: time.Millisecond}})
	t.Logf("removed %d: %v", removed, err)
	if l := reopen(t, config); l.Head() != 3 {
		t.Errorf("the head is %d", l.Head())
	}
}

// A writer that was replaced before its first append leaves no segment behind: cursors of the new
// writer stay valid on nodes that start later.
func TestSegmentOfReplacedWriter(t *testing.T) {
	c := natstest.Start(t, 1)
	config := jetstream.Config{URL: c.URL(), Office: "segments", Replicas: 1}
	var g gate
	there := config
	there.Options = []nats.Option{nats.SetCustomDialer(&g)}
	writer := reopenOrCreate(t, config)
	lead(t, writer)
	mustAppend(t, writer, event(1))
	replaced := reopenOrCreate(t, there)
	lead(t, replaced)
	g.set(true)
	lead(t, writer)
	mustAppend(t, writer, event(2), event(3))
	ended := make(chan error, 1)
	go func() { ended <- replaced.Append(context.Background(), ledger.AnySeq, []contracts.Record{event(4)}) }()
	g.set(false)
	if err := <-ended; err == nil {
		t.Error("a replaced writer appended")
	}
	l := reopen(t, config)
	if a, b := l.Segment(), writer.Segment(); a != b || !l.Holds(b, 3) {
		t.Errorf("segment %s, want %s, which holds record 3: %t", a, b, l.Holds(b, 3))
	}
}

// A redacted record counts as a record, even if the node reads its tombstone again while the text
// is being erased.
func TestRedactionKeepsTheNumberOfRecords(t *testing.T) {
	c := natstest.Start(t, 1)
	l := reopenOrCreate(t, jetstream.Config{URL: c.URL(), Replicas: 1})
	lead(t, l)
	for seq := uint64(1); seq < 200; seq += 2 {
		mustAppend(t, l, event(seq))
		if err := l.Redact(t.Context(), seq, []ledger.Erasure{erasure(t, seq, seq, `{"redacted":true}`)}); err != nil {
			t.Fatal(err)
		}
		if stats, err := l.Stats(t.Context()); err != nil || stats.Records != int64(seq+1) {
			t.Fatalf("%d records after %d: %v", stats.Records, seq+1, err)
		}
	}
}
