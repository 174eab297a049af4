package cluster_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/bullpen-office/bullpen/cluster"
	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/ledger/jetstream"
	"github.com/bullpen-office/bullpen/ledger/jetstream/natstest"
	"github.com/bullpen-office/bullpen/office"
	"github.com/bullpen-office/bullpen/world/scene"
)

// node is a node of an office with its own connection to NATS.
type node struct {
	*cluster.Node
	ledger  *jetstream.Ledger
	players *office.Players
	conn    *nats.Conn
	stop    func() // leaves the cluster cleanly
}

var crew = []contracts.AgentProfile{{AgentID: "agent_bd", Name: "Bea"}}

func start(t *testing.T, c *natstest.Cluster, name string) *node {
	t.Helper()
	n, err := open(t, c, name)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// open starts a node. It returns an error if the node is refused.
func open(t *testing.T, c *natstest.Cluster, name string) (*node, error) {
	t.Helper()
	return openWith(t.Context(), t, c, name, func(*cluster.Config) {})
}

// openWith is like open, but with a context and a changed configuration.
func openWith(ctx context.Context, t *testing.T, c *natstest.Cluster, name string, change func(*cluster.Config)) (*node, error) {
	t.Helper()
	conn, err := nats.Connect(c.URL(), nats.MaxReconnects(-1), nats.ReconnectWait(contracts.JetStreamPause))
	if err != nil {
		t.Fatal(err)
	}
	n := &node{conn: conn}
	if n.ledger, err = jetstream.Open(t.Context(), jetstream.Config{URL: c.URL(), Replicas: len(c.Servers)}); err != nil {
		t.Fatal(err)
	}
	n.players = office.NewPlayers(scene.Default(), func() int64 { return time.Now().UnixMilli() })
	config := cluster.Config{
		Ledger: n.ledger, Conn: conn, Office: "office", Name: name, Version: "1.2", Watches: []string{"claude"}, Replicas: len(c.Servers), Players: n.players,
		Open: func(ctx context.Context, life string) (*office.Office, error) {
			return office.Open(ctx, office.Config{Ledger: n.ledger, Node: name, Watches: []string{"claude"}, Life: life, Players: n.players, Crew: crew})
		},
	}
	change(&config)
	n.Node, err = cluster.Open(ctx, config)
	n.stop = sync.OnceFunc(func() {
		if n.Node != nil {
			n.Close()
		}
		n.ledger.Close()
		conn.Close()
	})
	t.Cleanup(n.stop)
	return n, err
}

// split returns the writer and the other node.
func split(a, b *node) (writer, other *node) {
	if a.Status().Writes {
		return a, b
	}
	return b, a
}

func request(id string) contracts.Command {
	return contracts.Command{ID: id, Caller: contracts.Caller{Identity: "me", By: "me", Access: contracts.AccessOperator}, Data: contracts.SubmitRequest{Text: "Write a page about " + id}}
}

// A command to any node is carried out once, by the writer, even after another node has taken over;
// a repeated id is a duplicate on every node.
func TestCommandsReachTheWriter(t *testing.T) {
	t.Parallel()
	c := natstest.Start(t, 1)
	a, b := start(t, c, "a"), start(t, c, "b")
	first := a.Do(t.Context(), request("one"))
	if first.Refusal != nil || first.Seq == 0 || first.Result.ProjectID == "" {
		t.Fatalf("through a: %+v", first)
	}
	again := b.Do(t.Context(), request("one"))
	if again.Refusal != nil || !again.Duplicate || again.Result.ProjectID != first.Result.ProjectID {
		t.Errorf("through b again: %+v", again)
	}
	writer, other := split(a, b)
	writer.stop()
	second := other.Do(t.Context(), request("two"))
	if second.Refusal != nil || second.Result.ProjectID == "" || second.Seq <= first.Seq {
		t.Errorf("after the writer left: %+v", second)
	}
	if again := other.Do(t.Context(), request("one")); !again.Duplicate || again.Seq != first.Seq {
		t.Errorf("the first command on the new writer: %+v", again)
	}
	if s := other.Status(); !s.Writes || s.Writer != s.Node {
		t.Errorf("status %+v", s)
	}
}

// A redaction that is requested on another node is carried out by the writer.
func TestRedactionReachesTheWriter(t *testing.T) {
	t.Parallel()
	c := natstest.Start(t, 1)
	a, b := start(t, c, "a"), start(t, c, "b")
	_, other := split(a, b)
	made := other.Do(t.Context(), request("secret"))
	if made.Refusal != nil {
		t.Fatal(made.Refusal)
	}
	done, err := other.Redact(t.Context(), office.RedactRequest{Seqs: []uint64{made.Seq}, Reason: "a test"})
	if err != nil || len(done.Records) != 1 || done.Records[0].Seq != made.Seq {
		t.Errorf("redacted %+v: %v", done, err)
	}
	var refusal *contracts.Refusal
	if _, err := other.Redact(t.Context(), office.RedactRequest{Seqs: []uint64{made.Seq + 1000}, Reason: "a test"}); !errors.As(err, &refusal) {
		t.Errorf("a record that does not exist: %v", err)
	}
}

func turn(event contracts.HUDEvent, id string) contracts.Fact {
	return contracts.HUDSeen{HUD: contracts.HUD{Event: event, UUID: id + string(event), AgentID: "agent_bd", CorrelationID: id, Session: "s", Origin: contracts.OriginCaller}}
}

// turnEnds counts how many times the end of a turn is recorded.
func (n *node) turnEnds(t *testing.T, id string) (ends int) {
	t.Helper()
	recs, err := n.ledger.Read(t.Context(), 0, 1000, contracts.KindHUD)
	if err != nil {
		t.Fatal(err)
	}
	for i := range recs {
		if h, ok := recs[i].Head(); ok && h.Event == contracts.HUDTurnEnd && h.CorrelationID == id {
			ends++
		}
	}
	return ends
}

// A turn belongs to the node that runs it: it stays open when another node becomes the writer, and
// ends when its own node leaves.
func TestTurnsBelongToTheirNode(t *testing.T) {
	t.Parallel()
	c := natstest.Start(t, 1)
	a, b := start(t, c, "a"), start(t, c, "b")
	writer, other := split(a, b)
	if err := other.Record(t.Context(), turn(contracts.HUDTurnStart, "t")); err != nil {
		t.Fatal(err)
	}
	life := other.Life()
	writer.stop()
	if err := other.Record(t.Context(), contracts.Audited{Kind: contracts.AuditLogin, By: "me", Says: "signed in"}); err != nil {
		t.Fatal(err)
	}
	if !other.Status().Writes || other.Life() != life {
		t.Errorf("status %+v, life %s, before %s", other.Status(), other.Life(), life)
	}
	if n := other.turnEnds(t, "t"); n != 0 {
		t.Fatalf("the turn of a running node has %d ends", n)
	}
	next := start(t, c, "c")
	other.stop()
	if reply := next.Do(t.Context(), request("one")); reply.Refusal != nil {
		t.Fatal(reply.Refusal)
	}
	if n := next.turnEnds(t, "t"); n != 1 {
		t.Errorf("the turn of a node that left has %d ends", n)
	}
}

// When a node other than the writer is disconnected, the office ends everything that the node ran,
// but not the lives of outposts. The next process with the node's name starts a new life.
func TestWorkOfADisconnectedNodeIsEnded(t *testing.T) {
	t.Parallel()
	c := natstest.Start(t, 1)
	a, b := start(t, c, "a"), start(t, c, "b")
	writer, other := split(a, b)
	if err := other.Record(t.Context(), turn(contracts.HUDTurnStart, "t")); err != nil {
		t.Fatal(err)
	}
	outpost := contracts.Teller{Node: contracts.OutpostNode("laptop")}
	outpost.Life = contracts.LifeID(writer.Tell(t.Context(), contracts.NodeUp{Node: outpost.Node})[0].Seq)
	life := other.Life()
	other.conn.Close()
	for writer.turnEnds(t, "t") == 0 { // the test times out if the turn never ends
		time.Sleep(50 * time.Millisecond)
	}
	guest := contracts.AgentSeen{Profile: contracts.AgentProfile{AgentID: "agent_claude_ada", Name: "shop", Source: "claude"}}
	if reply := writer.TellAs(t.Context(), outpost, guest)[0]; reply.Refusal != nil {
		t.Errorf("an outpost, which holds no name, was ended with the node: %v", reply.Refusal)
	}
	back := start(t, c, other.Status().Node)
	if err := back.Record(t.Context(), turn(contracts.HUDTurnStart, "u")); err != nil {
		t.Fatal(err)
	}
	if back.Life() == life || writer.turnEnds(t, "u") != 0 {
		t.Errorf("life %s, before %s", back.Life(), life)
	}
}

// People see each other on every node, and streamed output reaches only the other nodes.
func TestLanesConnectNodes(t *testing.T) {
	t.Parallel()
	c := natstest.Start(t, 1)
	a, b := start(t, c, "a"), start(t, c, "b")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	streams := make(chan string, 8)
	for _, n := range []*node{a, b} {
		name := n.Status().Node
		go n.Lanes(ctx, func(d contracts.StreamDelta) { streams <- name + " " + d.Delta }, func(contracts.OutpostSeen) {})
	}
	me := contracts.Command{Caller: contracts.Caller{PlayerID: "p1", Name: "Mo"}, Data: contracts.PlayerPos{Pos: contracts.Vec3{1, 0, 1}}}
	if reply := a.Do(t.Context(), me); reply.Refusal != nil {
		t.Fatal(reply.Refusal)
	}
	for len(b.Players()) == 0 {
		time.Sleep(10 * time.Millisecond)
	}
	a.PublishStream(contracts.StreamDelta{StreamID: "s", Delta: "Hello"})
	if got := <-streams; got != "b Hello" {
		t.Errorf("stream %q", got)
	}
	a.PlayerLeft("p1")
	for len(b.Players()) > 0 {
		time.Sleep(10 * time.Millisecond)
	}
}

// Facts that do not fit into one message to the writer are split, and a fact that is too large is
// refused. Facts that are sent again with the same key are recorded once.
func TestManyFactsAreSplit(t *testing.T) {
	t.Parallel()
	c := natstest.Start(t, 1)
	_, other := split(start(t, c, "a"), start(t, c, "b"))
	var facts []contracts.Fact
	for i := range 5 {
		text := strings.Repeat("x", contracts.LimitForwardedBytes/3)
		facts = append(facts, contracts.AskSeen{AgentID: "agent_bd", Kind: contracts.DecisionAsk, Prompt: fmt.Sprint(i, text), AllowFreeText: true})
	}
	facts = append(facts, contracts.AskSeen{AgentID: "agent_bd", Kind: contracts.DecisionAsk, Prompt: strings.Repeat("x", contracts.LimitForwardedBytes), AllowFreeText: true})
	teller := contracts.Teller{Node: other.Status().Node, Life: other.Life(), Key: "k"}
	first := other.TellAs(t.Context(), teller, facts...)
	again := other.TellAs(t.Context(), teller, facts...)
	for i := range facts[:5] {
		if first[i].Refusal != nil || !again[i].Duplicate || again[i].Seq != first[i].Seq {
			t.Errorf("fact %d: %+v, again %+v", i, first[i], again[i])
		}
	}
	if last := first[5].Refusal; last == nil || last.Code != contracts.CodeValidationFailed {
		t.Errorf("a fact that is too large: %+v", first[5])
	}
}
