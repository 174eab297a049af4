package contracts

import (
	"fmt"
	"strconv"
	"strings"
)

// Owner is the record of whether an owner of turns is up or down. An owner is a life or a watch. A
// life is one run of one node; the turns of a life end with it. A watch observes turns that run
// elsewhere; the node's next life takes over the watch.
type Owner struct {
	ID    string `json:"owner"` // see LifeID and WatchID
	Node  string `json:"node,omitzero"`
	Up    bool   `json:"up"`
	Until int64  `json:"until,omitzero"` // when the turns of a stopped owner end, in Unix milliseconds; 0 means now
	At    int64  `json:"at,omitzero"`    // last heartbeat of a stopped owner
}

// Origins of turns that are not the office's own work. For the office's own work, the origin is the
// work key.
const (
	OriginCaller  = "caller"  // a request to the office, such as a chat completion
	OriginOutside = "outside" // the turn runs elsewhere and is watched
)

// LifeID returns the id of a life, given the seq of its first record.
func LifeID(seq uint64) string { return fmt.Sprintf("life_%d", seq) }

// LifeSeq returns the seq of a life's first record. It returns false if owner is not a life.
func LifeSeq(owner string) (uint64, bool) {
	seq, err := strconv.ParseUint(strings.TrimPrefix(owner, "life_"), 10, 64)
	return seq, IsLife(owner) && err == nil
}

// WatchID returns the id of a node's watch over a source of activity.
func WatchID(source, node string) string { return "watch_" + source + "@" + node }

// WatchSource returns the source that a node's watch observes; ok is false if owner is not one of
// the node's watches.
func WatchSource(owner, node string) (source string, ok bool) {
	source, ok = strings.CutPrefix(owner, "watch_")
	if !ok {
		return "", false
	}
	return strings.CutSuffix(source, "@"+node)
}

// IsLife reports whether an owner is a life. The turns of a life end with it.
func IsLife(owner string) bool { return strings.HasPrefix(owner, "life_") }

// Opened is the start of a turn or a call that has not ended, as package world keeps it: without
// the id of its record, and with shortened arguments.
type Opened struct {
	HUD HUD
	TS  int64 // when the start was recorded
}
