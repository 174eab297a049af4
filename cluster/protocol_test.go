package cluster_test

import (
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/bullpen-office/bullpen/cluster"
	"github.com/bullpen-office/bullpen/ledger/jetstream/natstest"
)

// forger writes documents that nodes running other versions would write.
type forger struct {
	t    *testing.T
	conn *nats.Conn
	kv   jetstream.KeyValue
}

func newForger(t *testing.T, c *natstest.Cluster) *forger {
	t.Helper()
	conn, err := nats.Connect(c.URL())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(conn.Close)
	js, err := jetstream.New(conn)
	if err != nil {
		t.Fatal(err)
	}
	kv, err := js.KeyValue(t.Context(), "BULLPEN_LEASES")
	if err != nil {
		t.Fatal(err)
	}
	return &forger{t, conn, kv}
}

func (f *forger) put(key, document string) {
	f.t.Helper()
	if _, err := f.kv.PutString(f.t.Context(), key, document); err != nil {
		f.t.Fatal(err)
	}
}

func (f *forger) remove(key string) {
	f.t.Helper()
	if err := f.kv.Delete(f.t.Context(), key); err != nil {
		f.t.Fatal(err)
	}
}

func await(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !holds(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("timed out waiting: %s", what)
		}
	}
}

func contains(t *testing.T, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			t.Errorf("%q does not contain %q", text, part)
		}
	}
}

// A node does not join an office that has a node with a different protocol. A node with the same
// protocol joins, whatever else the documents of the other nodes contain.
func TestNodesWithOtherProtocolsAreRefused(t *testing.T) {
	t.Parallel()
	c := natstest.Start(t, 1)
	a := start(t, c, "a")
	f := newForger(t, c)
	for document, want := range map[string]string{
		`{"node":"tower","token":"x","protocol":2,"version":"1.4"}`: "node tower of this office runs Bullpen 1.4 (node protocol 2): update node b",
		`{"node":"tower","token":"x"}`:                              "node tower of this office runs a version of Bullpen without a node protocol: run the other nodes' version on node b, or stop all nodes",
	} {
		f.put("office.node.tower", document)
		_, err := open(t, c, "b")
		if err == nil {
			t.Fatalf("b joined an office with %s", document)
		}
		contains(t, err.Error(), "node b runs Bullpen 1.2 (node protocol 1), but", want)
	}
	f.put("office.node.tower", `{"node":"tower","token":"x","protocol":1,"version":"9.9","new":true}`)
	if reply := start(t, c, "b").Do(t.Context(), request("one")); reply.Refusal != nil {
		t.Error(reply.Refusal)
	}
	if err := a.Health(); err != nil {
		t.Error(err)
	}
}

// Nodes send nothing to a writer with another protocol, and report why. They continue once that writer
// is gone.
func TestWriterWithAnotherProtocolGetsNoRequests(t *testing.T) {
	t.Parallel()
	c := natstest.Start(t, 1)
	_, other := split(start(t, c, "a"), start(t, c, "b"))
	f := newForger(t, c)
	f.put("office", `{"node":"tower","token":"x","protocol":2,"version":"1.4"}`)
	want := []string{"node tower of this office runs Bullpen 1.4", "update node " + other.Status().Node}
	await(t, "the node knows the writer with the other protocol", func() bool {
		err := other.Health()
		return err != nil && strings.Contains(err.Error(), want[0]) && strings.Contains(err.Error(), want[1])
	})
	reply := other.Do(t.Context(), request("one"))
	if reply.Refusal == nil {
		t.Fatal("the command was carried out")
	}
	contains(t, reply.Refusal.Message, "node tower of this office runs Bullpen 1.4")
	if _, err := open(t, c, "c"); err == nil {
		t.Error("c joined")
	} else {
		contains(t, err.Error(), "update node c")
	}
	f.remove("office")
	await(t, "the node goes on without the other writer", func() bool { return other.Health() == nil })
	if reply := other.Do(t.Context(), request("one")); reply.Refusal != nil {
		t.Errorf("without the other writer: %v", reply.Refusal)
	}
}

// The writer refuses requests from a node that uses another protocol; its error says what to do.
func TestWriterRefusesOtherProtocols(t *testing.T) {
	t.Parallel()
	c := natstest.Start(t, 1)
	a := start(t, c, "a")
	f := newForger(t, c)
	entry, err := f.kv.Get(t.Context(), "office")
	if err != nil {
		t.Fatal(err)
	}
	var writer cluster.Holder
	if err := json.Unmarshal(entry.Value(), &writer); err != nil {
		t.Fatal(err)
	}
	if want := (cluster.Holder{Node: "a", Token: writer.Token, Protocol: cluster.Protocol, Version: "1.2"}); writer != want {
		t.Errorf("the writer is %+v, want %+v", writer, want)
	}
	head := a.ledger.Head()
	for version, want := range map[string]string{
		"":  "runs a version of Bullpen without a node protocol, but node a of this office runs Bullpen 1.2 (node protocol 1): update node old",
		"2": "runs Bullpen 1.4 (node protocol 2), but node a of this office runs Bullpen 1.2 (node protocol 1): run the other nodes' version on node old",
	} {
		m := nats.NewMsg("bullpen.office.w." + writer.Token)
		m.Header.Set("Bullpen-Request", "join")
		m.Header.Set("Bullpen-Node", "old")
		m.Header.Set("Bullpen-Version", "1.4")
		m.Header.Set("Bullpen-Protocol", version)
		m.Data = []byte(`{"node":"old"}`)
		answer, err := f.conn.RequestMsgWithContext(t.Context(), m)
		if err != nil {
			t.Fatal(err)
		}
		contains(t, string(answer.Data), want)
	}
	if a.ledger.Head() != head {
		t.Error("the refused node is in the ledger")
	}
}
