package contracts

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// FactsProtocol is the version of FactsRequest, and of the facts in it.
const FactsProtocol = 1

// FactsRequest is the body of POST /v1/facts: facts that an outpost reports.
type FactsRequest struct {
	Protocol int              `json:"protocol"`
	Machine  string           `json:"machine"`          // id of the outpost's data directory; it keeps two machines from using the same outpost name
	Version  string           `json:"version,omitzero"` // Bullpen version of the outpost
	Life     string           `json:"life,omitzero"`    // from an earlier reply; if empty, the request starts a new life and must not contain facts
	Watches  []string         `json:"watches,omitzero"` // sources that the outpost watches; used only for a new life
	Leaving  bool             `json:"leaving,omitzero"` // ends the life after the facts are recorded
	Key      string           `json:"key,omitzero"`     // facts that are sent again under the same key are recorded only once
	Facts    []jsontext.Value `json:"facts,omitzero"`   // encoded by EncodeFact
}

// FactsReply is the response to a FactsRequest.
type FactsReply struct {
	Outpost string      `json:"outpost"` // the name in the outpost's token
	Life    string      `json:"life"`
	Replies []FactReply `json:"replies,omitzero"` // one for each fact
}

// FactReply is the reply to one fact.
type FactReply struct {
	Seq        uint64   `json:"seq,omitzero"`
	Duplicate  bool     `json:"duplicate,omitzero"`
	DecisionID string   `json:"decision_id,omitzero"`
	Refusal    *Refusal `json:"refusal,omitzero"`
}

// OutpostState is the response to GET /v1/facts: the state that an outpost needs to continue its
// work.
type OutpostState struct {
	Outpost   string              `json:"outpost"`
	Life      string              `json:"life,omitzero"`      // empty if no life of the outpost is up
	Seq       uint64              `json:"seq"`                // seq of the newest record in the state
	Names     []string            `json:"names,omitzero"`     // names of the agents that do not belong to the outpost
	Agents    []Agent             `json:"agents,omitzero"`    // the outpost's agents
	Decisions []Decision          `json:"decisions,omitzero"` // open questions of the outpost's agents
	Begun     map[string][]Opened `json:"begun,omitzero"`     // open turns and calls that the outpost watches, by source
}

// OutpostSeen reports that an outpost has just contacted the office. The nodes of an office send it
// to each other.
type OutpostSeen struct {
	Outpost string `json:"outpost"`
	Life    string `json:"life"`
	Machine string `json:"machine,omitzero"`
	Version string `json:"version,omitzero"`
}

// OrdersPage is the response to GET /v1/facts/orders.
type OrdersPage struct {
	Seq    uint64         `json:"seq"`             // continue after this record
	Orders []OutpostOrder `json:"orders,omitzero"` // oldest first
}

// OutpostOrder is an order for one of an outpost's agents.
type OutpostOrder struct {
	Seq uint64 `json:"seq"`
	ID  string `json:"id"` // id of HUD; HUD's JSON does not contain it
	HUD HUD    `json:"hud"`
}

// StoredBlob is the response to POST /v1/facts/blobs.
type StoredBlob struct {
	SHA256 string `json:"sha256"`
}

const outpostPrefix = "outpost:"

// OutpostNode returns the node name of an outpost.
func OutpostNode(name string) string { return outpostPrefix + name }

// OutpostOf returns the outpost in a node name; ok is false for a node of the office itself.
func OutpostOf(node string) (name string, ok bool) { return strings.CutPrefix(node, outpostPrefix) }

// WatcherOf returns the name of a source's watcher: at an outpost, or in the office itself if
// outpost is empty.
func WatcherOf(source, outpost string) string {
	if outpost == "" {
		return source
	}
	return source + "@" + outpost
}

// IsOutpostName reports whether name can be the name of an outpost: at most LimitOutpostName
// letters, digits, dots, hyphens and underscores.
func IsOutpostName(name string) bool {
	return name != "" && len(name) <= LimitOutpostName && strings.Trim(name, outpostLetters) == ""
}

const outpostLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_"
