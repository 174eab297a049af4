package cluster

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/nats-io/nats.go"

	"github.com/bullpen-office/bullpen/contracts"
)

// fromHeader names the process that published a message. A process ignores its own messages.
const fromHeader = "Bullpen-From"

func (n *Node) lane(name string) string { return "bullpen." + n.cfg.Office + ".lane." + name }

// Lanes exchanges unrecorded state with the other nodes until ctx is done: people's positions,
// streamed output (passed to show), and reports from outposts (passed to report).
func (n *Node) Lanes(ctx context.Context, show func(contracts.StreamDelta), report func(contracts.OutpostSeen)) error {
	streams, err := subscribe(n, "stream", func(_ string, d contracts.StreamDelta) { show(d) })
	if err != nil {
		return err
	}
	defer streams.Unsubscribe()
	outposts, err := subscribe(n, "outposts", func(_ string, s contracts.OutpostSeen) { report(s) })
	if err != nil {
		return err
	}
	defer outposts.Unsubscribe()
	others := &others{players: n.cfg.Players.SetOthers, seen: map[string]time.Time{}}
	players, err := subscribe(n, "players", others.update)
	if err != nil {
		return err
	}
	defer players.Unsubscribe()
	n.publishPlayers(ctx, others)
	return nil
}

// PublishStream sends a piece of an agent's output to the other nodes. The piece may be lost.
func (n *Node) PublishStream(d contracts.StreamDelta) { n.publish("stream", d) }

// PublishOutpost notifies the other nodes that an outpost has reported. The message may be lost.
func (n *Node) PublishOutpost(s contracts.OutpostSeen) { n.publish("outposts", s) }

func (n *Node) publish(lane string, v any) {
	data, err := json.Marshal(v)
	if err == nil {
		m := nats.NewMsg(n.lane(lane))
		m.Header.Set(fromHeader, n.token)
		m.Data = data
		err = n.cfg.Conn.PublishMsg(m)
	}
	if err != nil {
		n.cfg.Log.Debug("message not sent to the other nodes", "lane", lane, "error", err)
	}
}

func subscribe[T any](n *Node, lane string, take func(from string, v T)) (*nats.Subscription, error) {
	sub, err := n.cfg.Conn.Subscribe(n.lane(lane), func(m *nats.Msg) {
		from := m.Header.Get(fromHeader)
		if from == n.token {
			return
		}
		var v T
		if err := json.Unmarshal(m.Data, &v); err != nil {
			n.cfg.Log.Debug("message from another node ignored", "lane", lane, "error", err)
			return
		}
		take(from, v)
	})
	if err != nil {
		return nil, fmt.Errorf("subscribe to messages from the other nodes: %w", err)
	}
	return sub, nil
}

// publishPlayers sends the list of people on this node whenever the list changes, and again at
// intervals.
func (n *Node) publishPlayers(ctx context.Context, others *others) {
	tick := time.NewTicker(contracts.PlayersInterval)
	defer tick.Stop()
	var last []contracts.Player
	var sent time.Time
	for {
		local := n.cfg.Players.Local()
		if !slices.Equal(local, last) || len(local) > 0 && time.Since(sent) >= contracts.PlayersRepeat {
			n.publish("players", local)
			last, sent = local, time.Now()
		}
		others.removeStale()
		select {
		case <-tick.C:
		case <-ctx.Done():
			n.publish("players", []contracts.Player{})
			return
		}
	}
}

// others keeps track of the people on other nodes.
type others struct {
	players func(node string, list []contracts.Player)

	mu   sync.Mutex
	seen map[string]time.Time // by process
}

func (o *others) update(from string, list []contracts.Player) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.seen[from] = time.Now()
	o.players(from, list)
}

// removeStale removes the people of nodes that have sent nothing for contracts.PlayersStale.
func (o *others) removeStale() {
	o.mu.Lock()
	defer o.mu.Unlock()
	for from, at := range o.seen {
		if time.Since(at) > contracts.PlayersStale {
			delete(o.seen, from)
			o.players(from, nil)
		}
	}
}
