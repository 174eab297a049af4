package cluster

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/office"
)

// write opens the office for writing and runs it while this node holds the writer lease.
func (n *Node) write(ctx context.Context) error {
	if err := n.cfg.Ledger.Lead(ctx); err != nil {
		return fmt.Errorf("prepare the ledger for writing: %w", err)
	}
	o, err := n.cfg.Open(ctx, n.Life())
	if err != nil {
		return err
	}
	n.setLocal(o)
	n.cfg.Log.Info("this node is now the office's writer", "office", n.cfg.Office, "node", n.cfg.Name)
	var running sync.WaitGroup
	running.Go(func() { n.relayWork(ctx, o) })
	running.Go(func() { n.watchNodes(ctx, o) })
	if n.cfg.Upkeep != nil {
		running.Go(func() {
			if err := n.cfg.Upkeep(ctx, o); err != nil && ctx.Err() == nil {
				n.cfg.Log.Error("maintenance failed", "error", err)
			}
		})
	}
	ended := make(chan error, 1)
	life, end := context.WithCancelCause(context.WithoutCancel(ctx))
	defer end(nil)
	go func() { ended <- o.Run(life) }()
	// Requests in progress are answered before the office stops.
	err = n.line.serve(ctx, n.token, func(ctx context.Context, name string, body []byte) ([]byte, error) {
		return n.handle(ctx, o, name, body)
	})
	n.setLocal(nil)
	if n.stopping.Err() != nil {
		end(nil) // the office records the end of this node's life
	} else {
		end(office.ErrReplaced)
	}
	if failed := <-ended; err == nil {
		err = failed
	}
	running.Wait()
	return err
}

// setLocal sets the local office; nil means that this node is not the writer.
func (n *Node) setLocal(o *office.Office) {
	n.mu.Lock()
	n.local = o
	if o != nil {
		n.life = o.Life()
	}
	n.mu.Unlock()
	n.signalWork()
}

func (n *Node) signalWork() {
	select {
	case n.workChanged <- struct{}{}:
	default: // already signalled
	}
}

func (n *Node) relayWork(ctx context.Context, o *office.Office) {
	for {
		select {
		case <-o.WorkChanged():
			n.signalWork()
		case <-ctx.Done():
			return
		}
	}
}

// watchNodes ends the lives of nodes that are gone.
func (n *Node) watchNodes(ctx context.Context, o *office.Office) {
	for ctx.Err() == nil {
		if err := n.followPresence(ctx, o); err != nil && ctx.Err() == nil {
			n.cfg.Log.Warn("cannot watch the other nodes; retrying", "error", err)
			pause(ctx)
		}
	}
}

// followPresence ends the lives of nodes whose leases on their names have ended. It ends none in
// the first contracts.NodeTTL, because all nodes may have lost their leases while NATS was down. It
// returns if the watch seems to be lost: that is, if no update arrives for contracts.NodeTTL, not
// even a renewal of this node's own lease.
func (n *Node) followPresence(ctx context.Context, o *office.Office) error {
	w, err := n.presence.kv.Watch(ctx, nodeKey(n.cfg.Office)+">")
	if err != nil {
		return err
	}
	defer w.Stop()
	began := time.Now()
	heard := began
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	present, absent := map[string]bool{}, map[string]int{}
	for {
		select {
		case entry, open := <-w.Updates():
			if !open {
				return nil
			}
			heard = time.Now()
			if entry != nil {
				present[strings.TrimPrefix(entry.Key(), nodeKey(n.cfg.Office))] = entry.Operation() == jetstream.KeyValuePut
			}
		case <-tick.C:
			if time.Since(heard) >= contracts.NodeTTL {
				return nil
			}
			if time.Since(began) >= contracts.NodeTTL {
				n.endAbsent(ctx, o, present, absent)
			}
		case <-ctx.Done():
			return nil
		}
	}
}

// endAbsent ends the lives of nodes that were absent in two consecutive checks. One check is not
// enough, because the ledger may show a new life before the watch shows its node's name.
func (n *Node) endAbsent(ctx context.Context, o *office.Office, present map[string]bool, absent map[string]int) {
	for _, life := range o.Lives(ctx) {
		if _, outpost := contracts.OutpostOf(life.Node); outpost || life.Node == n.cfg.Name || present[life.Node] {
			delete(absent, life.ID)
			continue
		}
		if absent[life.ID]++; absent[life.ID] < 2 {
			continue
		}
		n.cfg.Log.Warn("a node is gone; ending its work", "node", life.Node)
		if refusal := o.Tell(ctx, contracts.NodeDown{Node: life.Node, Life: life.ID})[0].Refusal; refusal != nil {
			n.cfg.Log.Warn("could not record that a node is down; retrying", "node", life.Node, "error", refusal)
		}
	}
}
