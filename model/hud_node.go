package model

import (
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/bullpen-office/bullpen/contracts"
)

// NodeType is the type of a node in the activity tree.
type NodeType string

// The types of nodes.
const (
	NodeTurn     NodeType = "turn"
	NodeThink    NodeType = "think"
	NodeTool     NodeType = "tool"
	NodeReceived NodeType = "received"
)

// NodeState is the state of a row in the activity feed.
type NodeState string

// The states of nodes.
const (
	NodeRunning NodeState = "running"
	NodeDone    NodeState = "done"
	NodeFailed  NodeState = "error"
)

// Node is one row of the activity feed: a turn, or a tool call or thought inside it.
type Node struct {
	ID            string
	EndID         string // id of the fact that ended the node
	CorrelationID string
	Type          NodeType
	Subtype       string
	State         NodeState
	Label         string
	Tool          string
	Args, Result  jsontext.Value
	Said          string // the answer, at the end of a turn
	StartedAt     int64
	EndedAt       int64
	DurationMS    int64
	Ended         bool
	Children      []*Node
	Replay        bool
	AgentID       string
	Session       string
	TaskID        string
	Rehearsal     bool
	Usage         *contracts.Usage
}

// More reports whether the node has details to expand.
func (n *Node) More() bool { return n.Args != nil || n.Result != nil || n.Usage != nil }

// Preview returns the beginning of a received message, or "" for other nodes.
func (n *Node) Preview() string {
	var args struct {
		Preview string `json:"preview"`
	}
	if n.Type != NodeReceived || n.Args == nil || json.Unmarshal(n.Args, &args) != nil {
		return ""
	}
	return args.Preview
}

// Node returns the node with the given id, or nil if it is no longer kept.
func (o *Office) Node(id string) *Node {
	return findNode(o.activity.roots, func(n *Node) bool { return n.ID == id })
}

// findNode returns the first matching node, parents before children.
func findNode(nodes []*Node, fits func(*Node) bool) *Node {
	for _, n := range nodes {
		if fits(n) {
			return n
		}
		if kid := findNode(n.Children, fits); kid != nil {
			return kid
		}
	}
	return nil
}

// insertNode inserts a node in order of start time, because history may arrive after live facts.
func insertNode(nodes []*Node, n *Node) []*Node {
	at := len(nodes)
	for at > 0 && nodes[at-1].StartedAt > n.StartedAt {
		at--
	}
	return slices.Insert(nodes, at, n)
}
