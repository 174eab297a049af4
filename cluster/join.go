package cluster

import (
	"context"
	"crypto/rand"
	"fmt"

	"github.com/go-json-experiment/json"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/office"
)

// join starts a life of this node, or continues its current life, and waits until the ledger contains
// that life.
func (n *Node) join(ctx context.Context) error {
	n.joining.Lock()
	defer n.joining.Unlock()
	q := joinRequest{Node: n.cfg.Name, Life: n.Life(), Watches: n.cfg.Watches}
	answer, err := n.forward(ctx, request{
		name: requestJoin, timeout: contracts.ForwardTimeout,
		encode: func() ([]byte, error) { return json.Marshal(q) },
		local:  func(*office.Office) bool { return true },
	})
	if err != nil || answer == nil { // the writer receives its life from the office
		return err
	}
	var a joinAnswer
	if err := json.Unmarshal(answer, &a); err != nil {
		return fmt.Errorf("decode the writer's answer to this node's join request: %w", err)
	}
	if err := n.cfg.Ledger.Await(ctx, a.Seq); err != nil {
		return err
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.local == nil && n.life == q.Life { // otherwise this node has begun to write
		n.life = a.Life
	}
	return nil
}

// leave notifies the writer that this node is down.
func (n *Node) leave(ctx context.Context, down contracts.NodeDown) error {
	if refusal := n.TellAs(ctx, contracts.Teller{Key: rand.Text()}, down)[0].Refusal; refusal != nil {
		return refusal
	}
	return nil
}

// admit starts a new life for another node, or continues that node's current life.
func (n *Node) admit(ctx context.Context, o *office.Office, body []byte) ([]byte, error) {
	var q joinRequest
	if err := json.Unmarshal(body, &q); err != nil {
		return nil, fmt.Errorf("decode a join request from another node: %w", err)
	}
	reply := o.Tell(ctx, contracts.NodeUp{Node: q.Node, Life: q.Life, Watches: q.Watches})[0]
	if n.moved(context.WithoutCancel(ctx), o, reply) {
		return nil, errMoved
	}
	if reply.Refusal != nil {
		return nil, reply.Refusal
	}
	recs, err := n.cfg.Ledger.Read(ctx, reply.Seq-1, 1)
	if err != nil {
		return nil, fmt.Errorf("read record %d, which starts the life of node %s: %w", reply.Seq, q.Node, err)
	}
	if len(recs) == 0 {
		return nil, fmt.Errorf("record %d, which starts the life of node %s, is not in the ledger", reply.Seq, q.Node)
	}
	b, err := recs[0].Decode()
	if err != nil {
		return nil, err
	}
	owner, ok := b.(*contracts.Owner)
	if !ok {
		return nil, fmt.Errorf("record %d does not start the life of node %s", reply.Seq, q.Node)
	}
	return json.Marshal(joinAnswer{Life: owner.ID, Seq: reply.Seq})
}
