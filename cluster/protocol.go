package cluster

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/go-json-experiment/json"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// Protocol is the version of everything that the nodes of an office exchange over NATS: requests,
// answers, lanes, and documents in buckets. Nodes serve one office together only if their protocol
// numbers are equal. The number changes when a node with the previous number could misread
// something; see docs/protocol-compatibility-policy.md for the rule.
const Protocol = 1

// Headers that describe the node that sent a request.
const (
	protocolHeader = "Bullpen-Protocol"
	versionHeader  = "Bullpen-Version"
	nodeHeader     = "Bullpen-Node"
)

// setHeaders adds the node's name, version and protocol to the headers of its request.
func (h Holder) setHeaders(header nats.Header) {
	header.Set(protocolHeader, strconv.Itoa(h.Protocol))
	header.Set(versionHeader, h.Version)
	header.Set(nodeHeader, h.Node)
}

// senderOf returns the node that sent a request. Protocol is 0 if the request has no protocol
// header.
func senderOf(header nats.Header) Holder {
	protocol, _ := strconv.Atoi(header.Get(protocolHeader))
	return Holder{Node: header.Get(nodeHeader), Protocol: protocol, Version: header.Get(versionHeader)}
}

// IncompatibleError means that a node cannot join an office because another of the office's nodes
// uses a different protocol.
type IncompatibleError struct{ Joining, Other Holder }

func (e *IncompatibleError) Error() string {
	advice := fmt.Sprintf("update node %s to the version that the other nodes run", e.Joining.Node)
	if e.Joining.Protocol > e.Other.Protocol {
		advice = fmt.Sprintf("run the other nodes' version on node %s, or stop all nodes of the office and update them", e.Joining.Node)
	}
	return fmt.Sprintf("node %s %s, but node %s of this office %s: %s", e.Joining.Node, e.Joining.program(), e.Other.Node, e.Other.program(), advice)
}

// program describes the version of Bullpen that a node runs.
func (h Holder) program() string {
	switch {
	case h.Protocol == 0:
		return "runs a version of Bullpen without a node protocol"
	case h.Version == "":
		return fmt.Sprintf("uses node protocol %d", h.Protocol)
	}
	return fmt.Sprintf("runs Bullpen %s (node protocol %d)", h.Version, h.Protocol)
}

// checkCompatible returns an *IncompatibleError if joining and other must not serve the same
// office.
func checkCompatible(joining, other Holder) error {
	if joining.Protocol == other.Protocol {
		return nil
	}
	return &IncompatibleError{Joining: joining, Other: other}
}

// checkNodes returns an *IncompatibleError if a node of the office uses another protocol. This node
// has already registered its name, so if two nodes start together, at least one of them finds the
// other.
func (n *Node) checkNodes(ctx context.Context) error {
	w, err := n.presence.kv.Watch(ctx, nodeKey(n.cfg.Office)+">", jetstream.IgnoreDeletes())
	if err != nil {
		return fmt.Errorf("list the nodes of office %q: %w", n.cfg.Office, err)
	}
	defer w.Stop()
	for {
		select {
		case entry, ok := <-w.Updates():
			if !ok {
				return fmt.Errorf("list the nodes of office %q: the connection to NATS is closed", n.cfg.Office)
			}
			if entry == nil { // the end of the existing entries
				return nil
			}
			var other Holder
			if err := json.Unmarshal(entry.Value(), &other); err != nil {
				return fmt.Errorf("key %s in bucket %s is not a node: %w", entry.Key(), bucket, err)
			}
			if err := checkCompatible(n.line.self, other); err != nil {
				return err
			}
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// mayServe checks the other nodes before this node serves the office. It stores an incompatibility,
// which Health and commands then report.
func (n *Node) mayServe(ctx context.Context) error {
	err := n.checkNodes(ctx)
	refused := (*IncompatibleError)(nil)
	errors.As(err, &refused)
	n.mu.Lock()
	n.excluded = refused
	n.mu.Unlock()
	if refused != nil {
		n.finishJoin(refused)
	}
	return err
}

// checkPermitted returns an error if this node must not send requests to the writer; ok is false if
// the office has no writer.
func (n *Node) checkPermitted(holder Holder, ok bool) error {
	n.mu.Lock()
	excluded := n.excluded
	n.mu.Unlock()
	switch {
	case excluded != nil:
		return excluded
	case ok:
		return checkCompatible(n.line.self, holder)
	}
	return nil
}
