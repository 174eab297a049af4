package cluster

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/go-json-experiment/json"

	"github.com/bullpen-office/bullpen/atomicfile"
	"github.com/bullpen-office/bullpen/ledger"
)

// Arrival describes the office that a node found on its first start.
type Arrival struct {
	ledger.Origin
	Writer string // the office's writer; empty if it is this node
}

// membership is the content of node.json in a node's data directory. The ledger's id is needed
// because another team may use the same office name, in this cluster or in another.
type membership struct {
	Office   string `json:"office"`
	LedgerID string `json:"ledger_id"`
}

// membershipPath returns the path of the membership file in a node's data directory. The file names
// the ledger that the node serves.
func membershipPath(dataDir string) string { return filepath.Join(dataDir, "node.json") }

// Membership returns the path of a data directory's membership file and the name of the office in
// it. known is false if dataDir is empty or the file cannot be read; office is empty if the file is
// damaged.
func Membership(dataDir string) (path, office string, known bool) {
	if dataDir == "" {
		return "", "", false
	}
	path = membershipPath(dataDir)
	content, err := os.ReadFile(path)
	var m membership
	if err == nil && json.Unmarshal(content, &m) != nil {
		m = membership{}
	}
	return path, m.Office, err == nil
}

// check returns true if the node of a data directory has never served a ledger. It fails if the
// node has served another ledger.
func (m membership) check(dir string) (first bool, err error) {
	path := membershipPath(dir)
	content, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return true, nil
	}
	if err != nil {
		return false, fmt.Errorf("determine which office this node serves: %w", err)
	}
	var before membership
	if err := json.Unmarshal(content, &before); err != nil {
		return false, fmt.Errorf("%s is damaged: %w; delete it if this node should serve office %q", path, err, m.Office)
	}
	if before.LedgerID != m.LedgerID {
		return false, fmt.Errorf("the node with data directory %s serves office %q with ledger %s, but office %q in this NATS cluster has ledger %s: check --nats and --office, or use another --data; if the office was imported again, delete %s",
			dir, before.Office, before.LedgerID, m.Office, m.LedgerID, path)
	}
	return false, nil
}

// saveMembership stores which ledger this node serves, and sets n.arrival. It is called once the node
// has joined the office for the first time.
func (n *Node) saveMembership(m membership) error {
	content, err := json.Marshal(m)
	if err == nil {
		err = atomicfile.Write(membershipPath(n.cfg.DataDir), append(content, '\n'))
	}
	if err != nil {
		return fmt.Errorf("save which office this node serves: %w", err)
	}
	n.arrival = &Arrival{Origin: n.cfg.Ledger.Origin()}
	if h, ok, _ := n.writerLease.Holder(); ok && h.Token != n.token {
		n.arrival.Writer = h.Node
	}
	return nil
}

// Arrival describes the office that the node found on its first start; nil on later starts, or if n
// is nil.
func (n *Node) Arrival() *Arrival {
	if n == nil {
		return nil
	}
	return n.arrival
}
