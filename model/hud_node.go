package model

import (
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/bullpen-office/bullpen/contracts"
)

// NodeType is what a node of the activity tree is.
type NodeType string

// The types of nodes.
const (
	NodeTurn     NodeType = "turn"
	NodeThink    NodeType = "think"
	NodeTool     NodeType = "tool"
	NodeReceived NodeType = "received"
)

// NodeState is how far a node is.
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
	EndID         string // of the fact that ended it
	CorrelationID string
	Type          NodeType
	Subtype       string
	State         NodeState
	Label         string
	Tool          string
	Args, Result  jsontext.Value
	Said          string // the answer that a turn ended with
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

// More reports whether there is anything to unfold beyond the row.
func (n *Node) More() bool { return n.Args != nil || n.Result != nil || n.Usage != nil }

// Preview is how a message that was received begins.
func (n *Node) Preview() string {
	var args struct {
		Preview string `json:"preview"`
	}
	if n.Type != NodeReceived || n.Args == nil || json.Unmarshal(n.Args, &args) != nil {
		return ""
	}
	return args.Preview
}

// Node gives the activity of an id, nil when it is not kept any more.
func (o *Office) Node(id string) *Node {
	return findNode(o.activity.roots, func(n *Node) bool { return n.ID == id })
}

// findNode gives the first node that fits, parents before children.
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

// insertNode puts a node in its place by time: history may come after the present.
func insertNode(nodes []*Node, n *Node) []*Node {
	at := len(nodes)
	for at > 0 && nodes[at-1].StartedAt > n.StartedAt {
		at--
	}
	return slices.Insert(nodes, at, n)
}
